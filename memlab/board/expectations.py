"""What a claim expects of a mean or of a mean difference, and how data speak on it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memlab.board.evidence import Evidence
from memlab.board.strict import Table
from memlab.inference.sign_flip import sign_flip
from memlab.stats import Estimate, paired

SIGNS = ("greater", "less")
LIMITS = ("at least", "at most")
RULES = ("always", "never above", "never below")
EXPECTATIONS = (*SIGNS, "equal", *LIMITS, *RULES)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a mean, or a mean difference, is expected to be.

    `greater`, `less`: the difference, by a sign flip test. `equal`: the mean is `value` (0)
    within `margin`, by two one-sided t tests. `at least`, `at most`: the mean lies beyond
    `value`, by a one-sided t test. `always`, `never above`, `never below`: every single value.
    """

    kind: str
    value: float = 0.0
    margin: float = 0.0

    @classmethod
    def read(cls, table: Table, *, paired: bool) -> Expectation:
        """Read `expect` with `value` and `margin`; `paired` tells whether there is a baseline."""
        kind = table.choice("expect", EXPECTATIONS)
        if kind in SIGNS and not paired:
            table.fault(f"expect = {kind!r} without a baseline", "a baseline, or 'at least'")
        needed = kind in (*LIMITS, *RULES)
        allowed = needed or kind == "equal"
        if not allowed and "value" in table:
            table.fault(f"value with expect = {kind!r}", "'at least', 'at most', 'always' …")
        value = table.number("value") if needed else table.number("value", 0.0)
        margin = table.number("margin") if kind == "equal" else table.number("margin", 0.0)
        if kind == "equal" and not (margin and margin > 0):
            table.fault(f"margin = {margin!r}", "a number above 0, as 0.02")
        elif kind != "equal" and "margin" in table:
            table.fault(f"margin with expect = {kind!r}", "expect = 'equal'")
        return cls(kind, value or 0.0, margin or 0.0)

    @property
    def tested(self) -> bool:
        """Whether it is a test, with a p."""
        return self.kind not in RULES

    def __str__(self) -> str:
        if self.kind in SIGNS:
            return self.kind
        if self.kind == "equal":
            return f"{self.value:g} ± {self.margin:g}" if self.value else f"equal ± {self.margin:g}"
        return f"{self.kind} {self.value:g}"

    def evidence(
        self,
        values: NDArray[np.float64],
        clusters: Sequence[Hashable],
        strata: Sequence[Hashable] | None = None,
    ) -> Evidence:
        """Return what values or differences (n,) say, NaN left out."""
        if self.kind in RULES:
            return self._of_each(values, clusters)
        found = paired(values, clusters, strata)
        if self.kind in SIGNS:
            favour, against, note = self._by_sign(values, clusters, strata, found)
        else:
            favour, against, note = self._by_limit(found)
        return Evidence(*found[:5], favour, against, None, note)

    def _of_each(self, values: NDArray[np.float64], clusters: Sequence[Hashable]) -> Evidence:
        known = ~np.isnan(values)
        own = values[known]
        held = {
            "always": np.isclose(own, self.value, rtol=0, atol=1e-9),
            "never above": own <= self.value + 1e-9,
            "never below": own >= self.value - 1e-9,
        }[self.kind]
        groups = len({c for c, k in zip(clusters, known.tolist(), strict=True) if k})
        broken = int(np.sum(~held))
        share = broken / len(own) if len(own) else math.nan
        note = f"{broken:,} of {len(own):,} break the rule" if len(own) else ""
        if len(own):
            note += f"; values from {own.min():.4g} to {own.max():.4g}"
        return Evidence(share, math.nan, math.nan, len(own), groups, certain=not broken, note=note)

    def _by_sign(
        self,
        values: NDArray[np.float64],
        clusters: Sequence[Hashable],
        strata: Sequence[Hashable] | None,
        found: Estimate,
    ) -> tuple[float, float, str]:
        flipped = sign_flip(values, clusters, strata)
        if not found.n or found.mean == 0:
            return flipped.p, flipped.p, flipped.note
        wished = (found.mean > 0) == (self.kind == "greater")
        return (flipped.p, 1.0, flipped.note) if wished else (1.0, flipped.p, flipped.note)

    def _by_limit(self, found: Estimate) -> tuple[float, float, str]:
        apart = found.mean - self.value
        beyond = {"equal": self.margin - abs(apart), "at least": apart, "at most": -apart}
        favour = _tail(beyond[self.kind], found)
        return favour, 1.0 - favour, "no spread" if found.se == 0 else ""


def _tail(beyond: float, found: Estimate) -> float:
    """Return the one-sided p of a mean that lies beyond a limit by so much (CR3, t)."""
    from scipy.special import stdtr

    if math.isnan(found.se) or math.isnan(beyond):
        return math.nan
    if found.se == 0:
        return 0.0 if beyond >= 0 else 1.0
    return float(stdtr(found.df, -beyond / found.se))
