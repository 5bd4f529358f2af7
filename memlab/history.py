"""The turns a memory keeps: per user, in order, with token counts and tool-call groups."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn

from memlab.content import plain as json_value
from memlab.errors import ContractError
from memlab.protocols import Held
from memlab.run import Run
from memlab.types import Item, Role, Turn

MOST = 100
"""Items returned when there is no token limit."""

_line = json.JSONEncoder(ensure_ascii=False).encode


class History:
    """Rows of turns. A forgotten row stays empty, so row numbers never move."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.turns: list[Turn | None] = []
        self.tokens: list[int] = []
        self._row_of: dict[str, int] = {}
        self._users: dict[str, dict[int, None]] = {}
        self._items: list[Item | None] = []
        self._calls: dict[tuple[str, str], list[int]] = {}
        self._pinned: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    def add(self, turn: Turn) -> int:
        """Append a turn and return its row.

        Raises:
            ContractError: a turn of that id is already there.
        """
        if turn.id in self._row_of:
            raise ContractError(
                f"turn id {turn.id!r} was written twice", "ids unique in a conversation"
            )
        row = len(self.turns)
        self.turns.append(turn)
        self._items.append(None)
        self.tokens.append(self.run.count(turn.text))
        self._row_of[turn.id] = row
        self._users.setdefault(turn.user, {})[row] = None
        if "call" in turn.meta:
            self._calls.setdefault((turn.user, str(turn.meta["call"])), []).append(row)
        if turn.role == "system":
            self._pinned.setdefault(turn.user, []).append(row)
        return row

    def forget(self, turn_ids: Iterable[str], user: str) -> list[int]:
        """Drop turns of a user; return the rows that were dropped."""
        dropped = []
        for turn_id in turn_ids:
            row = self._row_of.get(turn_id)
            if row is not None and row in self._users.get(user, {}):
                dropped.append(row)
                self._drop(row)
        return dropped

    def _drop(self, row: int) -> None:
        turn = self[row]
        del self._row_of[turn.id], self._users[turn.user][row]
        if "call" in turn.meta:
            self._calls[turn.user, str(turn.meta["call"])].remove(row)
        if turn.role == "system":
            self._pinned[turn.user].remove(row)
        self.turns[row] = self._items[row] = None
        self.tokens[row] = 0

    def __getitem__(self, row: int) -> Turn:
        turn = self.turns[row]
        if turn is None:
            raise ContractError(f"row {row} was forgotten", "a row that is kept")
        return turn

    def rows(self, user: str) -> list[int]:
        """Return the rows of a user, oldest first."""
        return list(self._users.get(user, ()))

    def newest(self, user: str) -> Iterator[int]:
        """Yield the rows of a user, newest first."""
        return reversed(self._users.get(user, {}))

    def pinned(self, user: str) -> Sequence[int]:
        """Return the rows of the system turns of a user, oldest first."""
        return self._pinned.get(user, ())

    def exchanges(self, user: str) -> Iterator[list[int]]:
        """Yield the exchanges of a user, newest first, and the newest row of each first.

        An exchange is a user turn and all that follows it up to the next user turn.
        """
        rows: list[int] = []
        for row in self.newest(user):
            rows.append(row)
            if self[row].role == "user":
                yield rows
                rows = []
        if rows:
            yield rows

    def group(self, row: int) -> list[int]:
        """Return the rows that go together: a tool call and its results, call first.

        A result whose call is gone has no group: it may not be returned alone.
        """
        turn = self[row]
        if "call" not in turn.meta:
            return [row]
        rows = self._calls[turn.user, str(turn.meta["call"])]
        called = [r for r in rows if self[r].role != "tool"]
        return [*called, *(r for r in rows if self[r].role == "tool")] if called else []

    def pack(
        self, ranked: Iterable[tuple[int, float]], budget: int | None, most: int | None = None
    ) -> list[Item]:
        """Return items for (row, score) pairs, best first, up to the first that does not fit.

        A tool call and its results come together, with the score of the row that brought
        them in. `most` limits the number of items; without a budget it is 100.
        """
        left = math.inf if budget is None else budget
        limit = MOST if budget is None and most is None else most or math.inf
        if left == 0:
            return []
        items: list[Item] = []
        seen: set[int] = set()
        for row, score in ranked:
            if row in seen:
                continue
            group = self.group(row)
            left -= sum(self.tokens[r] for r in group)
            if left < 0 or len(items) + len(group) > limit:
                break
            seen.update(group)
            items.extend(Item.of(self[r], score) for r in group)
        return items

    def window(
        self,
        user: str,
        rows: Iterable[int],
        budget: int | None,
        most: int | None = None,
        *,
        system: bool,
    ) -> list[Item]:
        """Return items for rows of a user as `recent` does, with `system` after its turns.

        What the system said comes first, oldest first, whatever the rows are.
        """
        pinned = self.pinned(user) if system else ()
        if pinned:
            rows = chain(pinned, (row for row in rows if row not in pinned))
        return self.recent(rows, budget, most)

    def recent(
        self, rows: Iterable[int], budget: int | None, most: int | None = None
    ) -> list[Item]:
        """Return items for distinct rows without a score, as `pack` does with score 0.

        Each item is made once and kept, as recency returns the same turns again and again.
        """
        if self._calls:
            return self.pack(((row, 0.0) for row in rows), budget, most)
        kept, tokens = self._items, self.tokens
        if budget is None:
            return [kept[row] or self._made(row) for row in islice(rows, most or MOST)]
        items: list[Item] = []
        add, left = items.append, budget
        for row in islice(rows, 0 if budget == 0 else most):
            left -= tokens[row]
            if left < 0:
                break
            add(kept[row] or self._made(row))
        return items

    def _made(self, row: int) -> Item:
        item = self._items[row] = Item.of(self[row])
        return item

    def live(self) -> Iterator[Turn]:
        """Yield every turn kept, in the order written."""
        return (turn for turn in self.turns if turn is not None)


