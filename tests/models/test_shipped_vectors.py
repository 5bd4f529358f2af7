"""The vectors beside the quickstart sample are those of the real model, and they are all there."""

import numpy as np
import pytest

from memlab.datasets.quickstart import load
from memlab.encoding.embedding import cache_key
from memlab.encoding.vectors import read_vectors
from memlab.parsing import parse
from memlab.prepare import announced

MEMORY = parse("Vector(embedder=MiniLM())")


@pytest.fixture(scope="module")
def wanted():
    sample = load()
    found = (key for talk in sample for _, key in announced(MEMORY, talk))
    return sorted({(role, text) for _, role, text in found})


@pytest.fixture(scope="module")
def shipped():
    (path,) = load().vectors
    return read_vectors(path)


def test_every_announced_text_is_shipped_and_nothing_else(wanted, shipped):
    keys = {cache_key(MEMORY.embedder, text, role) for role, text in wanted}
    assert keys == set(shipped)


def test_encoding_again_gives_the_same_vectors(wanted, shipped):
    # Every ninth text, both roles; other processors may differ in the last bits.
    for role in ("document", "query"):
        texts = [text for r, text in wanted if r == role][::9]
        encoded = MEMORY.embedder.encode(texts, role)
        for text, vector, tokens in zip(texts, encoded.vectors, encoded.tokens, strict=True):
            entry = shipped[cache_key(MEMORY.embedder, text, role)]
            np.testing.assert_allclose(entry.vector, vector, atol=2e-6)
            assert entry.tokens == tokens
