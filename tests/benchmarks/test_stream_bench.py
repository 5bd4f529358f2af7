"""Streams replayed by the harness: turns per second, and bytes per turn at the peak.

The stream alone is walked beside them, so that its cost can be taken off. A million turns:
`pytest tests/benchmarks/test_stream_bench.py --benchmark-only -k 1000000`.
"""

import tracemalloc
from datetime import timedelta
from math import exp, log
from random import Random

import pytest

from memlab.checks import dangling, dataset_faults
from memlab.content import dataset_digest
from memlab.evidence import coverage_lines
from memlab.judging.shingles import Texts
from memlab.replay import Replay
from memlab.run import Run
from memlab.strategies import NoMemory, Window
from memlab.strategies import Random as Drawn
from memlab.tokens import CachedCounter, Estimate
from memlab.types import Conversation, Dataset, Forget, Probe, Turn, utc

START = utc("2024-01-01")
USERS = ("ann", "bob", "ann")
PROBES = 300


class Stream:
    """Turns of eleven words by two users, 300 probes, three deletions."""

    def __init__(self, size):
        self.size = size

    def __iter__(self):
        for n in range(self.size):
            words = " ".join(f"word{(n * k) % 997}" for k in range(1, 11))
            time = START + timedelta(seconds=n)
            text = f"{words} n{n % 5000}."
            yield Turn(id=f"t{n}", text=text, time=time, session=f"s{n // 50}", user=USERS[n % 3])
            if n % (self.size // 3) == 100:
                yield Forget(turn_ids=(f"t{n - 7}",), user=USERS[(n - 7) % 3], time=time)
            if (n + 1) % (self.size // PROBES) == 0:
                said = n - int(exp(Random(n).random() * log(n)))
                yield Probe(
                    id=f"p{n}",
                    text=f"word{said % 997}?",
                    time=time,
                    user=USERS[said % 3],
                    evidence=(f"t{said}",),
                    answers=(f"n{said % 5000}",),
                )


def dataset(size):
    return Dataset("stream", (Conversation("c", Stream(size)),))


def walk(data):
    return sum(1 for conversation in data for _ in conversation.events)


def replayed(memory):
    def play(data):
        run = Run(CachedCounter(Estimate()))
        return Replay("s", memory, *data.conversations, [4000], run, Texts()).play()

    return play


CALLS = {
    "walk": walk,
    "faults": dataset_faults,
    "digest": dataset_digest,
    "dangling": dangling,
    "coverage": coverage_lines,
    "none": replayed(NoMemory()),
    "window": replayed(Window(turns=10)),
    "random": replayed(Drawn()),
}


@pytest.mark.parametrize("size", [100_000, 1_000_000])
@pytest.mark.parametrize("name", CALLS)
def test_turns_per_second(benchmark, name, size):
    benchmark.group = f"{size} turns"
    benchmark.pedantic(CALLS[name], (dataset(size),), rounds=1)
    benchmark.extra_info["turns per second"] = round(size / benchmark.stats["median"])


@pytest.mark.parametrize("size", [100_000, 1_000_000])
@pytest.mark.parametrize("name", ["faults", "coverage", "none"])
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
