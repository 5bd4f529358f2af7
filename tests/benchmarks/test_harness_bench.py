"""The price of the harness: per event, per import, and of the exact index beside a product."""

import subprocess
import sys
from time import perf_counter_ns

import numpy as np
import pytest

from memlab.encoding.embedding import Entry
from memlab.indexes import Exact
from memlab.judging.shingles import Texts
from memlab.latency import Histogram
from memlab.replay import Replay
from memlab.run import Run
from memlab.strategies import NoMemory
from memlab.tokens import CachedCounter, tokenizer
from memlab.types import Conversation, Turn, utc

START = utc("2024-01-01")


def conversation(size):
    texts = (f"turn {i}" for i in range(size))
    return Conversation(
        "c", tuple(Turn(id=str(i), text=t, time=START, user="c") for i, t in enumerate(texts))
    )


def test_overhead_per_event(benchmark):
    """Replaying 10,000 turns through a memory that does nothing; counts are known before."""
    played, counter = conversation(10_000), CachedCounter(tokenizer())
    for turn in played.turns():
        counter.count(turn.text)

    def play():
        return Replay("none", NoMemory(), played, [None], Run(counter), Texts()).play()

    unit = benchmark(play)
    benchmark.extra_info["µs per event"] = benchmark.stats["median"] * 1e6 / 10_000
    assert unit.facts["turns"] == 10_000


def test_timing_alone(benchmark):
    """The floor of the row above: two clock reads and a count in the histogram, 10,000 times."""
    histogram = Histogram()

    def measure():
        for _ in range(10_000):
            begin = perf_counter_ns()
            histogram.add(perf_counter_ns() - begin)

    benchmark(measure)
    assert histogram.count >= 10_000


def test_import(benchmark):
    code = (
        "import memlab, sys; assert not {'torch', 'numpy', 'matplotlib.pyplot'} & set(sys.modules)"
    )
    done = benchmark.pedantic(
        subprocess.run, ([sys.executable, "-c", code],), {"check": True}, rounds=10
    )
    assert done.returncode == 0


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(0)
    found = rng.normal(size=(100_000, 384)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.mark.benchmark(group="exact search in 10^5 × 384")
def test_matrix_vector_product(benchmark, vectors):
    query = vectors[7]
    found = benchmark(lambda: vectors @ query)
    assert found[7] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.benchmark(group="exact search in 10^5 × 384")
def test_exact_index(benchmark, vectors):
    from memlab.topk import best

    index = Exact()
    index.reset()
    for row, vector in enumerate(vectors):
        index.add(row, vector)

    def search():
        found = best(*index.scores(vectors[7]))
        return [next(found) for _ in range(100)]

    assert benchmark(search)[0][0] == 7


@pytest.mark.benchmark(group="booking of a known vector")
def test_booking(benchmark):
    from memlab.models import Hashing
    from memlab.naming import spell

    embedder = Hashing()
    entry = Entry(np.ones(4, dtype=np.float32), 1, 1, False)
    run = Run(vectors={(spell(embedder, full=True), "document", "x"): entry})
    found = benchmark(run.embed, embedder, ["x"], "document")
    assert found.shape == (1, 4)
