"""The time side of the gate: ratios to a reference that was measured in the same run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from memlab.gate.contrast import POWER, Contrast, Measured
from memlab.gate.snapshot import Snapshot
from memlab.gate.times import REFERENCE
from memlab.inference.clusters import Floats
from memlab.stats import FEW

SLOWER, SLOWER_ELSEWHERE = 1.5, 2.5
"""The ratio that no change may exceed: on the same kind of machine, and on another."""
RESOLUTION = 0.005
"""Of the reference, added to every time: about a microsecond, of which clock and harness have half.

In units of the reference, so that a machine of another speed gives the same ratio.
"""
_ONLY_IF_DONE = ("flush", "maintain")


def slowdowns(run: Snapshot, baseline: Snapshot, limit: float) -> list[Measured]:
    """Compare the times of every strategy that both have, conversation by conversation.

    The change is the median over conversations of time / reference + 0.005, run by baseline.
    It is tested by signs: as many conversations beyond `limit` as below it would be no
    regression. So neither single outliers nor the form of the noise matter.
    """
    found = []
    for strategy, name, budget in _measures(run, baseline):
        talks = [
            talk
            for label, talk in baseline.times
            if label == strategy and _both(run, baseline, (label, talk), name)
        ]
        if talks:
            before, now = (
                np.array([_ratio(side, (strategy, talk), name) for talk in talks])
                for side in (baseline, run)
            )
            found.append(_measured(strategy, budget, name.partition(" ")[0], before, now, limit))
    return found


def _measures(run: Snapshot, baseline: Snapshot) -> Iterator[tuple[str, str, int | None]]:
    """Yield strategy, name of a time, and budget, of what both sides can have."""
    shared = [group for group in baseline.groups if group in run.groups]
    for label in dict.fromkeys(strategy for strategy, _ in shared):
        for strategy, budget in shared:
            if strategy == label:
                yield label, f"read {budget}", budget
        yield label, "write", None
        for name in _ONLY_IF_DONE:
            both = [*run.times.items(), *baseline.times.items()]
            if any(unit[0] == label and name in times for unit, times in both):
                yield label, name, None


def _both(run: Snapshot, baseline: Snapshot, unit: tuple[str, str], name: str) -> bool:
    sides = [side.times.get(unit, {}) for side in (run, baseline)]
    done = name in _ONLY_IF_DONE  # where it is not done it takes no time
    return all(REFERENCE in times and (done or name in times) for times in sides)


def _ratio(side: Snapshot, unit: tuple[str, str], name: str) -> float:
    times = side.times[unit]
    return times.get(name, 0.0) / times[REFERENCE] + RESOLUTION


def _measured(
    strategy: str, budget: int | None, name: str, before: Floats, now: Floats, limit: float
) -> Measured:
    logs = np.log(now / before)
    low, high = _interval(logs)
    most, size = math.log(limit), len(logs)
    change = float(np.median(logs))
    contrast = Contrast(
        part="time",
        strategy=strategy,
        budget=budget,
        measure=name,
        baseline=float(np.median(before)),
        run=float(np.median(now)),
        change=math.exp(change),
        low=math.exp(low),
        high=math.exp(high),
        limit=limit,
        n=size,
        clusters=size,
        worse=int(np.sum(logs > most)),
    )
    return Measured(
        contrast=contrast,
        worse=_at_least(contrast.worse, size),
        better=_at_least(int(np.sum(logs < -most)), size),
        smallest=2.0**-size,
        beyond=-1 if change > most else 1 if change < -most else 0,
        detectable=partial(detectable, logs, limit),
    )


def _at_least(count: int, size: int) -> float:
    """Return the chance that at least so many of `size` fair coins show heads."""
    from scipy.stats import binom

    return float(binom.sf(count - 1, size, 0.5))


def _interval(logs: Floats) -> tuple[float, float]:
    """Return a 95 % interval of the median, between order statistics; none below six values."""
    from scipy.stats import binom

    if len(logs) < FEW:
        return math.nan, math.nan
    place, ordered = int(binom.ppf(0.025, len(logs), 0.5)), np.sort(logs)
    return float(ordered[place - 1]), float(ordered[-place])


def detectable(logs: Floats, limit: float, level: float) -> float:
    """Return the slowdown, as a ratio, that is found in 95 % of runs as noisy as this one.

    Infinity where so few conversations allow no finding at `level`.

    >>> round(detectable(np.zeros(60), 1.5, 0.0005), 2)  # no noise: the limit itself
    1.5
    """
    from scipy.stats import beta, binom

    size = len(logs)
    needed = int(binom.isf(level, size, 0.5)) + 1  # so many must lie beyond the limit
    if needed > size:
        return math.inf
    share = float(beta.ppf(POWER, needed, size - needed + 1))
    spread = float(np.quantile(logs - np.median(logs), 1 - share))
    return limit * math.exp(-spread)