class TurnMemory:
    """Base of strategies that keep turns: it only saves typing, duck typing does as well."""

    history: History
    _run: Run | None = None

    def __getattr__(self, name: str) -> NoReturn:
        """Say what is missing: state is made in `reset`."""
        hint = "" if name.startswith("__") else "; reset() comes before write() and read()"
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")

    @property
    def run(self) -> Run:
        """The run this memory works in; one made for trials if none was attached."""
        if self._run is None:
            self._run = Run()
        return self._run

    def attach(self, run: Run) -> None:
        """Work in `run`."""
        self._run = run
        self.history.run = run

    def reset(self) -> None:
        """Forget everything."""
        self.history = History(self.run)

    def write(self, turn: Turn) -> None:
        """Keep a turn."""
        self.history.add(turn)

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user."""
        self.history.forget(turn_ids, user)

    def held(self) -> Iterator[Held]:
        """Yield the turns kept."""
        return (Held("turn", turn.text, turn.time) for turn in self.history.live())

    def save(self, path: Path) -> None:
        """Write the turns into the folder `path`."""
        path.mkdir(parents=True, exist_ok=True)
        with (path / "turns.jsonl").open("w", encoding="utf-8") as file:
            for turn in self.history.live():
                file.write(_line(turn_to_json(turn)) + "\n")

    def load(self, path: Path) -> None:
        """Replace the state by the turns that `save` wrote."""
        self.reset()
        for turn in self.read_turns(path):
            self.write(turn)

    @staticmethod
    def read_turns(path: Path) -> list[Turn]:
        """Return the turns that `save` wrote into the folder `path`."""
        with (path / "turns.jsonl").open(encoding="utf-8") as file:
            return [turn_from_json(json.loads(line)) for line in file]


def turn_to_json(turn: Turn) -> dict[str, Any]:
    """Return a turn as JSON values, defaults left out."""
    plain: dict[str, Any] = {name: getattr(turn, name) for name in Turn.__slots__}
    plain["time"] = turn.time.isoformat()
    plain["meta"] = json_value(turn.meta)
    bare = _bare(turn.role)
    kept = ("id", "text", "time", *(["role"] if turn.role != "user" else []))
    return {k: v for k, v in plain.items() if k in kept or v != getattr(bare, k)}


@lru_cache(maxsize=8)
def _bare(role: Role) -> Turn:
    return Turn(id="", text="", time=datetime(2000, 1, 1, tzinfo=UTC), role=role)


def turn_from_json(data: dict[str, Any]) -> Turn:
    """Read back what `turn_to_json` wrote."""
    return Turn(**{**data, "time": datetime.fromisoformat(data["time"])})
