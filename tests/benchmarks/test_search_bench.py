"""BM25 beside bm25s on the same tokens, ten hits each; HNSW beside exact search.

pytest tests/benchmarks/test_search_bench.py --benchmark-only

bm25s cannot grow: to write, it indexes everything again. Both run on one thread.
"""

from functools import lru_cache
from itertools import count, islice

import numpy as np
import pytest

from memlab.indexes import HNSW, Exact, Postings
from memlab.topk import best

WORDS = 20


@lru_cache(maxsize=1)
def texts(size):
    """Words by the law of Zipf and Mandelbrot, as many as in a turn of LoCoMo."""
    rng = np.random.default_rng(0)
    share = 1.0 / (np.arange(20_000) + 2.7)
    ranks = rng.choice(len(share), size=size * WORDS, p=share / share.sum())
    return [[f"w{r}" for r in row] for row in ranks.reshape(size, WORDS).tolist()]


@lru_cache(maxsize=1)
def own(size):
    index = Postings()
    index.reset()
    for row, text in enumerate(texts(size)):
        index.add(row, text)
    return index


def indexed(some):
    bm25s = pytest.importorskip("bm25s", reason='needs "memlab[peers]"')
    index = bm25s.BM25(k1=1.5, b=0.75, method="lucene", backend="numpy")
    index.index(some, show_progress=False)
    return index


def questions(size):
    return ([text[:8] for text in islice(texts(size), 60)] * 1000).__iter__()


@pytest.mark.parametrize("size", [10_000, 100_000])
def test_bm25_read(benchmark, size):
    benchmark.group = f"BM25 read at {size}"
    index, asked = own(size), questions(size)
    found = benchmark.pedantic(
        lambda: list(islice(best(*index.scores(next(asked))), 10)), rounds=120, warmup_rounds=3
    )
    assert len(found) == 10


@pytest.mark.parametrize("size", [10_000, 100_000])
def test_bm25s_read(benchmark, size):
    benchmark.group = f"BM25 read at {size}"
    index, asked = indexed(texts(size)), questions(size)
    _, scores = benchmark.pedantic(
        lambda: index.retrieve([next(asked)], k=10, show_progress=False),
        rounds=120,
        warmup_rounds=3,
    )
    ours = list(islice(best(*own(size).scores(texts(size)[0][:8])), 10))
    _, first = index.retrieve([texts(size)[0][:8]], k=10, show_progress=False)
    np.testing.assert_allclose(first[0], [score for _, score in ours], rtol=1e-5)
    assert scores.shape == (1, 10)


@pytest.mark.benchmark(group="BM25 write and read at 10000")
def test_bm25_write_and_read(benchmark):
    index, rows = own(10_000), count(10**9)
    text = texts(10_000)[5]

    def both():
        row = next(rows)
        index.add(row, text)
        found = list(islice(best(*index.scores(text[:8])), 10))
        index.remove(row)
        return found

    assert len(benchmark.pedantic(both, rounds=60, warmup_rounds=3)) == 10


@pytest.mark.benchmark(group="BM25 write and read at 10000")
def test_bm25s_indexed_again(benchmark):
    some = texts(10_000)
    found, _ = benchmark.pedantic(
        lambda: indexed(some).retrieve([some[5][:8]], k=10, show_progress=False), rounds=5
    )
    assert found.shape == (1, 10)


@lru_cache(maxsize=1)
def vectors():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(100, 384))
    found = centres[rng.integers(100, size=10_000)] + 0.8 * rng.normal(size=(10_000, 384))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.benchmark(group="ten nearest of 10000 vectors")
@pytest.mark.parametrize("kind", [Exact, HNSW])
def test_nearest(benchmark, kind):
    if kind is HNSW:
        pytest.importorskip("hnswlib", reason='needs "memlab[ann]"')
    index = kind()
    index.reset()
    for row, vector in enumerate(vectors()):
        index.add(row, vector)
    rows, _ = benchmark(index.nearest, vectors()[7], 10)
    assert rows[0] == 7
