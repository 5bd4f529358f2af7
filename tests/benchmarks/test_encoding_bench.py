"""400 turns and 200 questions through MiniLM: memlab's path beside sentence-transformers' own.

pytest tests/benchmarks/test_encoding_bench.py --benchmark-only

Both get the same texts and the same model; the other encodes them in batches of 32, its fastest
way. memlab gives each text a pass of its own, so that a vector depends on its text alone, and
questions one at a time, as a memory meets them; both cost time in a first run. `known` is a second
run: every vector comes out of the cache's file.
"""

import json
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memlab.encoding.embedding import encode
from memlab.models import MiniLM
from memlab.models.cache import VectorCache
from memlab.models.minilm import MAX_LENGTH, _folder

pytestmark = [
    pytest.mark.benchmark(group="400 turns and 200 questions, MiniLM"),
    pytest.mark.skipif(find_spec("sentence_transformers") is None, reason='needs "memlab[models]"'),
]

TURNS, QUESTIONS = 400, 200


@pytest.fixture(scope="module")
def texts():
    """Turns and questions of LoCoMo, where its file is at hand."""
    root = Path(__file__).resolve().parents[3] / "shared" / "data"
    path = Path(os.environ.get("MEMLAB_DATA", root)) / "locomo" / "locomo10.json"
    if not path.is_file():
        pytest.skip("LoCoMo is not at hand (set MEMLAB_DATA to the folder of its folder)")
    talks = json.loads(path.read_text("utf-8"))
    sessions = [s for t in talks for s in t["conversation"].values() if isinstance(s, list)]
    turns = dict.fromkeys(turn["text"] for session in sessions for turn in session)
    asked = dict.fromkeys(qa["question"] for talk in talks for qa in talk["qa"])
    return list(turns)[:TURNS], list(asked)[:QUESTIONS]


@pytest.fixture(scope="module")
def theirs():
    from sentence_transformers import SentenceTransformer  # heavy: not while tests are collected

    model = SentenceTransformer(str(_folder()), device="cpu", local_files_only=True)
    model.max_seq_length = MAX_LENGTH
    model.encode(["a first pass"])
    return lambda texts: model.encode(texts, normalize_embeddings=True, show_progress_bar=False)


@pytest.fixture(scope="module")
def ours():
    model = MiniLM()
    model.prepare()
    return model


def both(model, texts, cache=None):
    turns, asked = texts
    return encode(model, turns, "document", cache), encode(model, asked, "query", cache)


def test_sentence_transformers(benchmark, texts, theirs):
    turns, asked = texts
    found = benchmark.pedantic(theirs, (turns + asked,), rounds=3)
    assert found.shape == (TURNS + QUESTIONS, 384)


def test_memlab(benchmark, texts, ours, theirs):
    found, _ = benchmark.pedantic(both, (ours, texts), rounds=3)
    some = texts[0][:20]
    for text, other in zip(some, theirs(some), strict=True):
        assert np.abs(found[text].vector - other).max() < 1e-5


def test_memlab_known(benchmark, texts, ours, tmp_path):
    cache = VectorCache(tmp_path / "vectors.sqlite")
    first = both(ours, texts, cache)
    cache.close()

    def again():
        cache = VectorCache(tmp_path / "vectors.sqlite")
        found = both(ours, texts, cache)
        cache.close()
        return found

    second = benchmark.pedantic(again, rounds=20)
    assert [one.keys() for one in second] == [one.keys() for one in first]
