"""Streams replayed by the harness: turns per second, and bytes per turn at the peak.

The stream alone is walked beside them, so that its cost can be taken off. A million turns:
`pytest tests/benchmarks/test_stream_bench.py --benchmark-only -k 1000000`.
"""

import tracemalloc

import pytest

import memlab as ml
from memlab.checks import dataset_faults
from memlab.content import dataset_digest
from memlab.evidence import audit
from memlab.judging.shingles import Texts
from memlab.replay import Replay
from memlab.run import Run
from memlab.strategies import NoMemory, Random, Window
from memlab.tokens import CachedCounter, Estimate
from memlab.types import Conversation, Dataset, Turn

PROBES = 300


def dataset(size):
    """Synthetic dialogues of two users, written as they are read, with all abilities."""
    spec = ml.DialogueSpec(
        conversations=1, turns=size, sessions=size // 20, days=3650, probes=min(PROBES, size // 20)
    )
    (talk,) = ml.generate(spec)
    return Dataset("stream", (Conversation(talk.id, talk),))


def walk(data):
    return sum(isinstance(event, Turn) for talk in data for event in talk.events)


def replayed(memory):
    def play(data):
        run = Run(CachedCounter(Estimate()))
        return Replay("s", memory, *data.conversations, [4000], run, Texts()).play().facts["turns"]

    return play


CALLS = {
    "walk": walk,
    "faults": dataset_faults,
    "digest": dataset_digest,
    "audit": audit,
    "none": replayed(NoMemory()),
    "window": replayed(Window(turns=10)),
    "random": replayed(Random()),
}


SEEN = {
    "faults": lambda found: found == [],
    "digest": lambda found: len(found) == 64,
    "audit": lambda found: sum(found.probes.values()) == PROBES and not found.dangling,
}
"""What a call must have found for its time to count; the others return the turns they saw."""


@pytest.mark.parametrize("size", [100_000, 1_000_000])
@pytest.mark.parametrize("name", CALLS)
def test_turns_per_second(benchmark, name, size):
    benchmark.group = f"{size} turns"
    found = benchmark.pedantic(CALLS[name], (dataset(size),), rounds=1)
    assert SEEN.get(name, size.__eq__)(found)
    benchmark.extra_info["turns per second"] = round(size / benchmark.stats["median"])


@pytest.mark.parametrize("size", [100_000, 1_000_000])
@pytest.mark.parametrize("name", ["faults", "audit", "none"])
def test_peak_bytes_per_turn(benchmark, name, size):
    """Traced, so slow: its time says nothing."""
    benchmark.group = f"traced, {size} turns"
    data = dataset(size)
    CALLS[name](dataset(1000))  # imports

    def traced():
        tracemalloc.start()
        CALLS[name](data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak = benchmark.pedantic(traced, rounds=1)
    benchmark.extra_info["peak bytes per turn"] = round(peak / size, 1)
    assert peak < 100 * size + 50e6
