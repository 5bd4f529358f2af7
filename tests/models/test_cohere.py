"""Cohere's embeddings, against a local stand-in."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from memlab.errors import ConfigError, MissingExtra, ModelError
from memlab.models import cohere as module
from memlab.models.cohere import CohereEmbedder
from memlab.parsing import parse

pytest.importorskip("cohere")

KEY = "co-secret-1234567890"
FAST = {"retry-after-ms": "1"}


def vectors(body):
    return {
        "id": "1",
        "response_type": "embeddings_by_type",
        "embeddings": {"float": [[len(text), 1.0] for text in body["texts"]]},
        "texts": body["texts"],
        "meta": {"billed_units": {"input_tokens": 9}},
    }


@pytest.fixture
def make(service, monkeypatch):
    monkeypatch.setenv("CO_API_KEY", KEY)
    opened = []

    def embedder(**settings):
        model = CohereEmbedder(base_url=service.url, **settings)
        opened.append(model._client())
        return model

    yield embedder
    for client in opened:
        client._client_wrapper.httpx_client.httpx_client.close()
    module._client.cache_clear()


@pytest.mark.parametrize("role", ["query", "document"])
def test_the_role_is_sent_as_input_type(service, make, role):
    service.replies = [(200, {}, vectors)]
    encoded = make().encode(["abc", ""], role)
    (body,) = service.requests
    assert body["input_type"] == f"search_{role}"
    assert (body["model"], body["texts"]) == ("embed-multilingual-v3.0", ["abc", " "])
    assert np.allclose(encoded.vectors, np.array([[3, 1], [1, 1]]) / np.sqrt([[10], [2]]))
    # Estimated at 1 and 0 tokens: all 9 that were billed are the first text's.
    assert encoded.tokens == (9, 0)
    assert service.keys == [f"Bearer {KEY}"]


def test_batches_and_dimensions(service, make):
    service.replies = [(200, {}, vectors)] * 2
    encoded = make(batch=2, dimensions=2).encode(["a", "b", "c"], "document")
    assert [body["texts"] for body in service.requests] == [["a", "b"], ["c"]]
    assert service.requests[0]["output_dimension"] == 2
    assert sum(encoded.tokens) == 18


def test_a_rate_limit_is_waited_out(service, make):
    service.replies = [(429, FAST, {"message": "slow down"}), (200, {}, vectors)]
    assert make().encode(["abc"], "query").vectors.shape == (1, 2)
    assert len(service.requests) == 2


@pytest.mark.parametrize(("status", "tries"), [(503, 3), (400, 1)])
def test_a_failing_service_is_a_typed_error_without_the_key(service, make, status, tries):
    service.replies = [(status, FAST, {"message": f"no luck with {KEY}"})] * 3
    with pytest.raises(ModelError, match=rf"failed: \w+Error {status}: .*no luck") as caught:
        make(retries=2).encode(["abc"], "query")
    assert KEY not in str(caught.value)
    assert len(service.requests) == tries


def test_a_wrong_number_of_vectors_is_a_typed_error(service, make):
    service.replies = [(200, {}, lambda body: vectors({"texts": ["a"]}))]
    with pytest.raises(ModelError, match=r"returned 1 vectors of lengths .* for 2 texts"):
        make().encode(["a", "b"], "document")


def test_a_text_beyond_the_limit_is_marked(service, make):
    service.replies = [(200, {}, vectors)]
    # The estimate: 0.24 tokens for each of 4,000 letters are 960, more than 512.
    assert make().encode(["word" * 1000, "word"], "document").truncated == (True, False)


def test_the_key_comes_from_the_environment_alone(monkeypatch):
    model = CohereEmbedder(model="embed-v4.0", dimensions=256, max_tokens=128_000)
    assert parse(repr(model)) == model
    monkeypatch.delenv("CO_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="CO_API_KEY"):
        model.prepare()


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setenv("CO_API_KEY", KEY)
    monkeypatch.setitem(sys.modules, "cohere", None)
    with pytest.raises(MissingExtra, match=r"memlab\[cohere\]"):
        CohereEmbedder().prepare()
