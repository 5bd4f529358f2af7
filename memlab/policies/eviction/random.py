"""Eviction by lot."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import ClassVar

from memlab.eviction import Draw, Policy
from memlab.naming import component
from memlab.pages import MemoryPage


@component
class RandomEviction(Policy):
    """Evict any page, all with equal chances, drawn by the seed of the run.

    Source: memlab's own definition; the floor of the other policies.
    """

    kept: ClassVar[tuple[str, ...]] = ("draws",)

    def reset(self, limit: int, draw: Draw) -> None:
        """Forget everything."""
        super().reset(limit, draw)
        self.draws = 0

    def victim(self, pages: Mapping[str, MemoryPage], incoming: MemoryPage, now: datetime) -> str:
        """Return a page drawn by lot."""
        del incoming, now
        at = self.draw(self.draws, len(pages))
        self.draws += 1
        return next(islice(pages, at, None))
