"""A fixed piece of work, timed beside every unit: latencies are compared as ratios to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from time import perf_counter_ns
from typing import Any

TIMES = 3
"""How often it is timed before a unit, and again after it."""


@lru_cache(maxsize=1)
def _given() -> tuple[list[str], Any, Any]:
    import numpy as np

    words = [f"word{i * 7919 % 1009}" for i in range(500)]
    rows = np.arange(512 * 128, dtype=np.float32).reshape(512, 128) % 97 / 97
    return words, rows, rows[7].copy()


def work() -> int:
    """Count, join, split, lower, sort and multiply, and return a number that tells it was done.

    What strategies spend their time on, in Python and numpy alone: no change of memlab's own
    code makes it faster or slower. A fraction of a millisecond.

    >>> work()
    990
    """
    import numpy as np

    words, rows, query = _given()
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    texts = " ".join(words).upper().split(" ")
    pairs = [(text.lower(), i) for i, text in enumerate(texts)]
    pairs.sort()
    best = np.argsort(rows @ query)[-10:].tolist()
    return len(counts) + len(pairs) - len(best)


def timed(times: int = TIMES) -> list[int]:
    """Return the nanoseconds of each of so many repetitions of `work`."""
    _given()  # made before the clock runs
    found = []
    for _ in range(times):
        begin = perf_counter_ns()
        work()
        found.append(perf_counter_ns() - begin)
    return found


class Beside:
    """Times the reference beside short units: again only when the last time is 50 ms ago.

    A machine does not change its speed in that time, and thousands of short units would
    spend more on the reference than on their work.
    """

    _FRESH = 50_000_000

    def __init__(self) -> None:
        self._at = 0
        self._found: list[int] = []

    def timed(self) -> list[int]:
        """Return the nanoseconds of each repetition, now or just before."""
        if not self._found or perf_counter_ns() - self._at > self._FRESH:
            self._found = timed()
            self._at = perf_counter_ns()
        return list(self._found)


def typical(before: Sequence[int], after: Sequence[int]) -> float:
    """Return the reference time of a unit: the mean of the fastest before and after it.

    The fastest of a few was interrupted least; the mean follows a machine that changes its
    speed in between. NaN if nothing was timed.

    >>> typical([250, 240, 9000], [260, 280, 255])
    247.5
    """
    return (min(before) + min(after)) / 2 if before and after else float("nan")
