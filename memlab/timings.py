"""Latencies as distributions: shares of calls that took no longer, and what is marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab.errors import ConfigError
from memlab.latency import Histogram

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import RunData

Floats = NDArray[np.float64]
UNITS = {"read": ("ms", 1e6), "write": ("µs", 1e3)}
"""The unit of a phase and its nanoseconds."""
_MOST = 1000
"""Points of a curve: of more calls, evenly spaced ranks are kept."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Distributions of latencies: a row of `marks` and a curve in `shares` for each line."""

    shares: pd.DataFrame
    marks: pd.DataFrame
    unit: str
    cold: bool


def spread(results: RunData, phase: str) -> Spread:
    """Return the distributions of a phase: per budget of reads, one for writes.

    Reads are warm ones; `cold` is the median of the first reads of each unit. Where no warm
    one followed any, first reads stand in (`cold` of the result is then True). Writes are known
    to 3 % from their histograms. Encoding is apart in both.

    Raises:
        ConfigError: an unknown phase, or nothing was timed.
    """
    import pandas as pd

    if phase not in UNITS:
        raise ConfigError(f"phase={phase!r}", "'read' or 'write'")
    unit, size = UNITS[phase]
    curves, cold = _writes(results) if phase == "write" else _reads(results)
    curves = [curve for curve in curves if len(curve.counts)]
    if not curves:
        raise ConfigError(f"no {phase} of this run was timed", "a strategy that did not fail")
    shares = [_points(one, size) for one in curves]
    marks = [_marks(one, size) for one in curves]
    return Spread(pd.concat(shares, ignore_index=True), pd.DataFrame(marks), unit, cold)


@dataclass(frozen=True, slots=True)
class _Curve:
    """Distinct nanoseconds, rising, and how many calls took each."""

    strategy: str
    budget: int | None
    values: Floats
    counts: Floats
    p50: float
    p95: float
    first: float = float("nan")


def _writes(results: RunData) -> tuple[list[_Curve], bool]:
    found: dict[str, Histogram] = {}
    for unit in results.latencies:
        merged = found.get(unit["strategy"], Histogram())
        found[unit["strategy"]] = merged.merge([Histogram.from_json(unit["write"])])
    curves = []
    for strategy, calls in found.items():
        values, counts = calls.distribution()
        middle, high = calls.quantile(0.5), calls.quantile(0.95)
        curves.append(_Curve(strategy, None, _array(values), _array(counts), middle, high))
    return curves, False


def _reads(results: RunData) -> tuple[list[_Curve], bool]:
    lists = {
        (strategy, budget): [
            unit["read"].get(str(budget), [])
            for unit in results.latencies
            if unit["strategy"] == strategy
        ]
        for strategy, budget in results.groups
    }
    alone = not any(len(times) > 1 for units in lists.values() for times in units)
    curves = []
    for (strategy, budget), units in lists.items():
        first = _array([times[0] for times in units if times])
        warm = first if alone else _array([ns for times in units for ns in times[1:]])
        values, counts = np.unique(warm, return_counts=True)
        middle, high = np.percentile(warm, [50, 95]) if len(warm) else (np.nan, np.nan)
        cold = float(np.median(first)) if len(first) and not alone else float("nan")
        curve = _Curve(strategy, budget, values, _array(counts), float(middle), float(high), cold)
        curves.append(curve)
    return curves, alone


def _points(curve: _Curve, size: float) -> pd.DataFrame:
    import pandas as pd

    shares = np.cumsum(curve.counts) / curve.counts.sum()
    at = np.arange(len(shares))
    if len(at) > _MOST:
        at = np.unique(np.searchsorted(shares, np.arange(1, _MOST + 1) / _MOST - 1e-12))
    names: dict[str, Any] = {"strategy": curve.strategy, "budget": curve.budget}
    return pd.DataFrame({**names, "latency": _timed(curve.values[at], size), "share": shares[at]})


def _marks(curve: _Curve, size: float) -> dict[str, Any]:
    times = _timed(_array([curve.p50, curve.p95, curve.first]), size)
    marked = dict(zip(("p50", "p95", "cold"), map(float, times), strict=True))
    names = {"strategy": curve.strategy, "budget": curve.budget}
    return {**names, "n": int(curve.counts.sum()), **marked}


def _timed(nanoseconds: Floats, size: float) -> Floats:
    """Return times in a unit; what the clock could not see is one nanosecond."""
    return np.maximum(nanoseconds, 1.0) / size


def _array(values: Sequence[float] | NDArray[Any]) -> Floats:
    return np.asarray(values, dtype=np.float64)
