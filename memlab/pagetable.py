"""Which turns stand on which page: pages filled turn by turn, tool calls with their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from memlab.errors import ConfigError
from memlab.history import History
from memlab.types import Item, Turn

Group = tuple[list[Item], int]
"""Items that come together, and their tokens."""


class PageTable:
    """The rows of every page. A page holds turns of one user and one session.

    It is full at `turns` turns or `tokens` tokens, whichever is given, and never exceeds `most`
    tokens: a longer turn is split over several pages, as excerpts. The results of a tool call join
    its page, however full that is, and are not split.
    """

    def __init__(
        self, history: History, turns: int | None, tokens: int | None, most: int | None
    ) -> None:
        self.history, self.turns, self.tokens, self.most = history, turns, tokens, most
        self.rows: dict[str, list[int]] = {}
        self.parts: dict[str, str] = {}
        self._pages: dict[int, list[str]] = {}
        self._open: dict[str, str] = {}
        self._calls: dict[tuple[str, str], str] = {}
        self._made = 0

    def place(self, row: int) -> list[str]:
        """Return the page that takes a new row: its call's, the open one, a new one or several."""
        turn = self.history[row]
        called = (turn.user, str(turn.meta["call"])) if "call" in turn.meta else None
        known = self._calls.get(called) if called else None
        if known is None and called is None and self._too_long(row):
            return self._split(row)
        page_id = known or self._with_room(row) or self._new()
        self._put(page_id, row)
        if known is None:
            self._open[turn.user] = page_id
        if called:
            self._calls[called] = page_id
        if self._is_full(page_id) and self._open.get(turn.user) == page_id:
            del self._open[turn.user]
        return [page_id]

    def is_open(self, page_id: str) -> bool:
        """Tell whether the page may take further turns."""
        return self._open.get(self.user(page_id)) == page_id

    def _too_long(self, row: int) -> bool:
        return self.most is not None and self.history.tokens[row] > self.most

    def _with_room(self, row: int) -> str | None:
        turn = self.history[row]
        page_id = self._open.get(turn.user)
        if page_id is None or self.history[self.rows[page_id][-1]].session != turn.session:
            return None
        total = self.size(page_id) + self.history.tokens[row]
        limits = [n for n in (self.tokens, self.most) if n is not None]
        return page_id if all(total <= limit for limit in limits) else None

    def _is_full(self, page_id: str) -> bool:
        if self.tokens is not None:
            return self.size(page_id) >= self.tokens
        return len(self.rows[page_id]) >= (1 if self.turns is None else self.turns)

    def _new(self) -> str:
        page_id = f"p{self._made}"
        self._made += 1
        self.rows[page_id] = []
        return page_id

    def _put(self, page_id: str, row: int) -> None:
        self.rows[page_id].append(row)
        self._pages.setdefault(row, []).append(page_id)

    def _split(self, row: int) -> list[str]:
        turn, most = self.history[row], self.most or 0
        parts, left = [], turn.text
        while left:
            # What fits is sought among the next characters, so that a long text costs its length.
            part = self.history.run.counter.truncate(left[: 16 * most], most)
            if not part:
                raise ConfigError(
                    f"turn {turn.id!r} has a character of more than {most} tokens",
                    "a main memory that holds every character",
                    "give more tokens",
                )
            parts.append(part)
            left = left[len(part) :]
        self._open.pop(turn.user, None)
        made = [self._new() for _ in parts]
        for page_id, part in zip(made, parts, strict=True):
            self._put(page_id, row)
            self.parts[page_id] = part
        return made

    def user(self, page_id: str) -> str:
        """Return whose page it is."""
        return self.history[self.rows[page_id][0]].user

    def _shown(self, page_id: str) -> list[int]:
        """Return the rows that may be returned: a result whose call is gone may not."""
        return [row for row in self.rows[page_id] if self.history.group(row)]

    def content(self, page_id: str) -> str:
        """Return the text of a page."""
        if page_id in self.parts:
            return self.parts[page_id]
        return "\n".join(self.history[row].text for row in self._shown(page_id))

    def size(self, page_id: str) -> int:
        """Return the tokens of the texts on a page."""
        if page_id in self.parts:
            return self.history.run.count(self.parts[page_id])
        return sum(self.history.tokens[row] for row in self._shown(page_id))

    def as_turn(self, page_id: str) -> Turn:
        """Return the page as one turn, for an index: what its last turn is, with all the text."""
        turn = self.history[self.rows[page_id][-1]]
        meta = {name: value for name, value in turn.meta.items() if name != "call"}
        return replace(turn, id=page_id, text=self.content(page_id), meta=meta)

    def groups(self, page_id: str, score: float) -> Iterator[Group]:
        """Yield the items of a page in dialogue order, those together that go together."""
        if page_id in self.parts:
            source = self.history[self.rows[page_id][0]].id
            part = self.parts[page_id]
            yield [Item(part, (source,), "excerpt", score)], self.history.run.count(part)
            return
        done: set[int] = set()
        for row in self.rows[page_id]:
            group = [] if row in done else self.history.group(row)
            done.update(group)
            if group:
                items = [Item.of(self.history[r], score) for r in group]
                yield items, sum(self.history.tokens[r] for r in group)

    def forget(self, rows: Sequence[int]) -> list[str]:
        """Take rows, which the history has dropped, off their pages; return these pages.

        A page of which nothing is left is gone: it has no `rows`.
        """
        changed: dict[str, None] = {}
        for row in rows:
            for page_id in self._pages.pop(row):
                changed[page_id] = None
                self.rows[page_id].remove(row)
        for page_id in changed:
            if not self.rows[page_id]:
                del self.rows[page_id]
                self.parts.pop(page_id, None)
                self._open = {u: p for u, p in self._open.items() if p != page_id}
                self._calls = {c: p for c, p in self._calls.items() if p != page_id}
        return list(changed)

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values; rows are counted over the turns that are left."""
        left = [row for row, turn in enumerate(self.history.turns) if turn is not None]
        place = {row: n for n, row in enumerate(left)}
        return {
            "rows": {page_id: [place[r] for r in rows] for page_id, rows in self.rows.items()},
            "parts": self.parts,
            "open": self._open,
            "calls": [[*called, page_id] for called, page_id in self._calls.items()],
            "made": self._made,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Replace the table by what `to_json` returned."""
        self.rows, self.parts, self._open = state["rows"], state["parts"], state["open"]
        self._calls = {(user, call): page_id for user, call, page_id in state["calls"]}
        self._made = state["made"]
        self._pages = {}
        for page_id, rows in self.rows.items():
            for row in rows:
                self._pages.setdefault(row, []).append(page_id)
