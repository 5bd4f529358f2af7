"""A check of whether rankings turn round: one way as set, the other way at equal tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from memlab.board.evidence import ALPHA, Evidence
from memlab.board.scored import Scene, Scored
from memlab.board.strict import Table
from memlab.inference.multiple import benjamini_hochberg
from memlab.inference.sign_flip import sign_flip
from memlab.probewise import Pairs, pair
from memlab.rundata import RunData
from memlab.stats import Estimate, paired

_SHOWN = 8


class _Found(NamedTuple):
    names: tuple[str, str]
    here: Estimate
    there: Estimate
    turned: float
    kept: float
    change: Estimate


@dataclass(frozen=True, slots=True)
class Reversal:
    """At least one pair of strategies changes sides between two comparisons.

    `first` are strategies as set, compared at the budget; `second` the same strategies, in the
    same order, compared at `tokens` equal tokens; every pair is taken. A pair turns round if both
    differences are separated and have opposite signs: its p is the larger of the two sign
    flips, 1 for equal signs (an intersection-union test). p of the check is the smallest
    after Benjamini and Hochberg, which is that of Simes' test of all pairs together (Biometrika
    73, 1986). Contradicted if every pair is separated both times on one side. The effect is
    the change of the difference, of the pair that decides.
    """

    scored: Scored
    first: tuple[str, ...]
    second: tuple[str, ...]
    tokens: float

    @classmethod
    def read(cls, table: Table, scene: Scene) -> Reversal:
        """Read a check of this kind."""
        rows = []
        for key in ("first", "second"):
            labels = table.texts(key)
            for label in labels:
                scene.check(table, label)
            rows.append(labels)
        if len(rows[0]) != len(rows[1]) or len(rows[0]) < 2:
            sizes = f"{len(rows[0])} strategies first, {len(rows[1])} second"
            table.fault(sizes, "the same two or more, in one order")
        scored = Scored.read(table, scene)
        tokens = scored.tokens
        if not scored.metric or not isinstance(tokens, float):
            table.fault("a reversal", "a metric and a number of tokens for the second comparison")
            tokens = 1.0
        budget = scene.largest
        first = replace(scored, tokens=None, budget=budget, told=False)
        return cls(first, rows[0], rows[1], tokens)

    @property
    def labels(self) -> tuple[str, ...]:
        """The strategies it is about."""
        return (*self.first, *self.second)

    @property
    def title(self) -> str:
        """The check in words."""
        return f"{len(self.first)} strategies as set and at {self.tokens:g} tokens: {self.scored}"

    @property
    def expectation(self) -> str:
        """The expectation in words."""
        return "a pair turns round"

    @property
    def tested(self) -> bool:
        """It is a test, with a p."""
        return True

    @property
    def difference(self) -> bool:
        """Its effect is the change of a difference."""
        return True

    def measure(self, results: RunData) -> Evidence:
        """Return what a run says."""
        found = [self._compared(results, i, j) for i, j in combinations(range(len(self.first)), 2)]
        ps = benjamini_hochberg([one.turned for one in found]).tolist()
        ordered = sorted(zip(ps, found, strict=True), key=lambda one: (one[0], one[1].turned))
        p, best = ordered[0]
        against = max(one.kept for one in found)
        note = _words([one for q, one in ordered if q <= ALPHA] or [best], found, self.tokens)
        return Evidence(*best.change[:5], p, against, None, note)

    def _compared(self, results: RunData, i: int, j: int) -> _Found:
        here = self._pairs(results, (self.first[i], self.first[j]), self.scored)
        equal = replace(self.scored, tokens=self.tokens)
        there = self._pairs(results, (self.second[i], self.second[j]), equal)
        first, second = _tested(here), _tested(there)
        p = max(first[1], second[1])
        opposite = first[0].mean * second[0].mean < 0
        apart = paired(there.differences - here.differences, here.clusters, here.strata_if_several)
        names, both = (self.first[i], self.first[j]), (first[0], second[0])
        return _Found(names, *both, p if opposite else 1.0, 1.0 if opposite else p, apart)

    def _pairs(self, results: RunData, labels: tuple[str, str], scored: Scored) -> Pairs:
        ours, theirs = (scored.scores(results, label) for label in labels)
        return pair(ours, theirs)


def _tested(pairs: Pairs) -> tuple[Estimate, float]:
    values = (pairs.differences, pairs.clusters, pairs.strata_if_several)
    return paired(*values), sign_flip(*values).p


def _words(shown: list[_Found], found: list[_Found], tokens: float) -> str:
    def interval(one: Estimate) -> str:
        return f"{one.mean:+.3f} [{one.low:+.3f}, {one.high:+.3f}]".replace("-", "−")

    turned = sum(one.turned <= ALPHA for one in found)
    kept = sum(one.kept <= ALPHA for one in found)
    told = [
        f"{' − '.join(one.names)} {interval(one.here)} as set, {interval(one.there)} at "
        f"{tokens:g} tokens"
        for one in shown[:_SHOWN]
    ]
    more = [f"and {len(shown) - _SHOWN} more"] if len(shown) > _SHOWN else []
    rest = len(found) - turned - kept
    counts = f"{turned} of {len(found)} pairs turn round, {kept} keep their sides, {rest} are open"
    return "; ".join([counts, *told, *more])
