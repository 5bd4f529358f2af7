"""One thing that is compared, what was measured of it, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from memlab.inference.multiple import holm

REGRESSION, IMPROVED, WITHIN, SAME = "regression", "improved", "within limits", "same"
BLIND = "too few conversations"
POWER = 0.95
"""The detectable change is found in so many of the runs that have it."""


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """A strategy at a budget under one measure: the baseline, the run, and their difference.

    Quality: means of a metric, and run - baseline with its 95 % interval by conversation. Time:
    medians over conversations in units of the reference, and their ratio, run / baseline.
    `adjusted` is the one-sided p that it got worse (time: by more than the limit), after Holm
    over the whole gate; NaN where no test is made. `detectable` is the change for the worse that
    is found in 95 % of runs; `worse` of `n` probes, or conversations, got worse.
    """

    part: str
    strategy: str
    budget: int | None
    measure: str
    baseline: float
    run: float
    change: float
    low: float
    high: float
    limit: float
    n: int
    clusters: int
    worse: int
    adjusted: float = math.nan
    detectable: float = math.nan
    verdict: str = SAME

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values: NaN becomes None."""
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A contrast before the family is known.

    `worse` and `better` are one-sided p-values, `smallest` the least that so many conversations
    allow; NaN where no test is made. `beyond` tells whether the change reaches the limit:
    -1 for the worse, 1 for the better, else 0. `detectable` is a function of the level at
    which one test is made.
    """

    contrast: Contrast
    worse: float
    better: float
    smallest: float
    beyond: int
    detectable: Callable[[float], float]


def judged(measured: Sequence[Measured], alpha: float) -> list[Contrast]:
    """Return the contrasts with their verdicts, at a family-wise error rate of alpha.

    A contrast that could not reach alpha with the strongest evidence is blind, and told to be.
    """
    tests = sum(not math.isnan(one.worse) for one in measured)
    level = alpha / max(tests, 1)
    worse = holm([one.worse for one in measured]).tolist()
    better = holm([one.better for one in measured]).tolist()
    return [
        replace(
            one.contrast,
            adjusted=down,
            detectable=one.detectable(level),
            verdict=_verdict(one, down, up, alpha, blind=one.smallest > level),
        )
        for one, down, up in zip(measured, worse, better, strict=True)
    ]


def _verdict(one: Measured, worse: float, better: float, alpha: float, *, blind: bool) -> str:
    untested = math.isnan(one.worse)
    if one.beyond < 0 and (untested or worse <= alpha):
        return REGRESSION
    if one.beyond > 0 and (untested or better <= alpha):
        return IMPROVED
    if blind and not untested:
        return BLIND
    alike = one.contrast.part == "quality" and one.contrast.run == one.contrast.baseline
    return SAME if alike and not one.contrast.worse else WITHIN
