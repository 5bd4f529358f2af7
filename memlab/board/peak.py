"""A check of where a curve has its top: the best of a row of settings, or of two rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memlab.board.evidence import Evidence
from memlab.board.scored import Scene, Scored
from memlab.board.strict import Table
from memlab.errors import ConfigError
from memlab.inference.clusters import numbered
from memlab.rundata import RunData

Floats = NDArray[np.float64]
DRAWS = 10_000
EXPECTATIONS = ("between", "different", "greater", "less")


@dataclass(frozen=True, slots=True)
class Peak:
    """The setting x with the best mean, over labels with their x; with `rival`, minus its x.

    The interval is that of a bootstrap of conversations: in every draw the best setting is
    found anew. p is the share of draws that contradict the expectation, of `different` twice
    the smaller share on either side of 0.
    """

    scored: Scored
    over: Mapping[str, float]
    rival: Mapping[str, float]
    expect: str
    low: float = -math.inf
    high: float = math.inf

    @classmethod
    def read(cls, table: Table, scene: Scene) -> Peak:
        """Read a check of this kind."""
        over = _settings(table, "over", scene)
        rival = _settings(table, "rival", scene) if "rival" in table else {}
        expect = table.choice("expect", EXPECTATIONS)
        if (expect == "between") == bool(rival):
            table.fault(f"expect = {expect!r}", "'between' for one row, the others with a rival")
        low, high = -math.inf, math.inf
        if expect == "between":
            low, high = _range(table)
        if scene.several:
            table.fault("a peak over several data sets", "one data set")
        return cls(Scored.read(table, scene), over, rival, expect, low, high)

    @property
    def labels(self) -> tuple[str, ...]:
        """The strategies it is about."""
        return (*self.over, *self.rival)

    @property
    def title(self) -> str:
        """The check in words."""
        rows = [f"{next(iter(row))} … {list(row)[-1]}" for row in (self.over, self.rival) if row]
        return f"best of {' − best of '.join(rows)}: {self.scored}"

    @property
    def expectation(self) -> str:
        """The expectation in words."""
        return f"{self.low:g} to {self.high:g}" if self.expect == "between" else self.expect

    @property
    def tested(self) -> bool:
        """It is a test, with a p."""
        return True

    @property
    def difference(self) -> bool:
        """Whether its effect is a difference."""
        return bool(self.rival)

    def measure(self, results: RunData) -> Evidence:
        """Return what a run says.

        Raises:
            ConfigError: nothing to score, or settings that are not scored on the same probes.
        """
        sums, counts, n = self._by_conversation(results)
        groups = len(sums)
        if not n:
            return Evidence(math.nan, math.nan, math.nan, 0, 0)
        drawn = np.random.default_rng(0).multinomial(groups, [1 / groups] * groups, DRAWS)
        best = self._best(np.ones((1, groups)), sums, counts)[0]
        found = self._best(drawn.astype(np.float64), sums, counts)
        low, high = np.quantile(found, [0.025, 0.975], method="inverted_cdf")
        favour, against = self._speak(found)
        return Evidence(best, float(low), float(high), n, groups, favour, against)

    def _by_conversation(self, results: RunData) -> tuple[Floats, Floats, int]:
        """Return sums (G, L) and counts (G,) over the probes that all settings scored."""
        scored = [self.scored.scores(results, label) for label in self.labels]
        keys = scored[0].keys
        if other := [
            label for label, one in zip(self.labels, scored, strict=True) if one.keys != keys
        ]:
            told = f"{self.labels[0]} and {', '.join(other)} are scored on other probes"
            raise ConfigError(told, "the same probes under every setting")
        values = np.stack([one.values for one in scored], axis=1)
        known: NDArray[np.bool_] = np.asarray(~np.isnan(values).any(axis=1))
        codes = numbered([key.conversation for key in keys], known)
        counts = np.bincount(codes).astype(np.float64)
        columns = values[known].T
        of_each = [np.bincount(codes, column, len(counts)) for column in columns]
        sums: Floats = np.stack(of_each, axis=1).astype(np.float64)
        return sums, counts, int(known.sum())

    def _best(self, weights: Floats, sums: Floats, counts: Floats) -> Floats:
        """Return the best x for each row of weights of the conversations."""
        means = (weights @ sums) / (weights @ counts)[:, None]
        split = len(self.over)
        found = np.array(list(self.over.values()))[_top(means[:, :split])]
        if self.rival:
            found = found - np.array(list(self.rival.values()))[_top(means[:, split:])]
        return found

    def _speak(self, found: Floats) -> tuple[float, float]:
        def share(kept: NDArray[np.bool_]) -> float:
            return float((1 + np.sum(kept)) / (1 + len(found)))

        below, above = share(found <= 0), share(found >= 0)
        if self.expect == "different":
            return min(1.0, 2 * min(below, above)), math.nan
        if self.expect == "between":
            inside = (found >= self.low) & (found <= self.high)
            return share(~inside), share(inside)
        return (below, above) if self.expect == "greater" else (above, below)


def _top(means: Floats) -> NDArray[np.intp]:
    """Return the first of the best columns; equal up to rounding counts as equal."""
    best = means.max(axis=1, keepdims=True)
    found: NDArray[np.intp] = np.argmax(means >= best - 1e-12, axis=1)
    return found


def _settings(table: Table, key: str, scene: Scene) -> dict[str, float]:
    row = table.mapping(key)
    for label, x in row.items():
        scene.check(table, label)
        if not isinstance(x, int | float) or isinstance(x, bool):
            table.fault(f"{key}: {label!r} = {x!r}", "a number, the setting")
    if 0 < len(row) < 3:
        table.fault(f"{key} has {len(row)} settings", "three or more")
    return {k: float(x) for k, x in row.items() if isinstance(x, int | float)}


def _range(table: Table) -> tuple[float, float]:
    given = table.value("between")
    numbers = isinstance(given, list) and all(isinstance(x, int | float) for x in given)
    if not numbers or len(given) != 2 or given[0] > given[1]:
        table.fault(f"between = {given!r}", "[low, high], two settings")
        return -math.inf, math.inf
    return float(given[0]), float(given[1])
