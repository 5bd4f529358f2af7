"""What becomes of each record under a metric: the denominator, stated and counted."""

from __future__ import annotations

from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from memlab.errors import ConfigError, suggest
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
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise ConfigError(f"k={k!r}", "a number of ranks, 1 or more, or None for all of them")


def check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    """Check a named option.

    Raises:
        ConfigError: a value that is not known.
    """
    if value not in known:
        raise ConfigError(f"{name}={value!r}", "one of " + ", ".join(known), suggest(value, known))
