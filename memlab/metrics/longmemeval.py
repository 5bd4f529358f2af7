"""What LongMemEval's own scripts compute, where no usual metric is equal to it.

Wu et al., ICLR 2025, arXiv 2410.10813: `src/retrieval/eval_utils.py` of the authors' code.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from memlab.checking import check_choice, check_flag
from memlab.naming import component
from memlab.rankings import UNITS, Bools, Floats, Ints, Rankings, Unit
from memlab.scoring import check_k, settle
from memlab.types import Record

Empty = Literal["exclude", "zero"]
MEASURES = ("recall_any", "recall_all", "ndcg_any")


@component
class _Official:
    """The denominator: answerable probes with evidence; `empty="zero"` takes in the others."""

    k: int | None = None
    answerable_only: bool = True
    empty: Empty = "exclude"

    default: ClassVar[float] = 0.0
    higher_is_better: ClassVar[bool] = True

    def check(self) -> None:
        """Check the parameters; raise a ConfigError for the first that cannot work."""
        check_k(self.k)
        check_choice("empty", self.empty, ("exclude", "zero"))
        check_flag("answerable_only", self.answerable_only)

    def applies(self, rankings: Rankings) -> Bools:
        """Tell which records are in the denominator."""
        known = rankings.evident | (self.empty == "zero")
        return known & (rankings.answerable | (not self.answerable_only))

    def _settled(self, rankings: Rankings, values: Floats) -> Floats:
        values = np.where(rankings.evident, values, 0.0)
        return settle(self, rankings, np.where(rankings.measurable, values, np.nan))  # type: ignore[arg-type]


@component
class NDCGAny(_Official):
    r"""LongMemEval's `ndcg_any`: binary gain, divided by 1 at rank 1 and by log2(rank) after it.

    So ranks 1 and 2 weigh the same. That is the first form of Järvelin and Kekäläinen (TOIS 20,
    2002) with base 2, and not `NDCG`, which divides by log2(rank + 1): for one piece of evidence
    at rank 2 it is 1, there 0.63.

    Formula: \frac{\sum_{e \in E,\, r(e) \le k} 1 / \max(1, \log_2 r(e))}
        {\sum_{i=1}^{\min(|E|, k)} 1 / \max(1, \log_2 i)}

    Source: Wu et al. (2025), "LongMemEval", ICLR, arXiv 2410.10813: the authors' scripts.
    """

    unit: Unit = "turn"

    definition: ClassVar[str] = (
        "binary gain / max(1, log2(rank)); ideal over all evidence, cut at k"
    )

    def check(self) -> None:
        """Check the parameters; raise a ConfigError for the first that cannot work."""
        check_choice("unit", self.unit, UNITS)
        super().check()

    def __call__(self, rankings: Rankings) -> Floats:
        """Return one value per record; NaN where excluded or not measurable."""
        self.check()
        found = rankings.found(self.unit)
        gains = found.total(_weights(found.ranks), self.k)
        return self._settled(rankings, gains / _ideal(found.relevant, self.k))

    def trivial(self, rankings: Rankings) -> Bools:
        """Tell where k takes in every candidate."""
        return _trivial(rankings, self.unit, self.k)

    def budget_bound(self, rankings: Rankings) -> Bools:
        """Tell where the budget ended the list before k ranks."""
        return rankings.cut & (rankings.returned(self.unit) < (self.k or 0))


@component
class TurnToSession(_Official):
    r"""LongMemEval's session level for rankings of turns, with its peculiarities.

    The list is followed until it has named k sessions. A session counts once for its marked
    (evidence) turns and once for its other turns, because the scripts rename the latter, and
    it is found by a marked turn alone. `ndcg_any` is that of turns, over the longer list.
    `RecallAll(k, unit="session")` is the same question asked plainly: any turn finds it.

    With d the number of ranks that name k sessions in this way, s(e) the session of a turn and
    F the evidence turns found, `recall_any` asks whether F is empty, `recall_all` as follows.

    Formula: \left[\{s(e) : e \in F\} \supseteq \{s(e) : e \in E\}\right],
        \quad F = \{e \in E : r(e) \le d\}

    Source: Wu et al. (2025), "LongMemEval", ICLR, arXiv 2410.10813: the authors' scripts.
    """

    measure: Literal["recall_any", "recall_all", "ndcg_any"] = "recall_all"

    definition: ClassVar[str] = "the list up to k sessions; only evidence turns find a session"

    def check(self) -> None:
        """Check the parameters; raise a ConfigError for the first that cannot work."""
        check_choice("measure", self.measure, MEASURES)
        super().check()

    def __call__(self, rankings: Rankings) -> Floats:
        """Return one value per record; NaN where excluded or not measurable."""
        self.check()
        values = [self._score(record) for record in rankings.records]
        return self._settled(rankings, np.array(values, dtype=np.float64))

    def trivial(self, rankings: Rankings) -> Bools:
        """Tell where k takes in every session."""
        return _trivial(rankings, "session", self.k)

    def budget_bound(self, rankings: Rankings) -> Bools:
        """Tell where the budget ended the list before k sessions."""
        return rankings.cut & (rankings.returned("session") < (self.k or 0))

    def _score(self, record: Record) -> float:
        if record.error is not None or not record.evidence:
            return 0.0
        depth = _depth(record, self.k)
        first: dict[str, tuple[int, int]] = {}
        for rank, (turn, session) in enumerate(_ranks(record)[:depth]):
            if turn in record.evidence and rank not in record.rejected:
                first.setdefault(turn, (rank, session))
        if self.measure == "recall_any":
            return float(bool(first))
        if self.measure == "recall_all":
            return float(
                {session for _, session in first.values()} >= set(record.evidence_sessions)
            )
        ranks = np.array([rank for rank, _ in first.values()], dtype=np.int64)
        relevant = np.array([len(set(record.evidence))])
        return float((_weights(ranks).sum() / _ideal(relevant, depth))[0])


def _ranks(record: Record) -> list[tuple[str, int]]:
    return list(zip(record.ranked, record.ranked_sessions, strict=False))


def _depth(record: Record, k: int | None) -> int:
    """Return how many ranks name k sessions, those of evidence turns told apart; else all."""
    seen: set[tuple[int, bool]] = set()
    for rank, (turn, session) in enumerate(_ranks(record), 1):
        seen.add((session, turn in record.evidence))
        if len(seen) == k:
            return rank
    return max(len(record.ranked), k or 1)


def _weights(ranks: Ints) -> Floats:
    weights: Floats = 1.0 / np.maximum(np.log2(ranks + 1.0), 1.0)
    return weights


def _ideal(relevant: Ints, k: int | None) -> Floats:
    most = max(int(relevant.max(initial=1)), 1)
    ideal = np.cumsum(_weights(np.arange(most)))
    reached = np.minimum(np.maximum(relevant, 1), k or most)
    best: Floats = ideal[reached - 1]
    return best


def _trivial(rankings: Rankings, unit: Unit, k: int | None) -> Bools:
    if k is None:
        return np.zeros(len(rankings), dtype=np.bool_)
    return (rankings.candidates(unit) <= k) & ~rankings.failed
