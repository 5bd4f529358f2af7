"""Eviction that knows the future: the ceiling of the other policies."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import ClassVar

from memlab.eviction import Draw, Policy
from memlab.naming import component
from memlab.pages import MemoryPage


@component
class Belady(Policy):
    """Evict the page whose next access is the farthest away.

    Privileged: it is told every access to come (`foresee`), which memlab finds by walking through
    the conversation first. With pages of one size no policy has fewer faults; with pages of
    several sizes it is the usual approximation of the optimum, whose computation is NP-hard.

    Source: Belady (1966), "A study of replacement algorithms for a virtual-storage computer",
        IBM Systems Journal 5(2).

    >>> Belady.privileged
    True
    """

    privileged: ClassVar[bool] = True
    kept: ClassVar[tuple[str, ...]] = ("at", "missed")

    def reset(self, limit: int, draw: Draw) -> None:
        """Forget everything, the future too."""
        super().reset(limit, draw)
        self.at, self.missed = 0, ""
        self._uses: dict[str, list[int]] = {}

    def foresee(self, accesses: Sequence[str]) -> None:
        """Take in the ids of the pages to come, in order, writes included."""
        self._uses = {}
        for number, page_id in enumerate(accesses):
            self._uses.setdefault(page_id, []).append(number)

    def _next(self, page_id: str) -> float:
        uses = self._uses.get(page_id, [])
        place = bisect_left(uses, self.at)
        return uses[place] if place < len(uses) else math.inf

    def _pass(self, page_id: str) -> None:
        # An access that was not foreseen leaves the place in the future where it is.
        place = self._next(page_id)
        if place < math.inf:
            self.at = int(place) + 1

    def miss(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Go on in the future to the access that happens now."""
        self._pass(page.id)
        self.missed = page.id

    def admit(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Go on in the future if the page has grown in main memory."""
        if page.id != self.missed:
            self._pass(page.id)
        self.missed = ""

    def touch(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Go on in the future to the access that happens now."""
        self._pass(page.id)

    def victim(self, pages: Mapping[str, MemoryPage], incoming: MemoryPage, now: datetime) -> str:
        """Return the page whose next access is the farthest away, or never."""
        del incoming, now
        return max(pages, key=self._next)
