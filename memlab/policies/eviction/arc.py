"""Eviction that adapts between recency and frequency."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Self

from memlab.eviction import Draw, Policy
from memlab.naming import component
from memlab.pages import MemoryPage

Sizes = OrderedDict[str, int]


@component
class ARC(Policy):
    """Share main memory between pages seen once and pages seen again; ghosts move the border.

    T1 holds the pages accessed once since they came in, T2 the others, B1 and B2 the names of
    those last evicted from each. A miss of a page in B1 raises p, the room meant for T1, one of a
    page in B2 lowers it; T1 gives a page up while it is larger than p, else T2 does.

    Sizes are in tokens: lists are measured by the tokens of their pages, and a step of p is that
    of the paper times the size of the page. With pages of size 1 it is the algorithm of the paper.

    Source: Megiddo and Modha (2003), "ARC: a self-tuning, low overhead replacement cache", FAST.
    """

    kept: ClassVar[tuple[str, ...]] = ("t1", "t2", "b1", "b2", "p")

    def reset(self, limit: int, draw: Draw) -> None:
        """Forget everything."""
        super().reset(limit, draw)
        self.t1: Sizes = OrderedDict()
        self.t2: Sizes = OrderedDict()
        self.b1: Sizes = OrderedDict()
        self.b2: Sizes = OrderedDict()
        self.p = 0.0
        self._weigh()

    def _weigh(self) -> None:
        """Add up the tokens of the four lists, which are then kept up to date."""
        self._tokens = {
            name: sum(getattr(self, name).values()) for name in ("t1", "t2", "b1", "b2")
        }

    def twin(self) -> Self:
        """Return a copy that changes nothing of this one."""
        made = super().twin()
        made._weigh()
        return made

    def restore(self, state: dict[str, Any]) -> None:
        """Replace the state by what `state` returned."""
        super().restore(state)
        self._weigh()

    def _add(self, name: str, page_id: str, size: int) -> None:
        getattr(self, name)[page_id] = size
        self._tokens[name] += size

    def _take(self, name: str, page_id: str | None = None) -> tuple[str, int]:
        """Remove a page from a list, the oldest by default."""
        pages: Sizes = getattr(self, name)
        found = pages.popitem(last=False) if page_id is None else (page_id, pages.pop(page_id))
        self._tokens[name] -= found[1]
        return found

    def miss(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Move the border if the page is a ghost, else drop the ghosts that it displaces."""
        size, tokens = page.tokens, self._tokens
        if page.id in self.b1:
            step = max(1.0, tokens["b2"] / max(1, tokens["b1"])) * size
            self.p = min(float(self.limit), self.p + step)
        elif page.id in self.b2:
            step = max(1.0, tokens["b1"] / max(1, tokens["b2"])) * size
            self.p = max(0.0, self.p - step)
        elif tokens["t1"] + tokens["b1"] + size > self.limit:
            while self.b1 and tokens["t1"] + tokens["b1"] + size > self.limit:
                self._take("b1")
        else:
            while self.b2 and sum(tokens.values()) + size > 2 * self.limit:
                self._take("b2")

    def admit(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Put a new page into T1, a ghost into T2; take over the size of one that is there."""
        for name in ("t1", "t2"):
            if page.id in getattr(self, name):
                self._tokens[name] += page.tokens - getattr(self, name)[page.id]
                getattr(self, name)[page.id] = page.tokens
                return
        ghost = "b1" if page.id in self.b1 else "b2" if page.id in self.b2 else ""
        if ghost:
            self._take(ghost, page.id)
        self._add("t2" if ghost else "t1", page.id, page.tokens)

    def touch(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Move the page to the end of T2."""
        self._take("t1" if page.id in self.t1 else "t2", page.id)
        self._add("t2", page.id, page.tokens)

    def victim(self, pages: Mapping[str, MemoryPage], incoming: MemoryPage, now: datetime) -> str:
        """Return the oldest page of T1 or T2, which becomes a ghost."""
        del now
        name = "t1" if self._from_t1(incoming) else "t2"
        chosen = _oldest(getattr(self, name), pages)
        if chosen is None:  # all pinned
            name = "t2" if name == "t1" else "t1"
            chosen = _oldest(getattr(self, name), pages)
        if chosen is None:
            raise KeyError("no page of main memory is known to the policy")
        new = all(incoming.id not in known for known in (self.t1, self.t2, self.b1, self.b2))
        full = not self.b1 and self._tokens["t1"] + incoming.tokens > self.limit
        _, size = self._take(name, chosen)
        if not (name == "t1" and new and full):  # a T1 that fills all leaves no ghost
            self._add("b1" if name == "t1" else "b2", chosen, size)
        return chosen

    def _from_t1(self, incoming: MemoryPage) -> bool:
        size = self._tokens["t1"]
        return bool(self.t1) and (size > self.p or (incoming.id in self.b2 and size == self.p))

    def drop(self, page_id: str) -> None:
        """Forget a page and its ghost."""
        for name in ("t1", "t2", "b1", "b2"):
            if page_id in getattr(self, name):
                self._take(name, page_id)


def _oldest(known: Sizes, pages: Mapping[str, MemoryPage]) -> str | None:
    return next((page_id for page_id in known if page_id in pages), None)
