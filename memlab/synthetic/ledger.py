"""The ledger: what was said when, by whom, about whom, since when it holds, and until when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise
from typing import NamedTuple

from memlab.synthetic.values import Value

FIRST_HAND, HEARSAY = 1.0, 0.5
"""Authorities: a thing one knows, and a thing passed on from others."""


class Person(NamedTuple):
    """Somebody of the world; `relation` is what the person is to `owner`, empty for oneself.

    The relation of a `discreet` person is said once and never beside the name again: it must be
    remembered to answer "where does my sister live".
    """

    id: str
    name: str
    gender: str
    owner: str
    relation: str = ""
    discreet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One statement of one fact.

    `position` counts the turns of the conversation from 0, `turn` is the id of the turn that
    says it; `needs` is the turn with the question that a bare answer answers, else empty.
    `day` is when an event happened, or since when a state holds if it was told later.
    `feeling` marks how the subject felt about the event whose value is `key`.
    """

    id: str
    owner: str
    subject: str
    fact: str
    value: Value
    position: int
    turn: str
    said_at: datetime
    said_by: str
    group: str = "state"
    key: Value | None = None
    day: date | None = None
    negated: bool = False
    feeling: bool = False
    authority: float = FIRST_HAND
    needs: str = ""
    hinted: bool = False
    valid_until: date | None = None
    forgotten_at: int | None = None

    @property
    def forgotten(self) -> bool:
        """Whether its owner had it deleted."""
        return self.forgotten_at is not None

    @property
    def valid_from(self) -> date:
        """The day since which it holds, or on which it happened."""
        return self.day or self.said_at.date()

    @property
    def turns(self) -> tuple[str, ...]:
        """The turns that together say it, in order."""
        return (self.needs, self.turn) if self.needs else (self.turn,)


class Ledger:
    """Statements in the order said, and the questions that can be put to them."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}
        self._about: dict[tuple[str, str], list[str]] = {}

    def __iter__(self) -> Iterator[Row]:
        return iter(sorted(self._rows.values(), key=lambda row: (row.position, row.id)))

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: Row) -> None:
        """Enter a statement."""
        self._rows[row.id] = row
        self._about.setdefault((row.subject, row.fact), []).append(row.id)

    def remove(self, row: Row) -> None:
        """Take a statement out again, as if it had never been planned."""
        del self._rows[row.id]
        self._about[row.subject, row.fact].remove(row.id)

    def get(self, row_id: str) -> Row:
        """Return a statement by its id."""
        return self._rows[row_id]

    def forget(self, row_id: str, position: int) -> None:
        """Mark a statement as deleted, at a position, at the request of its owner."""
        self._rows[row_id] = replace(self._rows[row_id], forgotten_at=position)

    def about(self, subject: str, fact: str, *, before: int, feeling: bool = False) -> list[Row]:
        """Return what was said of a subject before a position, deleted rows too, in order.

        The rows are as they stood then: what is deleted later was not deleted yet.
        """
        rows = (self._rows[i] for i in self._about.get((subject, fact), ()))
        found = [_then(r, before) for r in rows if r.position < before and r.feeling == feeling]
        return sorted(found, key=lambda row: row.position)

    def on(self, fact: str, *, before: int) -> list[Row]:
        """Return what was said on a fact of anybody before a position, as it stood then."""
        ids = (i for (_, told), rows in self._about.items() if told == fact for i in rows)
        found = (self._rows[i] for i in ids)
        said = [_then(row, before) for row in found if row.position < before]
        return sorted(said, key=lambda row: row.position)

    def close(self) -> None:
        """Enter until when each state held: the day on which the next value of it began."""
        for ids in self._about.values():
            rows = sorted((self._rows[i] for i in ids), key=lambda row: row.position)
            held = [
                row
                for row in rows
                if row.group == "state" and row.authority == FIRST_HAND and not row.forgotten
            ]
            for row, later in pairwise(held):
                if row.value == later.value:
                    continue
                self._rows[row.id] = replace(row, valid_until=later.valid_from)


def _then(row: Row, position: int) -> Row:
    """Return a row as it stood when so many turns were said."""
    later = row.forgotten_at is not None and row.forgotten_at >= position
    return replace(row, forgotten_at=None) if later else row


def trusted(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of the highest authority among them that were not deleted."""
    kept = [row for row in rows if not row.forgotten]
    best = max((row.authority for row in kept), default=FIRST_HAND)
    return [row for row in kept if row.authority == best]
