"""Virtual memory: a context of limited size before an archive, as an operating system pages."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar

from memlab.checking import check_choice, check_flag, check_methods, check_whole
from memlab.errors import ConfigError
from memlab.naming import fields, part, strategy
from memlab.pageaccess import PageMemory, page_in
from memlab.pagetable import PageTable
from memlab.paging import Paging
from memlab.protocols import EvictionPolicy
from memlab.registry import resolve
from memlab.run import Run
from memlab.taxonomy import Tags
from memlab.types import Forget, Item, Probe, Query, Turn

MAIN = 128_000 * 7 // 10
"""Tokens of main memory: 70 % of a window of 128,000, the rest being for prompt and answer."""

_POLICY = "reset miss admit touch victim drop state restore"
_INDEX = "reset write forget scores save load"


@strategy
class VirtualMemory(PageMemory):
    """Keep pages of turns in main memory while they fit, the others in an archive that is searched.

    A new turn goes to main memory, a page of one user and session, which holds `page` turns or
    `page_tokens` tokens (default: one turn; tool calls with their results). If main memory would
    exceed `tokens`, the `eviction` policy sends pages to the archive until it does not; with
    `evict="one"` it sends one, which breaks the limit if the page that comes in is larger. A turn
    longer than main memory is split over several pages.

    A read searches main memory and archive by `index`, a memory with `scores` (`Overlap`, `BM25`,
    `Vector`, `Hybrid`), and pages the best `k` in. What is in main memory then comes back: the
    hits, best first, and the other pages, last used first. With `touch=False` all this happens in a
    copy, so that a read returns what it would with `touch=True`, and leaves all pages where they
    are. Every user has a main memory.

    Importance (0 to 1, default 0.5) and category come from a turn's `meta`.

    Counted (`stats`): see `memlab.paging.COUNTED`; pages, those in main memory, and importances
    that are no number from 0 to 1 and were ignored.

    Source: Packer et al. (2023), "MemGPT: Towards LLMs as Operating Systems", arXiv:2310.08560.

    >>> from memlab.policies import LRU
    >>> VirtualMemory(tokens=1000, eviction=LRU())
    VirtualMemory(tokens=1000, eviction=LRU())
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "in-memory", "dialogue", "hybrid")

    tokens: int = MAIN
    eviction: EvictionPolicy = part("WeightedLRU()")
    evict: str = "until fit"
    page: int | None = None
    page_tokens: int | None = None
    index: Any = part("Overlap()")
    k: int = 5
    touch: bool = False

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: sizes below 1, both page sizes, an unknown way to evict, unfit parts.
        """
        self._check()
        super().reset()
        self.index.reset()
        from memlab.pagestore import PageStore

        most = self.tokens if self.evict == "until fit" else None
        table = PageTable(self.history, self.page, self.page_tokens, most)
        self.store = PageStore(table, self.index, self._made)
        self._logs: dict[str, list[str]] | None = None
        self._future = self._foreseen()

    def _check(self) -> None:
        check_whole("tokens", self.tokens, least=1)
        for name in ("page", "page_tokens"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), least=1)
        if self.page is not None and self.page_tokens is not None:
            sizes = f"page={self.page} and page_tokens={self.page_tokens}"
            raise ConfigError(sizes, "one of the two sizes of a page")
        check_choice("evict", self.evict, ("until fit", "one"))
        check_whole("k", self.k)
        check_flag("touch", self.touch)
        check_methods("eviction", self.eviction, _POLICY)
        check_methods("index", self.index, _INDEX)

    def attach(self, run: Run) -> None:
        """Work in `run`, with the parts; a policy that knows the future is told it."""
        super().attach(run)
        for able in self._parts("attach"):
            able.attach(run)
        self._future = self._foreseen()

    def _foreseen(self) -> dict[str, list[str]]:
        """Return the pages that each user will write and access, if the policy may know.

        What a search finds does not depend on where pages are, so any other policy tells.
        """
        seen = self.run.conversation
        if seen is None or not getattr(self.eviction, "privileged", False):
            return {}
        index = copy.deepcopy(self.index, {id(self.run): self.run})
        own = {**fields(self), "eviction": resolve("LRU")(), "index": index}
        scout = type(self)(**own)
        scout.reset()
        scout.attach(Run(self.run.counter, self.run.seed, self.run.vectors))
        scout._logs = {}
        for event in seen.events:
            match event:
                case Turn():
                    scout.write(event)
                case Forget():
                    scout.forget(event.turn_ids, event.user)
                case Probe():
                    scout.page_in(Query(event.text, event.time, event.user))
                case _:
                    scout.maintain(event.time)
        return scout._logs

    def _made(self, user: str) -> Paging:
        """Return the memory of a user, with a policy of its own."""

        def draw(number: int, below: int) -> int:
            return int(self.run.rng("eviction", user, str(number)).integers(below))

        policy: Any = copy.deepcopy(self.eviction)
        policy.reset(self.tokens, draw)
        if hasattr(policy, "foresee"):
            policy.foresee(self._future.get(user, []))
        log = None if self._logs is None else self._logs.setdefault(user, [])
        return Paging(self.tokens, policy, until_fit=self.evict == "until fit", log=log)

    def write(self, turn: Turn) -> None:
        """Put a turn on a page in main memory; other pages leave for it.

        Raises:
            ConfigError: main memory is too small for one character.
        """
        self.store.write(turn)

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user from their pages; pages of which nothing is left are gone."""
        self.store.forget(turn_ids, user)

    def flush(self) -> None:
        """Index the pages that are still being filled."""
        self.store.settle()
        super().flush()

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return what is in main memory once the pages that the search found are in."""
        space = self.store.users.get(query.user)
        if space is None:
            return []
        found = self.store.found(query, self.k)
        seen = space if self.touch else space.trial(page_id for page_id, _ in found)
        page_in(seen, found, query.time)
        if not self.touch:
            space.count_read(seen)
        hits = [(page_id, score) for page_id, score in found if page_id in seen.main]
        known = {page_id for page_id, _ in hits}
        others = ((page_id, 0.0) for page_id in reversed(seen.recent) if page_id not in known)
        return self.store.packed(chain(hits, others), budget)
