"""Turns on pages, the pages in every user's memory, and all of them in one index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any

from memlab.column import Column
from memlab.errors import ConfigError
from memlab.history import MOST
from memlab.pages import CATEGORIES, MemoryPage
from memlab.pagetable import PageTable
from memlab.paging import Paging
from memlab.topk import best
from memlab.types import Item, Query, Turn

Ranked = list[tuple[str, float]]
"""Ids of pages and their scores, best first."""


class PageStore:
    """Keeps three things in step: which turns a page holds, where it is, what the index has of it.

    A page is indexed once it is full, or when somebody searches. `index` is a memory with `scores`;
    a page is written into it as one turn. `make` makes the memory of a user.
    """

    def __init__(self, table: PageTable, index: Any, make: Callable[[str], Paging]) -> None:  # noqa: ANN401
        self.table, self.index, self._make = table, index, make
        self.users: dict[str, Paging] = {}
        self.ignored = 0
        self._listed = Column("int64")  # the number of the page in each row of the index
        self._row: dict[str, int] = {}
        self._stale: dict[str, None] = {}

    def of(self, user: str) -> Paging:
        """Return the memory of a user, made if there was none."""
        if user not in self.users:
            self.users[user] = self._make(user)
        return self.users[user]

    def owner(self, page_id: str, user: str) -> Paging:
        """Return the memory of a user who has a page.

        Raises:
            ConfigError: the user has no such page.
        """
        space = self.users.get(user)
        if space is None or page_id not in space:
            raise ConfigError(f"page {page_id!r} of user {user!r}", "a page that is there")
        return space

    def write(self, turn: Turn) -> None:
        """Put a turn on a page, which comes into main memory; or keep nothing of it, and raise.

        Raises:
            ConfigError: main memory is too small for one character.
        """
        history = self.table.history
        row = history.add(turn)
        try:
            pages = self.table.place(row)
        except ConfigError:
            history.forget([turn.id], turn.user)
            raise
        space = self.of(turn.user)
        for page_id in pages:
            space.put(self._filled(space, page_id, turn), turn.time)
            self._stale[page_id] = None
            if not self.table.is_open(page_id):
                self._list(page_id)

    def _filled(self, space: Paging, page_id: str, turn: Turn) -> MemoryPage:
        """Return the page as it now is."""
        content, tokens = self.table.content(page_id), self.table.size(page_id)
        if page_id in space:
            page = space[page_id]
            return replace(page, content=content, tokens=tokens, last_accessed=turn.time)
        given = turn.meta.get("importance", 0.5)
        weighs = isinstance(given, int | float) and 0 <= given <= 1
        self.ignored += not weighs
        return MemoryPage(
            id=page_id,
            content=content,
            tokens=tokens,
            last_accessed=turn.time,
            importance=float(given) if weighs else 0.5,
            category=_category(turn),
        )

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user from their pages; pages of which nothing is left are gone."""
        for page_id in self.table.forget(self.table.history.forget(turn_ids, user)):
            space = self.users[user]
            if self._row.pop(page_id, None) is not None:
                self.index.forget([page_id], user)
            if page_id not in self.table.rows:
                space.delete(page_id)
                self._stale.pop(page_id, None)
                continue
            content, tokens = self.table.content(page_id), self.table.size(page_id)
            space.shrink(replace(space[page_id], content=content, tokens=tokens))
            self._stale[page_id] = None

    def settle(self) -> None:
        """Index the pages that are still being filled."""
        for page_id in list(self._stale):
            self._list(page_id)

    def _list(self, page_id: str) -> None:
        """Put a page into the index, in the place of what it was before."""
        turn = self.table.as_turn(page_id)
        if page_id in self._row:
            self.index.forget([page_id], turn.user)
        self.index.write(turn)
        self._row[page_id] = len(self._listed)
        self._listed.append(int(page_id[1:]))
        self._stale.pop(page_id, None)

    def found(self, query: Query, most: int) -> Ranked:
        """Return the best pages of the user, wherever they are; equal ones in the order made.

        Pages with a score of 0 or less are left out.
        """
        import numpy as np

        self.settle()
        rows, scores = self.index.scores(query)
        numbers = self._listed.values[rows]
        order = np.argsort(numbers, kind="stable")
        ranked = takewhile(lambda pair: pair[1] > 0, best(numbers[order], scores[order]))
        return [(f"p{number}", score) for number, score in islice(ranked, most)]

    def packed(self, ranked: Iterator[tuple[str, float]], budget: int | None) -> list[Item]:
        """Return the items of pages up to the first that does not fit; without budget, 100."""
        items: list[Item] = []
        left = 0 if budget is None else budget
        for page_id, score in ranked if budget != 0 else ():
            for group, tokens in self.table.groups(page_id, score):
                left -= 0 if budget is None else tokens
                if left < 0 or (budget is None and len(items) + len(group) > MOST):
                    return items
                items += group
        return items

    def to_json(self) -> dict[str, Any]:
        """Return everything but the turns and the index as JSON values."""
        return {
            "table": self.table.to_json(),
            "users": {user: _kept(space) for user, space in self.users.items()},
            "listed": sorted(self._row, key=self._row.__getitem__),
            "stale": list(self._stale),
            "ignored": self.ignored,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Replace the state by what `to_json` returned; the history has its turns already."""
        self.table.restore(state["table"])
        for user, kept in state["users"].items():
            pages = {
                i: MemoryPage.from_json({**page, "content": self.table.content(i)})
                for i, page in kept["pages"].items()
            }
            self.of(user).restore(kept, pages)
        for page_id in state["listed"]:
            self._row[page_id] = len(self._listed)
            self._listed.append(int(page_id[1:]))
        self._stale, self.ignored = dict.fromkeys(state["stale"]), state["ignored"]


def _category(turn: Turn) -> str:
    if turn.meta.get("category") in CATEGORIES:
        return str(turn.meta["category"])
    if "call" in turn.meta or turn.role == "tool":
        return "knowledge"
    return "metadata" if turn.role == "system" else "conversation"


def _kept(space: Paging) -> dict[str, Any]:
    """Return the state of a user's memory; the texts are those of the turns."""
    every = {**space.main, **space.archive}
    pages = {i: {k: v for k, v in p.to_json().items() if k != "content"} for i, p in every.items()}
    return {**space.state(), "pages": pages}
