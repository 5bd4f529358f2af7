"""One-sided sign flips by conversation, for all contrasts at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from memlab.inference.clusters import Floats
from memlab.inference.sign_flip import DRAWS, EXACT

_STEP = 5_000
_ROUNDING = 1e-9


class OneSided(NamedTuple):
    """p-values (m,) of "worse" and of "better", and the least that so many clusters allow."""

    worse: Floats
    better: Floats
    smallest: float


def one_sided(sums: Floats, *, seed: int = 0) -> OneSided:
    """Test whether the totals of differences, summed by cluster (G, m), lie below or above 0.

    p of "worse" is the share of sign patterns, the same for all m columns, whose total is at
    most the one observed. One side, because a gate asks in one direction: a two-sided test would
    spend half of its false alarms on improvements, which are none. With at most 16 clusters all
    patterns are taken, else 100,000 are drawn and p = (1 + those that reach it) / (1 + drawn).
    A column of zeros has p = 1. The test is that of `memlab.inference.sign_flip`.

    >>> found = one_sided(np.array([[-3.0, 1.0], [-2.0, 0.0], [-1.0, 0.0]]))
    >>> found.worse.tolist(), found.better.tolist(), found.smallest
    ([0.125, 1.0], [1.0, 0.5], 0.125)
    """
    groups, columns = sums.shape
    total = sums.sum(axis=0)
    slack = _ROUNDING * np.abs(sums).sum(axis=0)
    low, high = np.zeros(columns), np.zeros(columns)
    exact = groups <= EXACT
    drawn = 0
    for signs in _all_signs(groups) if exact else _drawn_signs(groups, seed):
        flipped = signs @ sums
        low += np.sum(flipped <= total + slack, axis=0)
        high += np.sum(flipped >= total - slack, axis=0)
        drawn += len(signs)
    extra = 0 if exact else 1
    smallest = max(2.0**-groups, extra / (extra + drawn))
    return OneSided((low + extra) / (drawn + extra), (high + extra) / (drawn + extra), smallest)


def _all_signs(groups: int) -> Iterator[Floats]:
    patterns = np.arange(2**groups, dtype=np.int64)
    for start in range(0, len(patterns), _STEP):
        bits = patterns[start : start + _STEP, None] >> np.arange(groups) & 1
        yield (1 - 2 * bits).astype(np.float64)


def _drawn_signs(groups: int, seed: int) -> Iterator[Floats]:
    generator = np.random.default_rng(seed)
    for _ in range(DRAWS // _STEP):
        bits = generator.integers(0, 2, (_STEP, groups), dtype=np.int8)
        yield (2 * bits - 1).astype(np.float64)
