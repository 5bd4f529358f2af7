"""OpenAI's embeddings, against a local stand-in."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

from memlab.encoding.embedding import encode
from memlab.errors import ConfigError, MissingExtra, ModelError, TruncationWarning
from memlab.models import openai as module
from memlab.models.openai import OpenAIEmbedder
from memlab.parsing import parse

pytest.importorskip("openai")

KEY = "sk-secret-1234567890"
FAST = {"retry-after-ms": "1"}


def vectors(body):
    """Answer [length of the text, 1], last text first."""
    data = [
        {"object": "embedding", "index": i, "embedding": [len(text), 1.0]}
        for i, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 10, "total_tokens": 10}
    return {"object": "list", "data": data[::-1], "model": body["model"], "usage": usage}


@pytest.fixture
def make(service, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    opened = []

    def embedder(**settings):
        model = OpenAIEmbedder(base_url=service.url, **settings)
        opened.append(model._client())
        return model

    yield embedder
    for client in opened:
        client.close()
    module._client.cache_clear()


def test_vectors_come_back_in_the_order_of_the_texts_and_of_unit_length(service, make):
    service.replies = [(200, {}, vectors)]
    encoded = make().encode(["abc", "", "我叫张三"], "document")
    expected = np.array([[3, 1], [1, 1], [4, 1]]) / np.sqrt([[10], [2], [17]])
    assert np.allclose(encoded.vectors, expected)
    assert encoded.vectors.dtype == np.float32
    assert service.requests == [
        {
            "model": "text-embedding-3-small",
            "input": ["abc", " ", "我叫张三"],  # the service refuses empty input
            "encoding_format": "float",
        }
    ]
    assert service.keys == [f"Bearer {KEY}"]


def test_reported_tokens_are_shared_in_proportion_and_add_up(service, make):
    service.replies = [(200, {}, vectors)]
    encoded = make().encode(["one", "one two three four"], "query")
    # 1 and 4 tokens of cl100k_base: 10 reported tokens are 2 and 8.
    assert encoded.tokens == (2, 8)
    assert encoded.truncated == (False, False)


def test_the_roles_prompt_and_the_dimensions_are_sent(service, make):
    model = make(query_prompt="query: ", document_prompt="passage: ", dimensions=2)
    service.replies = [(200, {}, vectors)] * 2
    model.encode(["x"], "query")
    model.encode(["x"], "document")
    assert [body["input"] for body in service.requests] == [["query: x"], ["passage: x"]]
    assert [body["dimensions"] for body in service.requests] == [2, 2]


def test_batches(service, make):
    service.replies = [(200, {}, vectors)] * 3
    encoded = make(batch=2).encode(list("abcde"), "document")
    assert [body["input"] for body in service.requests] == [["a", "b"], ["c", "d"], ["e"]]
    assert encoded.vectors.shape == (5, 2)
    assert encoded.tokens == (5, 5, 5, 5, 10)  # 10 for each request


def test_a_rate_limit_is_waited_out(service, make):
    service.replies = [(429, FAST, {"error": {"message": "slow down"}}), (200, {}, vectors)]
    assert make().encode(["abc"], "query").vectors.shape == (1, 2)
    assert len(service.requests) == 2


@pytest.mark.parametrize(("status", "tries"), [(500, 3), (400, 1), (401, 1)])
def test_a_failing_service_is_a_typed_error_without_the_key(service, make, status, tries):
    told = {"error": {"message": f"no luck with {KEY}"}}
    service.replies = [(status, FAST, told)] * 3
    with pytest.raises(ModelError, match=rf"failed: \w+Error {status}: .*no luck") as caught:
        make(retries=2).encode(["abc"], "query")
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert len(service.requests) == tries


def less(body):
    return {**vectors(body), "data": vectors(body)["data"][:1]}


def twice(body):
    return {**vectors(body), "data": vectors(body)["data"][:1] * 2}


def uneven(body):
    answer = vectors(body)
    answer["data"][0]["embedding"] = [1.0]
    return answer


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (less, r"numbered its vectors \[1\]"),
        (twice, r"numbered its vectors \[1, 1\]"),
        (uneven, r"returned 2 vectors of lengths \[1, 2\] for 2 texts"),
        (lambda body: {**vectors(body), "data": []}, "."),
    ],
)
def test_an_answer_that_does_not_fit_is_a_typed_error(service, make, answer, told):
    service.replies = [(200, {}, answer)] * 4
    with pytest.raises(ModelError, match=told):
        make(retries=0).encode(["a", "b"], "document")


def test_long_texts_are_cut_before_they_are_sent_and_counted(service, make):
    service.replies = [(200, {}, vectors)]
    model = make(max_tokens=4)
    with pytest.warns(TruncationWarning, match="1 of 2 texts"):
        found = encode(model, ["one two three four five six", "one"], "document")
    assert service.requests[0]["input"] == ["one", "one two three four"]
    assert found["one two three four five six"].truncated


def test_the_key_is_nowhere_but_in_the_environment(monkeypatch, service):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = OpenAIEmbedder(dimensions=256)
    assert KEY not in repr(model) + str(dict(model.identity())) + str(pickle.dumps(model))
    assert parse(repr(model)) == model
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        model.prepare()
    OpenAIEmbedder(base_url=service.url).prepare()  # a server of one's own may need none
    module._client.cache_clear()


@pytest.mark.parametrize(
    "url", ["https://me:pw@host/v1", "https://host/v1?key=pw", "host/v1", "ftp://host"]
)
def test_a_url_may_carry_no_secret(url):
    with pytest.raises(ConfigError, match="base_url") as caught:
        OpenAIEmbedder(base_url=url).identity()
    assert "pw" not in str(caught.value).replace("password", "")


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtra, match=r"memlab\[openai\]"):
        OpenAIEmbedder().prepare()
