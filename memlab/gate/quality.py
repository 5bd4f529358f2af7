"""The quality side of the gate: paired differences by probe, tested by conversation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

import numpy as np

from memlab.gate.contrast import POWER, Contrast, Measured
from memlab.gate.flips import one_sided
from memlab.gate.snapshot import Column, Snapshot
from memlab.inference.clusters import Floats
from memlab.inference.power import power_of
from memlab.inference.strata import balanced
from memlab.stats import paired, t_quantile

MAX_DROP = 0.01
"""A smaller change for the worse is no regression, however sure it is."""
NEVER = {"Leak()": 0.0, "Residue()": 0.0}
"""What must not happen at all: with a limit of 0 one probe is enough, and no test is made."""
CHANGING = 0.2
"""Share of the probes that a change is planned to turn over, by a full point each."""


def drops(run: Snapshot, baseline: Snapshot, limits: Mapping[str, float]) -> list[Measured]:
    """Compare every column that both have, over the probes with a value in both.

    `limits` gives each metric its minimum effect. Data sets of a joined run weigh the same.
    """
    columns = [column for column in baseline.values if column in run.values]
    places = _Places(run)
    differences = [run.values[column] - baseline.values[column] for column in columns]
    signs = [direction(run, column.metric) for column in columns]
    gains = [sign * d for sign, d in zip(signs, differences, strict=True)]
    tested = one_sided(places.sums(gains))
    found = []
    for i, column in enumerate(columns):
        limit = limits[column.metric]
        contrast, se = _contrast(column, run, baseline, differences[i], gains[i], places, limit)
        found.append(
            Measured(
                contrast=contrast,
                worse=float(tested.worse[i]) if limit else math.nan,
                better=float(tested.better[i]) if limit else math.nan,
                smallest=tested.smallest,
                beyond=_beyond(signs[i] * contrast.change, contrast.worse, limit),
                detectable=partial(detectable, se, contrast.n, contrast.clusters, limit),
            )
        )
    return [one for one in found if one.contrast.n]


def direction(snapshot: Snapshot, metric: str) -> int:
    """Return 1 where more of a metric is better, else -1."""
    return 1 if snapshot.about["definitions"][metric].get("higher_is_better", True) else -1


def detectable(se: float, n: int, clusters: int, limit: float, level: float) -> float:
    """Return the drop that is found in 95 % of runs, when one test is made at `level`.

    The standard error is the one observed, or that of a change which turns over one probe in
    five if that is larger. With a limit of 0 any probe is found.

    >>> round(detectable(0.0, 6000, 60, 0.01, 0.0005), 4)  # se = sqrt(0.2 / 6000) = 0.0058
    0.0299
    """
    if not limit:
        return 0.0
    if clusters < 2:
        return math.inf
    se = max(0.0 if math.isnan(se) else se, math.sqrt(CHANGING / n))
    return max(_errors(clusters, level) * se, limit + t_quantile(POWER, clusters - 1) * se)


@lru_cache(maxsize=256)
def _errors(clusters: int, level: float) -> float:
    """Return the effect, in standard errors, that a one-sided t test at `level` finds."""
    from scipy.optimize import brentq

    def short(effect: float) -> float:
        return power_of(effect, 1.0, clusters, 2 * level) - POWER

    high = 1.0
    while short(high) < 0:
        high *= 2
    return float(brentq(short, high / 2 if high > 1 else 0.0, high))


class _Places:
    """Where the probes stand: their conversations and data sets."""

    def __init__(self, run: Snapshot) -> None:
        self.clusters = [probe.conversation for probe in run.probes]
        self.strata = [probe.dataset for probe in run.probes]
        names = {name: i for i, name in enumerate(dict.fromkeys(self.clusters))}
        self.codes = np.array([names[name] for name in self.clusters], dtype=np.intp)
        self.groups = len(names)

    def sums(self, gains: Sequence[Floats]) -> Floats:
        """Return the sums of gains (n,) by conversation, (G, columns)."""
        weighed = (np.nan_to_num(balanced(g, self.clusters, self.strata)) for g in gains)
        sums = [np.bincount(self.codes, gain, minlength=self.groups) for gain in weighed]
        return np.array(sums, dtype=np.float64).reshape(len(gains), self.groups).T


def _contrast(
    column: Column,
    run: Snapshot,
    baseline: Snapshot,
    difference: Floats,
    gain: Floats,
    places: _Places,
    limit: float,
) -> tuple[Contrast, float]:
    """Return a contrast without p-values, and the standard error of its change."""
    alone = np.where(np.isnan(difference), np.nan, 1.0)
    before, now, change = (
        paired(values, places.clusters, places.strata)
        for values in (alone * baseline.values[column], alone * run.values[column], difference)
    )
    contrast = Contrast(
        part="quality",
        strategy=column.strategy,
        budget=column.budget,
        measure=column.metric,
        baseline=before.mean,
        run=now.mean,
        change=change.mean,
        low=change.low,
        high=change.high,
        limit=limit,
        n=change.n,
        clusters=change.clusters,
        worse=int(np.sum(gain < 0)),
    )
    return contrast, change.se


def _beyond(gain: float, worse: int, limit: float) -> int:
    """Tell whether a mean gain reaches the limit: -1 down, 1 up; a limit of 0 is one probe."""
    if not limit:
        return -1 if worse else int(gain > 0)
    short = abs(gain) < limit * (1 - 1e-9)  # a drop of the limit itself counts, however rounded
    return 0 if math.isnan(gain) or short else int(math.copysign(1, gain))
