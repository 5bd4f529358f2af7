"""Evidence metrics: how much of the evidence a strategy returned, and how early.

All come from the one list a strategy returned, so none can break ties differently. Evidence
counts once, at its first accepted rank. With turns as items they agree with trec_eval.

In the formulas E is the evidence of a probe (turns or sessions), r(e) the rank of a piece of it,
from 1, infinite if it was not returned, n the ranks returned; [x] is 1 if x holds, else 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np

from memlab.checking import check_choice, check_flag
from memlab.naming import component
from memlab.rankings import UNITS, Bools, Floats, Found, Ints, Rankings, Unit
from memlab.scoring import check_k, settle

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
        check_flag("answerable_only", self.answerable_only)

    def applies(self, rankings: Rankings) -> Bools:
        """Tell which records are in the denominator: the same ones for turns and sessions."""
        known = rankings.evident | (self.empty == "zero")
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
        if self.k is None:
            return np.zeros(len(rankings), dtype=np.bool_)
        return (rankings.candidates(self.unit) <= self.k) & ~rankings.failed

    def budget_bound(self, rankings: Rankings) -> Bools:
        """Tell where the budget ended the list before k ranks.

        Flagged, not None: 20 turns of 6 sessions leave ranks 7 to 10 of the sessions unseen, so
        the value is a lower bound; dropping it would favour strategies that return few sessions.
        """
        return rankings.cut & (rankings.returned(self.unit) < (self.k or 0))


@component
class Recall(_AtK):
    r"""Share of the evidence found among the first `k` ranks ("fractional" recall).

    Formula: \frac{|\{e \in E : r(e) \le k\}|}{|E|}

    Source: Manning, Raghavan and Schütze (2008), "Introduction to Information Retrieval", ch. 8.

    >>> from memlab.types import Record
    >>> made = Record(strategy="s", conversation="c", probe="q", budget=None,
    ...               evidence=("t1", "t4"), ranked=("t4", "t2"))
    >>> Recall(k=5)(Rankings.of([made])).tolist()
    [0.5]
    """

    definition: ClassVar[str] = "fractional: distinct evidence in the first k ranks / evidence"

    def score(self, found: Found) -> Floats:
        """Return hits within k / evidence."""
        return _share(found.within(self.k), found.relevant)


@component
class RecallAny(_AtK):
    r"""Whether any evidence is among the first `k` ranks: hit@k, success@k.

    `RecallAny()` is the hit rate: the share of probes whose context holds evidence.

    Formula: \left[\min_{e \in E} r(e) \le k\right]

    Source: `success` of trec_eval; `recall_any` of Wu et al. (2025), "LongMemEval", ICLR.
    """

    definition: ClassVar[str] = "any: 1 if the first k ranks hold evidence (hit rate)"

    def score(self, found: Found) -> Floats:
        """Return 1 for a hit within k."""
        return (found.within(self.k) > 0).astype(np.float64)


@component
class RecallAll(_AtK):
    r"""Whether all evidence is among the first `k` ranks.

    Formula: \left[\max_{e \in E} r(e) \le k\right]

    Source: `recall_all` of Wu et al. (2025), "LongMemEval", ICLR, arXiv 2410.10813.
    """

    definition: ClassVar[str] = "all: 1 if the first k ranks hold all evidence"

    def score(self, found: Found) -> Floats:
        """Return 1 for all evidence within k."""
        return np.equal(found.within(self.k), found.relevant).astype(np.float64)


@component
class Precision(_AtK):
    r"""Hits among the first `k` ranks, divided by k even where fewer were returned.

    `k=None` divides by the ranks returned; 0 if there are none.

    Formula: \frac{|\{e \in E : r(e) \le k\}|}{k}

    Source: Manning, Raghavan and Schütze (2008), "Introduction to Information Retrieval", ch. 8.
    """

    definition: ClassVar[str] = "hits in the first k ranks / k; without k: hits / ranks returned"

    def score(self, found: Found) -> Floats:
        """Return hits within k / k."""
        whole = found.returned if self.k is None else np.full_like(found.returned, self.k)
        return _share(found.within(self.k), whole)


@component
class RPrecision(_Evidence):
    r"""Precision at as many ranks as there is evidence.

    Formula: \frac{|\{e \in E : r(e) \le |E|\}|}{|E|}

    Source: Manning, Raghavan and Schütze (2008), "Introduction to Information Retrieval", ch. 8.
    """

    definition: ClassVar[str] = "hits in the first R ranks / R, R = amount of evidence"

    def score(self, found: Found) -> Floats:
        """Return hits within R / R."""
        return _share(found.within(found.relevant), found.relevant)


@component
class MRR(_AtK):
    r"""Reciprocal rank of the first evidence; 0 if the first `k` ranks hold none.

    The mean over probes is the mean reciprocal rank.

    Formula: \frac{\left[\min_{e \in E} r(e) \le k\right]}{\min_{e \in E} r(e)}

    Source: Voorhees (1999), "The TREC-8 Question Answering Track Report".
    """

    definition: ClassVar[str] = "1 / rank of the first evidence; 0 beyond rank k"

    def score(self, found: Found) -> Floats:
        """Return 1 / first rank."""
        first = found.first()
        return np.where(first < (self.k or np.inf), 1.0 / (first + 1.0), 0.0)


@component
class NDCG(_AtK):
    r"""Normalised discounted cumulative gain, binary gain, discount log2(rank + 1).

    Formula: \frac{\sum_{e \in E,\, r(e) \le k} 1 / \log_2(r(e) + 1)}
        {\sum_{i=1}^{\min(|E|, k)} 1 / \log_2(i + 1)}

    Source: Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques",
        TOIS 20; with the discount of trec_eval.
    """

    definition: ClassVar[str] = "binary gain / log2(rank + 1); ideal over all evidence, cut at k"

    def score(self, found: Found) -> Floats:
        """Return gain / ideal gain."""
        most = max(int(found.relevant.max(initial=1)), 1)
        ideal = np.cumsum(1.0 / np.log2(np.arange(most) + 2.0))
        reached = np.minimum(np.maximum(found.relevant, 1), self.k or most)
        gains: Floats = found.total(1.0 / np.log2(found.ranks + 2.0), self.k)
        share: Floats = gains / ideal[reached - 1]
        return share


@component
class AP(_AtK):
    r"""Average precision: the mean, over all evidence, of the precision where it was found.

    Evidence that was not found within `k` adds 0. The mean of AP over probes is MAP.

    Formula: \frac{1}{|E|} \sum_{e \in E,\, r(e) \le k}
        \frac{|\{f \in E : r(f) \le r(e)\}|}{r(e)}

    Source: Manning, Raghavan and Schütze (2008), "Introduction to Information Retrieval", ch. 8.
    """

    definition: ClassVar[str] = "sum of precision at each hit in the first k ranks / evidence"

    def score(self, found: Found) -> Floats:
        """Return the summed precision / evidence."""
        precisions = found.ordinals() / (found.ranks + 1.0)
        return _share(found.total(precisions, self.k), found.relevant)


def _share(part: Ints | Floats, whole: Ints) -> Floats:
    share: Floats = part / np.maximum(whole, 1)
    return share
