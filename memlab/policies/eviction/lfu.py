"""Eviction by frequency."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from memlab.eviction import Draw, Policy
from memlab.naming import component
from memlab.pages import MemoryPage


@component
class LFU(Policy):
    """Evict the page with the fewest accesses; of equals, the one accessed the longest ago.

    Accesses are counted for good, also while a page is archived ("perfect LFU").

    Source: Breslau, Cao, Fan, Phillips and Shenker (1999), "Web caching and Zipf-like
        distributions: evidence and implications", INFOCOM.
    """

    kept: ClassVar[tuple[str, ...]] = ("order",)

    def reset(self, limit: int, draw: Draw) -> None:
        """Forget everything."""
        super().reset(limit, draw)
        self.order: OrderedDict[str, None] = OrderedDict()

    def admit(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Put a new page at the end."""
        self.order.setdefault(page.id, None)

    def touch(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Move the page to the end."""
        self.order.move_to_end(page.id)

    def victim(self, pages: Mapping[str, MemoryPage], incoming: MemoryPage, now: datetime) -> str:
        """Return the page with the fewest accesses."""
        del incoming, now
        known = (page_id for page_id in self.order if page_id in pages)
        chosen = min(known, key=lambda page_id: pages[page_id].access_count)
        del self.order[chosen]
        return chosen

    def drop(self, page_id: str) -> None:
        """Forget a page."""
        self.order.pop(page_id, None)
