"""Eviction by the order of coming in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from memlab.eviction import Draw, Policy
from memlab.naming import component
from memlab.pages import MemoryPage


@component
class FIFO(Policy):
    """Evict the page that came in first, however often it was accessed.

    More room may mean more faults (Belady's anomaly).

    Source: Belady, Nelson and Shedler (1969), "An anomaly in space-time characteristics of
        certain programs running in a paging machine", CACM 12(6).
    """

    kept: ClassVar[tuple[str, ...]] = ("order",)

    def reset(self, limit: int, draw: Draw) -> None:
        """Forget everything."""
        super().reset(limit, draw)
        self.order: OrderedDict[str, None] = OrderedDict()

    def admit(self, page: MemoryPage, now: datetime) -> None:  # noqa: ARG002
        """Put a new page at the end."""
        self.order.setdefault(page.id, None)

    def victim(self, pages: Mapping[str, MemoryPage], incoming: MemoryPage, now: datetime) -> str:
        """Return the page that came in first."""
        del incoming, now
        chosen = next(page_id for page_id in self.order if page_id in pages)
        del self.order[chosen]
        return chosen

    def drop(self, page_id: str) -> None:
        """Forget a page."""
        self.order.pop(page_id, None)
