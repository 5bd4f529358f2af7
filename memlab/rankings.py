"""Records as arrays, so that every metric is a few vectorised lines."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memlab.errors import ConfigError, suggest
from memlab.types import Record

Unit = Literal["turn", "session"]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

UNITS = ("turn", "session")


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The evidence found by n records, each piece once, at its first accepted rank.

    Hit i belongs to record `rows[i]` and has rank `ranks[i]`, counted from 0; hits are sorted
    by record, then rank. `relevant`, `returned` and `candidates` have one entry per record:
    distinct pieces of evidence, ranks returned, and how many could have been returned.
    """

    rows: Ints
    ranks: Ints
    relevant: Ints
    returned: Ints
    candidates: Ints

    def within(self, k: int | Ints | None = None) -> Ints:
        """Count the hits of each record among its first `k` ranks (one k, one each, or all)."""
        if k is None:
            return np.bincount(self.rows, minlength=len(self.relevant))
        depth = k if isinstance(k, int) else k[self.rows]
        return np.bincount(self.rows[self.ranks < depth], minlength=len(self.relevant))

    def total(self, weights: Floats, k: int | None = None) -> Floats:
        """Add up a weight per hit over the first `k` ranks of each record."""
        if k is not None:
            weights = np.where(self.ranks < k, weights, 0.0)
        totals = np.bincount(self.rows, weights, minlength=len(self.relevant))
        return totals.astype(np.float64, copy=False)

    def first(self) -> Floats:
        """Return the rank of the first hit of each record; infinity where there is none."""
        best = np.full(len(self.relevant), np.inf)
        rows, starts = np.unique(self.rows, return_index=True)
        best[rows] = self.ranks[starts]
        return best

    def ordinals(self) -> Ints:
        """Return for each hit which one of its record it is, from 1."""
        return np.arange(1, len(self.rows) + 1) - np.searchsorted(self.rows, self.rows)


