"""Evidence metrics: how much of the evidence a strategy returned, and how early.

All come from the one list a strategy returned, so none can break ties differently. Evidence
counts once, at its first accepted rank. With turns as items they agree with trec_eval.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np

from memlab.naming import component
from memlab.rankings import UNITS, Bools, Floats, Found, Rankings, Unit
from memlab.scoring import check_choice, check_k, settle

Empty = Literal["exclude", "zero"]


@component
class _Evidence(ABC):
    """The denominator of all evidence metrics.

    Probes without evidence are excluded and counted; `empty="zero"` counts them as 0 instead.
    `answerable_only=False` takes in the unanswerable (adversarial) probes. The published LoCoMo
    figures (n = 1,986) need both. Lists with unsourced items are NaN: not measurable.
    """

    unit: Unit = "turn"
    answerable_only: bool = True
    empty: Empty = "exclude"

    default: ClassVar[float] = 0.0
    higher_is_better: ClassVar[bool] = True
    definition: ClassVar[str] = ""

    def __call__(self, rankings: Rankings) -> Floats:
        """Return one value per record; NaN where excluded or not measurable.

        Raises:
            ConfigError: a parameter that cannot work.
        """
        self.check()
        found = rankings.found(self.unit)
        values = np.where(found.relevant > 0, self.score(found), 0.0)
        return settle(self, rankings, np.where(rankings.measurable, values, np.nan))

    def check(self) -> None:
        """Check the parameters; raise a ConfigError for the first that cannot work."""
        check_choice("unit", self.unit, UNITS)
        check_choice("empty", self.empty, ("exclude", "zero"))

    def applies(self, rankings: Rankings) -> Bools:
        """Tell which records are in the denominator."""
        known = (rankings.relevant(self.unit) > 0) | (self.empty == "zero")
        return known & (rankings.answerable | (not self.answerable_only))

    @abstractmethod
    def score(self, found: Found) -> Floats:
        """Return one value per record; what it holds for records without evidence is unused."""


@component
class _Depth:
    """The number of ranks looked at; None looks at all that were returned."""

    k: int | None = None


@component
class _AtK(_Evidence, _Depth):
    """An evidence metric over the first `k` ranks."""

    def check(self) -> None:
        """Check the parameters; raise a ConfigError for the first that cannot work."""
        check_k(self.k)
        super().check()

    def trivial(self, rankings: Rankings) -> Bools:
        """Tell where k takes in every candidate: recall is then 1 for any complete list."""
        return (self.k or np.inf) >= rankings.candidates(self.unit)

    def budget_bound(self, rankings: Rankings) -> Bools:
        """Tell where the budget ended the list before k ranks.

        Flagged, not None: 20 turns of 6 sessions leave sessions 7 to 10 unobserved, so the
        value is a lower bound, and dropping it would reward strategies with long items.
        """
        return rankings.cut & (rankings.returned(self.unit) < (self.k or 0))


def _share(part: Floats, whole: Floats) -> Floats:
    return part / np.maximum(whole, 1)
