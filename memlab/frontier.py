"""Quality against cost: which strategies are not beaten on both."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memlab import costs
from memlab.checking import check_choice
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rundata import Group, RunData
from memlab.scoring import more_is_better
from memlab.tables import estimate

if TYPE_CHECKING:
    import pandas as pd


def _read_ms(results: RunData, group: Group) -> float:
    timed = costs.latency(results, group)
    encoding = timed["encode_read_ms"]
    return timed["read_ms_p50"] + (0.0 if math.isnan(encoding) else encoding)


def _bytes(results: RunData, group: Group) -> float:
    sizes: dict[str, list[float]] = {}
    for facts in results.facts:
        if facts["strategy"] == group[0] and "bytes" in facts:
            home = results.homes.get(facts["conversation"], "")
            sizes.setdefault(home, []).append(facts["bytes"])
    return float(np.mean([np.mean(own) for own in sizes.values()])) if sizes else math.nan


COSTS: dict[str, Callable[[RunData, Group], float]] = {
    "tokens": lambda results, group: costs.tokens(results, group)["tokens_read"],
    "read_ms": _read_ms,
    "write_us": lambda results, group: costs.latency(results, group)["searchable_us"],
    "bytes": _bytes,
}
"""Tokens of a context; a read's median with the encoding of its query; write, flush and
encoding per turn; saved bytes of a conversation. Means but for `read_ms`; of a joined run the
mean of the data sets."""


def pareto(results: RunData, metric: Metric, cost: str) -> pd.DataFrame:
    """Return quality and cost of every strategy and budget, and which of them are on the front.

    A point is on the front if no other is at least as good at no more cost and better in one
    of both, by their means; `dominated_by` names the best of those that beat it.
    """
    import pandas as pd

    check_choice("cost", cost, COSTS)
    name, rows = spell(metric), []
    for (strategy, budget), at in results.groups.items():
        found = estimate(results, metric, at)
        row: dict[str, Any] = {"strategy": strategy, "budget": budget, name: found.mean}
        row |= {f"{name} low": found.low, f"{name} high": found.high}
        row |= {"n": found.n, "clusters": found.clusters}
        rows.append(row | {cost: COSTS[cost](results, (strategy, budget))})
    values, spent = ([float(row[column]) for row in rows] for column in (name, cost))
    beaten = beaten_by(values, spent, upward=more_is_better(metric))
    for row, value, price, best in zip(rows, values, spent, beaten, strict=True):
        known = not math.isnan(value) and not math.isnan(price)
        row["front"] = known and best is None
        row["dominated_by"] = "" if best is None else _label(rows[best], results)
    return pd.DataFrame(rows)


def beaten_by(values: Sequence[float], spent: Sequence[float], *, upward: bool) -> list[int | None]:
    """Return for each point the best of those that beat it; None for those on the front.

    >>> beaten_by([0.5, 0.9, 0.4], [10, 20, 15], upward=True)
    [None, None, 0]
    """
    pairs = zip(values, spent, strict=True)
    points = [(_rid(value if upward else -value), _rid(price)) for value, price in pairs]
    found: list[int | None] = []
    for point in points:
        better = [i for i, other in enumerate(points) if _beats(other, point)]
        found.append(min(better, key=lambda i: (-points[i][0], points[i][1]), default=None))
    return found


def _rid(value: float) -> float:
    """Rid a mean of its rounding: the same values in another order must not beat each other."""
    return float(f"{value:.12g}")


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] >= other[0] and one[1] <= other[1] and one != other


def _label(row: dict[str, Any], results: RunData) -> str:
    if len({budget for _, budget in results.groups}) == 1:
        return str(row["strategy"])
    return f"{row['strategy']} @{'none' if row['budget'] is None else row['budget']}"