class Rankings:
    """The records of a run, column by column; made when asked for, and kept.

    A rejected claim keeps its rank but never hits. A failed record returned nothing; what is
    known of its probe (evidence, candidates) stays. Do not write into the arrays.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self.records: tuple[Record, ...] = tuple(records)
        self._found: dict[str, Found] = {}

    @classmethod
    def of(cls, records: Iterable[Record]) -> Rankings:
        """Make rankings of records; metrics return their values in the same order."""
        return cls(records)

    def __len__(self) -> int:
        return len(self.records)

    def found(self, unit: Unit = "turn") -> Found:
        """Return where evidence was found.

        Sessions rank by their first accepted claim; one with rejected claims alone keeps the
        place of the first of them.

        Raises:
            ConfigError: an unknown unit.
        """
        if unit not in UNITS:
            raise ConfigError(f"unknown unit {unit!r}", "", suggest(str(unit), UNITS))
        if unit not in self._found:
            self._found[unit] = _found(self.records, unit)
        return self._found[unit]

    def hits(self, unit: Unit = "turn") -> Bools:
        """Return shape (n, most ranks returned): whether a rank is a hit."""
        found = self.found(unit)
        grid = np.zeros((len(self), int(found.returned.max(initial=0))), dtype=np.bool_)
        grid[found.rows, found.ranks] = True
        return grid

    def relevant(self, unit: Unit = "turn") -> Ints:
        """Return the number of distinct pieces of evidence per record."""
        return self.found(unit).relevant

    def returned(self, unit: Unit = "turn") -> Ints:
        """Return the number of ranks per record; for sessions, distinct ones."""
        return self.found(unit).returned

    def candidates(self, unit: Unit = "turn") -> Ints:
        """Return how many turns or sessions each record could have returned."""
        return self.found(unit).candidates

    def first_stale(self) -> Floats:
        """Return the first rank of a superseded turn per record; infinity where there is none.

        A turn that is evidence as well counts as current.
        """
        places = (_places(_superseded(r), *_turns(r)) for r in self.records)
        return np.fromiter((p[0] if p else np.inf for p in places), np.float64, len(self))

    def verdict(self, name: str) -> Floats:
        """Return a verdict of the replay per record; NaN where it is None or was not given."""
        values = (record.verdicts.get(name) for record in self.records)
        return np.fromiter((np.nan if v is None else v for v in values), np.float64, len(self))

    def decidable(self, name: str) -> Bools:
        """Tell where a verdict exists; for a failed record, where it is not given as None.

        So the replay can say of a failed record, too, that the data allow no verdict.
        """
        given = self._mask(name in record.verdicts for record in self.records)
        return ~np.isnan(self.verdict(name)) | (self.failed & ~given)

    @cached_property
    def failed(self) -> Bools:
        """Where the strategy failed."""
        return self._mask(record.error is not None for record in self.records)

    @cached_property
    def answerable(self) -> Bools:
        """Where the probe can be answered."""
        return self._mask(record.answerable for record in self.records)

    @cached_property
    def measurable(self) -> Bools:
        """Where every item named its sources, so that ids can be compared."""
        return self._mask(record.measurable for record in self.records)

    @cached_property
    def evident(self) -> Bools:
        """Where the probe has evidence, found in the conversation or not."""
        return self._mask(bool(record.evidence) for record in self.records)

    @cached_property
    def superseded(self) -> Bools:
        """Where the probe has turns whose fact was superseded."""
        return self._mask(bool(record.stale) for record in self.records)

    @cached_property
    def cut(self) -> Bools:
        """Where the budget ended the list."""
        return self._mask(record.cut and record.error is None for record in self.records)

    @cached_property
    def items(self) -> Ints:
        """The number of items returned."""
        return self._counts(0 if r.error is not None else r.items for r in self.records)

    @cached_property
    def tokens(self) -> Ints:
        """The tokens of the context."""
        return self._counts(0 if r.error is not None else r.tokens for r in self.records)

    @cached_property
    def budget(self) -> Floats:
        """The token budget; infinity where there was none."""
        budgets = (np.inf if record.budget is None else record.budget for record in self.records)
        return np.fromiter(budgets, np.float64, len(self))

    def _mask(self, values: Iterable[bool]) -> Bools:
        return np.fromiter(values, np.bool_, len(self))

    def _counts(self, values: Iterable[int]) -> Ints:
        return np.fromiter(values, np.int64, len(self))


Listing = tuple[Sequence[Hashable], Collection[int]]
"""What was ranked, and the places that may not hit."""


def _turns(record: Record) -> Listing:
    return (record.ranked, record.rejected) if record.error is None else ((), ())


def _sessions(record: Record) -> Listing:
    if record.error is not None:
        return (), ()
    if not record.rejected:
        return tuple(dict.fromkeys(record.ranked_sessions)), ()
    rejected = set(record.rejected)
    claims = list(enumerate(record.ranked_sessions))
    accepted = {session for rank, session in claims if rank not in rejected}
    order = dict.fromkeys(s for rank, s in claims if rank not in rejected or s not in accepted)
    return tuple(order), [place for place, s in enumerate(order) if s not in accepted]


def _superseded(record: Record) -> set[Hashable]:
    return {turn for turn in record.stale if turn not in record.evidence}


def _places(
    wanted: set[Hashable], ranked: Sequence[Hashable], rejected: Collection[int]
) -> list[int]:
    """Return the first accepted rank of every wanted id that has one, ascending."""
    present = wanted.intersection(ranked)
    if not present:
        return []
    if not rejected:
        return sorted([ranked.index(name) for name in present])
    first: dict[Hashable, int] = {}
    for rank, name in enumerate(ranked):
        if name in present and rank not in rejected:
            first.setdefault(name, rank)
    return list(first.values())


def _found(records: Sequence[Record], unit: Unit) -> Found:
    relevant, returned, hits = [], [], []
    ranks: list[int] = []
    turns = unit == "turn"
    for record in records:
        wanted: set[Hashable] = set(record.evidence if turns else record.evidence_sessions)
        ranked, rejected = _turns(record) if turns else _sessions(record)
        places = _places(wanted, ranked, rejected)
        relevant.append(len(wanted))
        returned.append(len(ranked))
        hits.append(len(places))
        ranks += places
    return Found(
        rows=np.repeat(np.arange(len(records)), np.array(hits, dtype=np.int64)),
        ranks=np.array(ranks, dtype=np.int64),
        relevant=np.array(relevant, dtype=np.int64),
        returned=np.array(returned, dtype=np.int64),
        candidates=np.array(
            [r.candidates if turns else r.candidate_sessions for r in records], dtype=np.int64
        ),
    )
