"""Main memory of limited size before an archive: pages come in when used, and others leave."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memlab.errors import ConfigError, ContractError
from memlab.eviction import Policy
from memlab.pages import MemoryPage

if TYPE_CHECKING:
    from memlab.protocols import EvictionPolicy

COUNTED = tuple("accesses hits faults evictions thrash overflows above refused".split())
"""What a memory counts. An access is a hit if the page is in main memory, else a fault.

thrash: faults of a page since whose eviction fewer pages were evicted than main memory holds, so
that one of twice the size would have kept it (the refault distance of the Linux kernel). overflows:
pages that came in and took main memory over its limit; above: those that left it above, whether or
not it was before. refused: pages that could not come in, as they and what may not leave exceed the
limit.
"""
_READ = ("accesses", "hits", "faults", "thrash")


class Paging:
    """The pages of one user: those in main memory, of `limit` tokens at most, and the archive.

    With `until_fit` pages leave until there is room, so that the limit always holds. Without it
    at most one leaves, which breaks the limit whenever the page that comes in is larger: a fault
    kept to be measured. `log` gets the id of each page that is written or accessed.
    """

    def __init__(
        self,
        limit: int,
        policy: EvictionPolicy,
        *,
        until_fit: bool = True,
        log: list[str] | None = None,
    ) -> None:
        self.limit, self.policy, self.until_fit, self.log = limit, policy, until_fit, log
        self.main: dict[str, MemoryPage] = {}
        self.archive: dict[str, MemoryPage] = {}
        self.recent: OrderedDict[str, None] = OrderedDict()
        self.pinned: dict[str, None] = {}
        self.counts = dict.fromkeys(COUNTED, 0)
        self.used = 0
        self._left: dict[str, int] = {}

    def __getitem__(self, page_id: str) -> MemoryPage:
        return self.main[page_id] if page_id in self.main else self.archive[page_id]

    def __contains__(self, page_id: str) -> bool:
        return page_id in self.main or page_id in self.archive

    def put(self, page: MemoryPage, now: datetime) -> None:
        """Write a new page, or one that has grown; it comes into main memory if it can."""
        self._note(page.id)
        if not self._admit(page, now, ()):
            self.archive[page.id] = page

    def shrink(self, page: MemoryPage) -> None:
        """Replace a page by one that is no larger, where it is."""
        if page.id in self.main:
            self.used += page.tokens - self.main[page.id].tokens
            self.main[page.id] = page
            self.policy.admit(page, page.last_accessed)
        else:
            self.archive[page.id] = page

    def access(self, page_id: str, now: datetime, held: Collection[str] = ()) -> bool:
        """Use a page, which comes into main memory; return whether it is there now.

        `held` pages do not leave to make room.
        """
        self._note(page_id)
        self.counts["accesses"] += 1
        used = self[page_id].accessed(now)
        if page_id in self.main:
            self.counts["hits"] += 1
            self.main[page_id] = used
            self.recent.move_to_end(page_id)
            self.policy.touch(used, now)
            return True
        self.counts["faults"] += 1
        if page_id in self._left:
            since = self.counts["evictions"] - self._left[page_id]
            self.counts["thrash"] += since < len(self.main)
        return self._admit(used, now, held)

    def pin(self, page_id: str, now: datetime) -> None:
        """Bring a page in, if it is not there, and keep it in main memory.

        Raises:
            ConfigError: the pinned pages would exceed main memory.
        """
        page = self[page_id]
        total = page.tokens + sum(self[i].tokens for i in self.pinned if i != page_id)
        if total > self.limit:
            raise ConfigError(
                f"{total} tokens of pinned pages, with {page_id!r}",
                f"at most the {self.limit} of main memory",
                "unpin another page first",
            )
        self.pinned[page_id] = None
        if page_id not in self.main:
            self._admit(page, now, ())

    def unpin(self, page_id: str) -> None:
        """Let a page leave again."""
        self.pinned.pop(page_id, None)

    def delete(self, page_id: str) -> None:
        """Remove a page for good."""
        if page_id in self.main:
            self.used -= self.main.pop(page_id).tokens
        for known in (self.archive, self.recent, self.pinned, self._left):
            known.pop(page_id, None)
        self.policy.drop(page_id)

    def _note(self, page_id: str) -> None:
        if self.log is not None:
            self.log.append(page_id)

    def _admit(self, page: MemoryPage, now: datetime, held: Collection[str]) -> bool:
        before = self.main.get(page.id)
        if before is None:
            self.policy.miss(page, now)
        fixed = {i for i in (*self.pinned, *held) if i in self.main} - {page.id}
        stay = sum(self.main[i].tokens for i in fixed)
        if self.until_fit and stay + page.tokens > self.limit:
            self.counts["refused"] += 1
            if before is not None:
                self._remove(page.id)
                self.pinned.pop(page.id, None)
                self.policy.drop(page.id)
            return False
        within = self.used <= self.limit
        extra = page.tokens - (0 if before is None else before.tokens)
        self._make_room(page, extra, now, {*fixed, page.id})
        self.main[page.id] = page
        self.archive.pop(page.id, None)
        self._left.pop(page.id, None)
        self.used += extra
        self.recent[page.id] = None
        self.recent.move_to_end(page.id)
        self.policy.admit(page, now)
        self.counts["overflows"] += within and self.used > self.limit
        self.counts["above"] += self.used > self.limit
        return True

    def _make_room(
        self, page: MemoryPage, extra: int, now: datetime, fixed: Collection[str]
    ) -> None:
        if self.used + extra <= self.limit:
            return
        free = {i: p for i, p in self.main.items() if i not in fixed}
        while self.used + extra > self.limit and free:
            chosen = self.policy.victim(free, page, now)
            if chosen not in free:
                raise ContractError(
                    f"{self.policy!r} evicts {chosen!r}", "one of the pages that may leave"
                )
            del free[chosen]
            self._remove(chosen)
            self.counts["evictions"] += 1
            self._left[chosen] = self.counts["evictions"]
            if not self.until_fit:
                return

    def _remove(self, page_id: str) -> None:
        self.archive[page_id] = self.main.pop(page_id)
        self.used -= self.archive[page_id].tokens
        self.recent.pop(page_id, None)

    def trial(self, page_ids: Iterable[str]) -> Paging:
        """Return a copy in which these pages can be accessed, and nothing of it is remembered."""
        wanted = [page_id for page_id in page_ids if page_id in self.archive]
        enough = self.used + sum(self.archive[i].tokens for i in wanted) <= self.limit
        policy: EvictionPolicy = _Idle()
        if not enough:
            twin = getattr(self.policy, "twin", None)
            policy = twin() if twin else copy.deepcopy(self.policy)
        made = Paging(self.limit, policy, until_fit=self.until_fit)
        made.main, made.recent = dict(self.main), self.recent.copy()
        made.archive = {page_id: self.archive[page_id] for page_id in wanted}
        made.pinned, made.used = dict(self.pinned), self.used
        made.counts = dict(self.counts)
        made._left = {page_id: self._left[page_id] for page_id in wanted if page_id in self._left}
        return made

    def count_read(self, trial: Paging) -> None:
        """Take over what a copy counted while it was read."""
        self.counts.update({name: trial.counts[name] for name in _READ})

    def state(self) -> dict[str, Any]:
        """Return everything but the pages as JSON values."""
        return {
            "main": list(self.main),
            "recent": list(self.recent),
            "pinned": list(self.pinned),
            "left": self._left,
            "counts": self.counts,
            "policy": self.policy.state(),
        }

    def restore(self, state: Mapping[str, Any], pages: Mapping[str, MemoryPage]) -> None:
        """Replace the state by what `state` returned, with these pages."""
        self.main = {page_id: pages[page_id] for page_id in state["main"]}
        self.archive = {i: page for i, page in pages.items() if i not in self.main}
        self.recent = OrderedDict.fromkeys(state["recent"])
        self.pinned = dict.fromkeys(state["pinned"])
        self._left, self.counts = dict(state["left"]), dict(state["counts"])
        self.used = sum(page.tokens for page in self.main.values())
        self.policy.restore(state["policy"])


class _Idle(Policy):
    """Stands for the policy where nothing will have to leave."""

    def victim(self, pages: Mapping[str, MemoryPage], incoming: MemoryPage, now: datetime) -> str:
        del incoming, now
        return next(iter(pages))
