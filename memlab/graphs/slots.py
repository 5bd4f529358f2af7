"""What holds of whom, by a small table of statements: the newest one of each slot."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memlab.naming import component
from memlab.statements import statements
from memlab.types import Turn, utc


class Assertion(NamedTuple):
    """That a turn states a value of an attribute of somebody."""

    turn: str
    time: datetime
    value: frozenset[str]


Slot = tuple[str, str, str]
"""User, subject, attribute."""


@component
class SlotGraph:
    """Keep who said what of which attribute of whom; a newer value supersedes an older one.

    Attributes are the single-valued ones of `memlab.statements` (home, job, phone, a code…),
    found by patterns in English and Chinese; nothing is inferred. A turn is superseded when all
    that it states has a newer statement, by the question's time, whose value differs. Hearsay
    ("somebody said", 听说) states nothing, and a question neither.

    Source: the rule "newest wins" of bitemporal stores, Snodgrass (1999), "Developing Time-
        Oriented Database Applications in SQL".
    """

    def reset(self) -> None:
        """Forget everything."""
        self._slots: dict[Slot, list[Assertion]] = {}
        self._of: dict[str, list[Slot]] = {}

    def write(self, turn: Turn) -> None:
        """Take in what a turn states."""
        for said in statements(turn):
            self._add((turn.user, said.subject, said.attribute), turn.id, turn.time, said.value)

    def _add(self, slot: Slot, turn: str, time: datetime, value: Iterable[str]) -> None:
        self._slots.setdefault(slot, []).append(Assertion(turn, time, frozenset(value)))
        self._of.setdefault(turn, []).append(slot)

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete what turns of a user stated; what they had superseded holds again."""
        for turn in turn_ids:
            for slot in [slot for slot in self._of.get(turn, ()) if slot[0] == user]:
                self._slots[slot] = [a for a in self._slots[slot] if a.turn != turn]
                self._of[turn].remove(slot)
                if not self._slots[slot]:
                    del self._slots[slot]
            if not self._of.get(turn, True):
                del self._of[turn]

    def superseded(self, turn_ids: Collection[str], time: datetime) -> set[str]:
        """Return the turns all of whose statements have a newer value by `time`."""
        return {turn for turn in turn_ids if turn in self._of and self._is_old(turn, time)}

    def _is_old(self, turn: str, time: datetime) -> bool:
        return all(self._replaced(slot, turn, time) for slot in self._of[turn])

    def _replaced(self, slot: Slot, turn: str, time: datetime) -> bool:
        said = [a for a in self._slots[slot] if a.time <= time]
        at = max((i for i, a in enumerate(said) if a.turn == turn), default=None)
        return at is not None and any(not said[at].value & later.value for later in said[at + 1 :])

    def stats(self) -> dict[str, int | float]:
        """Return the number of slots and statements."""
        return {"slots": len(self._slots), "statements": sum(map(len, self._slots.values()))}

    def save(self, path: Path) -> None:
        """Write the statements into the folder `path`, the value words with them."""
        path.mkdir(parents=True, exist_ok=True)
        rows = [
            [*slot, a.turn, a.time.isoformat(), sorted(a.value)]
            for slot, said in self._slots.items()
            for a in said
        ]
        (path / "slots.json").write_text(json.dumps(rows, ensure_ascii=False), "utf-8")

    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        self.reset()
        for *slot, turn, time, value in json.loads((path / "slots.json").read_text("utf-8")):
            self._add((slot[0], slot[1], slot[2]), turn, utc(time), value)
