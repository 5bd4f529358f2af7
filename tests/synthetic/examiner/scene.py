"""A conversation laid out for examination: turns, rows, and what was known at each probe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from examiner.words import Words
from memlab.synthetic.ledger import Person, Row
from memlab.types import Event, Forget, Probe, Turn


@dataclass(frozen=True, slots=True)
class Asked:
    """A probe, the number of turns said before it, and the turns deleted by then."""

    probe: Probe
    said: int
    deleted: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One conversation: events in order, ledger rows, people, and indexes of them."""

    name: str
    words: Words
    events: tuple[Event, ...]
    rows: tuple[Row, ...]
    people: Mapping[str, Person]
    turns: dict[str, Turn] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    rows_of: dict[str, list[Row]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        words: Words,
        events: Iterable[Event],
        rows: Iterable[Row],
        people: Mapping[str, Person],
    ) -> Scene:
        """Lay out a conversation."""
        scene = cls(name, words, tuple(events), tuple(rows), people)
        deleted: frozenset[str] = frozenset()
        for event in scene.events:
            if isinstance(event, Turn):
                scene.place.setdefault(event.id, len(scene.turns))
                scene.turns.setdefault(event.id, event)
            elif isinstance(event, Forget):
                deleted |= set(event.turn_ids)
            elif isinstance(event, Probe):
                scene.asked.append(Asked(event, len(scene.turns), deleted))
        for row in scene.rows:
            for turn in row.turns:
                scene.rows_of.setdefault(turn, []).append(row)
        return scene

    def text(self, row: Row) -> str:
        """Return what the turns of a row say."""
        return "\n".join(self.turns[t].text for t in row.turns if t in self.turns)

    def known(self, asked: Asked) -> list[Row]:
        """Return the asker's rows that were said and not deleted by then."""
        return [
            row
            for row in self.rows
            if row.owner == asked.probe.user
            and row.position < asked.said
            and asked.deleted.isdisjoint(row.turns)
        ]

    def deleted(self, asked: Asked) -> list[Row]:
        """Return the asker's rows that were deleted by then."""
        return [
            row
            for row in self.rows
            if row.owner == asked.probe.user
            and row.position < asked.said
            and not asked.deleted.isdisjoint(row.turns)
        ]

    def foreign(self, asked: Asked) -> list[Row]:
        """Return what others had said about themselves by then."""
        return [
            row
            for row in self.rows
            if row.owner != asked.probe.user
            and row.position < asked.said
            and row.subject == row.said_by
        ]

    def tellers(self, user: str) -> set[str]:
        """Return the persons who speak in a store: its user, or the two of a chat."""
        return {r.said_by for r in self.rows if r.owner == user and r.said_by in self.people}

    def asker(self, user: str) -> str:
        """Return the person who says "I" in a question; nobody where two people chat."""
        tellers = self.tellers(user)
        return next(iter(tellers)) if len(tellers) == 1 else ""
