"""What the pictures of a run say in words: titles, notes, and which strategies they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memlab.errors import ConfigError, Faults, suggest
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rundata import RunData
from memlab.stats import FEW

if TYPE_CHECKING:
    import pandas as pd

Probes = set[tuple[str, str]]
"""Conversations and ids of probes."""


def labels(results: RunData) -> list[str]:
    """Return the strategies of a run in its order, those without records among them."""
    found = [label for label, _ in results.groups]
    return list(dict.fromkeys([*found, *(facts["strategy"] for facts in results.facts)]))


def check(results: RunData, strategies: Sequence[str] | None) -> list[str]:
    """Return the strategies that are asked for, each once; None stands for all of the run.

    Raises:
        ConfigError: no strategies.
        Faults: labels that the run has not.
    """
    known = labels(results)
    if strategies is None:
        return known
    if not strategies:
        raise ConfigError("strategies=[]", "labels of this run, or None for all")
    asked = list(dict.fromkeys(strategies))
    faults = [
        str(ConfigError(f"no strategy {name!r} in this run", "", suggest(name, known)))
        for name in asked
        if name not in known
    ]
    if faults:
        raise Faults(faults, "this picture cannot be drawn")
    return asked


def chosen(results: RunData, table: pd.DataFrame, strategies: Sequence[str] | None) -> pd.DataFrame:
    """Return the rows of some strategies, in the order in which these are given.

    Raises:
        ConfigError: as `check`.
    """
    if strategies is None:
        return table
    order = {name: at for at, name in enumerate(check(results, strategies))}
    kept = table[table["strategy"].isin(order)]
    return kept.sort_values("strategy", key=lambda column: column.map(order), kind="stable")


def scored(results: RunData, metric: Metric) -> Probes:
    """Return the probes on which a metric has a value for some strategy.

    Raises:
        ConfigError: there are none.
    """
    known = ~np.isnan(results.values(metric))
    found = {
        (r.conversation, r.probe) for r, one in zip(results.records, known, strict=True) if one
    }
    if not found:
        raise ConfigError(f"{spell(metric)} has no value on any probe", "a metric of these data")
    return found


def headline(results: RunData, counted: str, *, budgets: Sequence[int | None] | None = None) -> str:
    """Return the title of a picture: the data, the budgets (by default all), what was counted."""
    from memlab.figures.curves import budget_text

    name = results.manifest.get("dataset", {}).get("name", "")
    if budgets is None:
        budgets = limits(results)
    told = budget_text(budgets) if budgets else ""
    return " · ".join(filter(None, (name, told, counted)))


def limits(results: RunData) -> list[int | None]:
    """Return the budgets of a run in its order."""
    return list(dict.fromkeys(budget for _, budget in results.groups))


def counted(probes: Probes) -> str:
    """Return how many probes of how many conversations there are."""
    talks = conversations(talk for talk, _ in probes)
    return f"n = {len(probes):,} probe{'s' if len(probes) != 1 else ''} in {talks}"


def conversations(names: Iterable[str]) -> str:
    """Return how many conversations there are.

    >>> conversations(["a", "b", "a"])
    '2 conversations'
    """
    count = len(set(names))
    return f"{count:,} conversation{'s' if count != 1 else ''}"


def intervals(drawn: pd.DataFrame, column: str, *, mark: str = "bar") -> str:
    """Say what the intervals are, and where there are none and why."""
    none = drawn[f"{column} low"].isna()
    few = f"fewer than {FEW} conversations"
    if "clusters" in drawn and (drawn["clusters"][none] >= FEW).any():
        few += " in one of the data sets"
    if none.all():
        return f"no intervals: {few} behind each point"
    left = f"; none with {few}" if none.any() else ""
    return f"{mark}: 95 % interval, conversations as clusters (CR3, t){left}"


def failures(results: RunData, metric: Metric, shown: Iterable[str]) -> Iterator[str]:
    """Yield how many failed reads are behind the points, and what they score."""
    names, values = set(shown), results.values(metric)
    at = [i for i, r in enumerate(results.records) if r.error is not None and r.strategy in names]
    if at:
        out = int(np.isnan(values[at]).sum())
        scores = {f"{value:g}" for value in values[at] if not np.isnan(value)}
        told = [f"{len(at) - out:,} score {' or '.join(sorted(scores))}"] if scores else []
        told += [f"{out:,} are left out"] if out else []
        yield f"failed reads: {len(at):,}, of which {' and '.join(told)}"


def left_out(names: Iterable[str], why: str) -> Iterator[str]:
    """Yield which strategies or categories are not shown, and why."""
    listed = list(dict.fromkeys(names))
    if listed:
        more = f" and {len(listed) - 5} more" if len(listed) > 5 else ""
        yield f"not shown: {', '.join(listed[:5])}{more} ({why})"


def side_by_side(results: RunData) -> str:
    """Return a warning where units ran beside each other, which slows them all."""
    jobs = results.manifest.get("jobs", 1)
    return f"measured with {jobs} units side by side" if jobs > 1 else ""
