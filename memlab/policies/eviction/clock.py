"""Eviction by second chances."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from memlab.eviction import Draw, Policy
from memlab.naming import component
from memlab.pages import MemoryPage


@component
class CLOCK(Policy):
    """Go round the pages as a hand goes round a clock; spare each that was accessed once.

    A page comes in with its bit set. The hand clears bits until it meets one that is not set,
    and evicts that page; the page that comes in takes its place, behind the hand.

    Source: Corbató (1968), "A paging experiment with the Multics system", MIT Project MAC.
    """

    kept: ClassVar[tuple[str, ...]] = ("ring",)

    def reset(self, limit: int, draw: Draw) -> None:
        """Forget everything."""
        super().reset(limit, draw)
        self.ring: OrderedDict[str, bool] = OrderedDict()  # the hand is at the first

    def admit(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Put a new page behind the hand."""
        self.ring.setdefault(page.id, True)

    def touch(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Set the bit of the page."""
        self.ring[page.id] = True

    def victim(self, pages: Mapping[str, MemoryPage], incoming: MemoryPage, now: datetime) -> str:
        """Return the first page whose bit is not set, after at most two rounds."""
        del incoming, now
        while True:
            page_id, bit = next(iter(self.ring.items()))
            if page_id in pages and not bit:
                del self.ring[page_id]
                return page_id
            if page_id in pages:
                self.ring[page_id] = False
            self.ring.move_to_end(page_id)

    def drop(self, page_id: str) -> None:
        """Forget a page."""
        self.ring.pop(page_id, None)
