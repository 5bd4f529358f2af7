"""Eviction by recency."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from memlab.eviction import Draw, Policy
from memlab.naming import component
from memlab.pages import MemoryPage


@component
class LRU(Policy):
    """Evict the page whose last access is the longest ago.

    Source: Mattson, Gecsei, Slutz and Traiger (1970), "Evaluation techniques for storage
        hierarchies", IBM Systems Journal 9(2).
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
        """Return the page that was accessed the longest ago."""
        del incoming, now
        chosen = next(page_id for page_id in self.order if page_id in pages)
        del self.order[chosen]
        return chosen

    def drop(self, page_id: str) -> None:
        """Forget a page."""
        self.order.pop(page_id, None)
