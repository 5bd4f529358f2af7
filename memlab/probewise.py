"""The score of every probe under a strategy: what comparisons pair."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memlab.errors import ConfigError, suggest
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rundata import RunData
from memlab.tokencurves import Tokens, mixed, out_of_range

Floats = NDArray[np.float64]


class Key(NamedTuple):
    """A probe of a run."""

    dataset: str
    conversation: str
    probe: str


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """A value for each probe, NaN where it has none: `values` (n,)."""

    keys: tuple[Key, ...]
    values: Floats

    def kept(self, chosen: frozenset[Key]) -> Scores:
        """Return the scores of some probes."""
        at = [i for i, key in enumerate(self.keys) if key in chosen]
        return Scores(tuple(self.keys[i] for i in at), self.values[at])


class Source(Protocol):
    """What can be compared: a run, or the mean of several that differ in their seed."""

    @property
    def labels(self) -> list[str]:
        """The strategies."""
        ...

    @property
    def budgets(self) -> list[int | None]:
        """The budgets."""
        ...

    def scores(
        self, metric: Metric, strategy: str, budget: int | None, tokens: Tokens | None = None
    ) -> Scores:
        """Return the score of every probe; at equal tokens the budget does not matter."""
        ...

    def failed(self, strategy: str, budget: int | None, tokens: Tokens | None) -> tuple[int, int]:
        """Return how many reads failed, and of how many; at equal tokens of all budgets."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class OfRun:
    """The scores of one run; `apart` where its data sets are compared one by one.

    Else a strategy has no value at equal tokens if that of one data set is not known: the mean
    of the others would stand beside means of all.
    """

    results: RunData
    apart: bool = False

    @property
    def labels(self) -> list[str]:
        """The strategies of the run."""
        return list(dict.fromkeys(label for label, _ in self.results.groups))

    @property
    def budgets(self) -> list[int | None]:
        """The budgets of the run."""
        return list(dict.fromkeys(budget for _, budget in self.results.groups))

    def scores(
        self, metric: Metric, strategy: str, budget: int | None, tokens: Tokens | None = None
    ) -> Scores:
        """Return the score of every probe."""
        groups = self.results.groups
        if tokens is None:
            at = self._at(strategy, budget)
            values = self.results.values(metric)[at]
        else:
            at = next(at for (label, _), at in groups.items() if label == strategy)
            values = mixed(self.results, metric, strategy, tokens)
            if self.results.homes and not self.apart:
                lost = out_of_range(self.results, metric, tokens, [strategy])
                values = np.full(len(at), np.nan) if lost else values
        if infinite := int(np.isinf(values).sum()):
            raise ConfigError(
                f"{spell(metric)} is infinite for {infinite} probes of {strategy!r}",
                "finite numbers, or NaN for no value",
            )
        records = (self.results.records[i] for i in at)
        keys = (Key(record.dataset, record.conversation, record.probe) for record in records)
        return Scores(tuple(keys), values)

    def failed(self, strategy: str, budget: int | None, tokens: Tokens | None) -> tuple[int, int]:
        """Return how many reads failed, and of how many."""
        budgets = [budget] if tokens is None else self.budgets
        positions = [self._at(strategy, one) for one in budgets]
        failures = (int(self.results.rankings.failed[at].sum()) for at in positions)
        return sum(failures), sum(map(len, positions))

    def _at(self, strategy: str, budget: int | None) -> NDArray[np.intp]:
        found = self.results.groups.get((strategy, budget))
        if found is None:
            raise ConfigError(
                f"{strategy!r} was not run with budget={budget!r}", "the same budgets"
            )
        return found


class Pairs(NamedTuple):
    """Probes that two strategies have both been asked, with the values of each."""

    clusters: Sequence[Hashable]
    strata: Sequence[Hashable]
    ours: Floats
    theirs: Floats

    @property
    def differences(self) -> Floats:
        """Ours minus theirs, NaN where either has no value."""
        return self.ours - self.theirs

    @property
    def strata_if_several(self) -> Sequence[Hashable] | None:
        """The data set of each pair; None for a single one."""
        return self.strata if len(set(self.strata)) > 1 else None

    @property
    def unpaired(self) -> tuple[str, ...]:
        """The data sets of a joined run in which no pair has both values."""
        known = set(self.known().strata)
        lost = [name for name in dict.fromkeys(self.strata) if name not in known]
        return tuple(map(str, lost)) if self.strata_if_several else ()

    def known(self) -> Pairs:
        """Return the pairs in which both have a value."""
        at = np.flatnonzero(~np.isnan(self.differences)).tolist()
        clusters, strata = ([column[i] for i in at] for column in (self.clusters, self.strata))
        return Pairs(clusters, strata, self.ours[at], self.theirs[at])


def pair(ours: Scores, theirs: Scores) -> Pairs:
    """Match two strategies' scores by probe.

    Raises:
        ConfigError: they were not asked the same probes.
    """
    place = {key: i for i, key in enumerate(theirs.keys)}
    if len(place) != len(ours.keys) or any(key not in place for key in ours.keys):
        common = sum(key in place for key in ours.keys)
        raise ConfigError(
            f"{common} common probes of {len(ours.keys)} and {len(theirs.keys)}",
            "strategies that were asked the same probes",
        )
    order = [place[key] for key in ours.keys]
    clusters = [(key.dataset, key.conversation) for key in ours.keys]
    strata = [key.dataset for key in ours.keys]
    return Pairs(clusters, strata, ours.values, theirs.values[order])


def check_labels(names: Sequence[str], known: Sequence[str], what: str = "strategy") -> list[str]:
    """Return one fault for every name that is none of those known."""
    return [
        f"no {what} {name!r} in this run; {suggest(str(name), known)}"
        for name in dict.fromkeys(names)
        if name not in known
    ]
