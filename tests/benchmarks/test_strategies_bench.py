"""Write and read of every strategy at growing history; encoding apart, as hashing is cheap.

pytest tests/benchmarks --benchmark-only
"""

import copy
from datetime import timedelta
from functools import lru_cache

import numpy as np
import pytest

from memlab.parsing import parse
from memlab.run import Run
from memlab.types import Query, Turn, utc

START = utc("2024-01-01")
SIZES = (100, 1_000, 10_000, 100_000)
STRATEGIES = [
    "NoMemory()",
    "Window()",
    "Window(exchanges=5)",
    "TokenWindow()",
    "TokenWindow(unit='exchange')",
    "DynamicWindow()",
    "FullHistory()",
    "Random()",
    "BM25()",
    "Vector(embedder=Hashing())",
    "Hybrid(legs=(BM25(), Vector(embedder=Hashing())))",
]


@lru_cache(maxsize=1)
def turns(size):
    """Texts of about LoCoMo's length, words by Zipf's law."""
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(20_000)]
    ranks = np.minimum(rng.zipf(1.3, size * 20) - 1, len(words) - 1).reshape(size, 20)
    return [
        Turn(
            id=f"t{i}",
            text=" ".join(words[r] for r in row),
            time=START + timedelta(minutes=i),
            role="user" if i % 2 == 0 else "assistant",
            user="u",
        )
        for i, row in enumerate(ranks.tolist())
    ]


@lru_cache(maxsize=1)
def filled(spelt, size):
    memory = parse(spelt)
    memory.reset()
    if hasattr(memory, "attach"):
        memory.attach(Run())
    for turn in turns(size):
        memory.write(turn)
    return memory


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("spelt", STRATEGIES)
def test_read(benchmark, spelt, size):
    memory = filled(spelt, size)
    query = Query("w1 w10 w100 w1000 w7", START + timedelta(days=365), "u")
    benchmark.group = f"read at {size} turns"
    items = benchmark(memory.read, query, 4000)
    assert spelt == "NoMemory()" or items


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("spelt", STRATEGIES)
def test_write(benchmark, spelt, size):
    memory = copy.deepcopy(filled(spelt, size)) if size <= 10_000 else filled(spelt, size)
    numbers = iter(range(10**9))
    benchmark.group = f"write at {size} turns"

    def fresh():
        i = next(numbers)
        return (Turn(id=f"n{i}", text=turns(size)[i % size].text, time=START, user="u"),), {}

    benchmark.pedantic(memory.write, setup=fresh, rounds=500)
    assert next(numbers) >= 500
