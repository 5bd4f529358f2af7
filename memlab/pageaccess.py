"""The base of memories on pages: what can be asked of single pages, counted, saved."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.errors import ConfigError
from memlab.history import TurnMemory
from memlab.pages import MemoryPage
from memlab.paging import COUNTED, Paging
from memlab.protocols import Held
from memlab.types import Query
from memlab.wrapping import PassesOn

if TYPE_CHECKING:
    import pandas as pd

    from memlab.pagestore import PageStore


class PageMemory(PassesOn, TurnMemory):
    """A memory of turns on pages; `store` is made in `reset`, `index` and `k` are parameters."""

    store: PageStore
    index: Any
    k: int
    tokens: int

    def search(self, query: Query) -> list[tuple[MemoryPage, float]]:
        """Return the `k` best pages of both memories and their scores; scores of 0 are left out."""
        space = self.store.users.get(query.user)
        found = self.store.found(query, self.k) if space else []
        return [(space[page_id], score) for page_id, score in found] if space else []

    def page_in(self, query: Query) -> list[MemoryPage]:
        """Access what a search finds, whatever `touch` says; return what of it is in main memory.

        Only what exceeds main memory is not.
        """
        space = self.store.users.get(query.user)
        if space is None:
            return []
        found = self.store.found(query, self.k)
        page_in(space, found, query.time)
        return [space.main[page_id] for page_id, _ in found if page_id in space.main]

    def access(self, page_id: str, user: str, now: datetime) -> MemoryPage:
        """Use a page of a user, which comes into main memory, and return it.

        Raises:
            ConfigError: the user has no such page, or it can never fit.
        """
        space = self.store.owner(page_id, user)
        if not space.access(page_id, now):
            pinned = sum(space[other].tokens for other in space.pinned)
            raise ConfigError(
                f"page {page_id!r} of {space[page_id].tokens} tokens beside {pinned} pinned ones",
                f"at most the {self.tokens} tokens of main memory",
                "give main memory more tokens, or unpin a page",
            )
        return space[page_id]

    def pin(self, page_id: str, user: str, now: datetime) -> None:
        """Bring a page of a user into main memory and keep it there.

        Raises:
            ConfigError: the user has no such page, or the pinned ones would exceed main memory.
        """
        self.store.owner(page_id, user).pin(page_id, now)

    def unpin(self, page_id: str, user: str) -> None:
        """Let a pinned page leave again.

        Raises:
            ConfigError: the user has no such page.
        """
        self.store.owner(page_id, user).unpin(page_id)

    def delete(self, page_id: str, user: str) -> None:
        """Delete a page of a user, with its turns.

        Raises:
            ConfigError: the user has no such page.
        """
        self.store.owner(page_id, user)
        self.forget(self._turns(page_id), user)

    def pages(self, user: str) -> dict[str, list[MemoryPage]]:
        """Return the pages of a user in main memory and in the archive (`main`, `archive`)."""
        space = self.store.users.get(user)
        if space is None:
            return {"main": [], "archive": []}
        return {"main": list(space.main.values()), "archive": list(space.archive.values())}

    def explain(self, query: Query) -> pd.DataFrame:
        """Return one row per page that a search finds, best first, and where it is."""
        import pandas as pd

        main = {page.id for page in self.pages(query.user)["main"]}
        rows = [
            (page.id, self._turns(page.id), score, page.id in main, page.access_count)
            for page, score in self.search(query)
        ]
        return pd.DataFrame(rows, columns=["page", "turns", "score", "in main", "accesses"])

    def _turns(self, page_id: str) -> list[str]:
        return [self.history[row].id for row in self.store.table.rows[page_id]]

    def stats(self) -> Mapping[str, int | float]:
        """Return what all users' memories counted."""
        spaces = list(self.store.users.values())
        return {
            **super().stats(),
            **{name: sum(space.counts[name] for space in spaces) for name in COUNTED},
            "pages": sum(len(space.main) + len(space.archive) for space in spaces),
            "pages in main memory": sum(len(space.main) for space in spaces),
            "importances ignored": self.store.ignored,
        }

    def held(self) -> Iterator[Held]:
        """Yield the pages of main memory and of the archive."""
        for space in self.store.users.values():
            for kind, pages in (("main memory", space.main), ("archive", space.archive)):
                yield from (Held(kind, p.content, p.last_accessed) for p in pages.values())

    def save(self, path: Path) -> None:
        """Write turns, pages and index into the folder `path`."""
        super().save(path)
        (path / "index").mkdir(exist_ok=True)
        self.index.save(path / "index")
        (path / "pages.json").write_text(json.dumps(self.store.to_json()), "utf-8")

    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        self.reset()
        for turn in self.read_turns(path):
            self.history.add(turn)
        self.store.restore(json.loads((path / "pages.json").read_text("utf-8")))
        self.index.load(path / "index")


def page_in(space: Paging, found: Sequence[tuple[str, float]], now: datetime) -> None:
    """Access pages, best first."""
    held: list[str] = []  # a page found by the same search does not leave for another
    for page_id, _ in found:
        space.access(page_id, now, held)
        held.append(page_id)
