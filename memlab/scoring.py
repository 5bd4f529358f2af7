"""What becomes of each record under a metric: the denominator, stated and counted."""

from __future__ import annotations

from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from memlab.checking import check_whole
from memlab.errors import ConfigError
from memlab.naming import spell
from memlab.parsing import parse
from memlab.protocols import Metric
from memlab.rankings import Bools, Floats, Rankings


@runtime_checkable
class Scoped(Protocol):
    """A metric that says which records it is about and what a failure scores.

    `default` is the value of a failed record; NaN leaves failures out, for metrics where an
    empty context would look good. `definition` is one line for exports.
    """

    default: ClassVar[float]
    higher_is_better: ClassVar[bool]
    definition: ClassVar[str]

    def applies(self, rankings: Rankings) -> Bools:
        """Tell which records are in the denominator."""
        ...


@runtime_checkable
class Cut(Protocol):
    """A metric over the first k ranks, which may be more ranks than there could be."""

    def trivial(self, rankings: Rankings) -> Bools:
        """Tell where k takes in every candidate, so that any complete list scores best."""
        ...

    def budget_bound(self, rankings: Rankings) -> Bools:
        """Tell where the budget ended the list before k ranks."""
        ...


class Tally(NamedTuple):
    """How many records a metric counted (`n`), and why it left out the others.

    n + excluded + unanswerable + unmeasurable + (failures whose default is NaN) is the number
    of records; other failures are part of n. `trivial` and `budget_bound` are parts of n.
    """

    n: int
    excluded: int
    unanswerable: int
    unmeasurable: int
    failed: int
    trivial: int
    budget_bound: int


def settle(metric: Scoped, rankings: Rankings, values: Floats) -> Floats:
    """Return values with the metric's default for failures and NaN outside its scope."""
    values = np.where(rankings.failed, metric.default, values)
    return np.where(metric.applies(rankings), values, np.nan)


def tally(metric: Metric, rankings: Rankings, values: Floats | None = None) -> Tally:
    """Count what became of the records; `values` spares computing the metric again.

    A plain function is a metric about every record.
    """
    if values is None:
        values = metric(rankings)
    counted = ~np.isnan(values)
    everything = np.ones(len(rankings), dtype=np.bool_)
    applies = metric.applies(rankings) if isinstance(metric, Scoped) else everything
    unanswerable = ~applies & ~rankings.answerable
    trivial = metric.trivial(rankings) if isinstance(metric, Cut) else ~everything
    bound = metric.budget_bound(rankings) if isinstance(metric, Cut) else ~everything
    return Tally(
        n=int(counted.sum()),
        excluded=int((~applies & rankings.answerable).sum()),
        unanswerable=int(unanswerable.sum()),
        unmeasurable=int((applies & ~counted & ~rankings.failed).sum()),
        failed=int((applies & rankings.failed).sum()),
        trivial=int((counted & trivial).sum()),
        budget_bound=int((counted & bound).sum()),
    )


def check_k(k: int | None) -> None:
    """Check a number of ranks.

    Raises:
        ConfigError: anything but None or an integer of at least 1.
    """
    if k is not None:
        check_whole("k", k, least=1)


def as_metric(value: Metric | str) -> Metric:
    """Return a metric, read from its repr if need be, after checking its parameters.

    Raises:
        ConfigError: not a metric, a parameter that cannot work, or a function without a name.
    """
    metric: Metric = parse(value) if isinstance(value, str) else value
    if isinstance(metric, type) or not callable(metric):
        raise ConfigError(f"{value!r} is not a metric", "a metric such as Recall(k=5)")
    if "<lambda>" in spell(metric):
        raise ConfigError("a lambda as metric", "a named function, or a @component")
    check = getattr(metric, "check", None)
    if callable(check):
        check()
    return metric


def definition(metric: Metric) -> dict[str, str | bool | float | None]:
    """Return what a metric is, for exports; a plain function has its docstring alone.

    A direction counts whoever states it: a verdict must not turn it round.
    """
    if not isinstance(metric, Scoped):
        about: dict[str, str | bool | float | None]
        about = {"definition": (metric.__doc__ or "").partition("\n")[0]}
        stated = getattr(metric, "higher_is_better", None)
        return about if stated is None else about | {"higher_is_better": bool(stated)}
    default = metric.default
    return {
        "definition": metric.definition,
        "failed_read_scores": None if np.isnan(default) else default,
        "higher_is_better": metric.higher_is_better,
    }


def more_is_better(metric: Metric) -> bool:
    """Tell whether more of a metric is better."""
    return bool(definition(metric).get("higher_is_better", True))
