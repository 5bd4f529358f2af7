"""Eviction by importance, recency and frequency."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from memlab.checking import check_flag, check_number
from memlab.eviction import Draw, Policy
from memlab.naming import component
from memlab.pages import MemoryPage


@component
class WeightedLRU(Policy):
    r"""Evict the page of the lowest importance × (recency + `frequency` × ln(1 + accesses)).

    Recency is 1 / (1 + hours since the last access). Of equal scores the first in main memory
    is evicted. An importance below `floor` counts as `floor`, so that pages of importance 0 still
    differ by recency. From 28 accesses on (e^(1/0.3) − 1 = 27.03) the frequency exceeds the most
    that recency can be, and it never falls: `aged=True` halves a count with every `half_life`
    hours that pass since the access.

    Source: memlab's own definition, after the page manager of MemGPT: Packer et al. (2023),
        "MemGPT: Towards LLMs as Operating Systems".

    >>> from memlab.types import utc
    >>> now = utc("2024-05-09")
    >>> page = MemoryPage(id="p", content="", tokens=0, last_accessed=utc("2024-05-08"))
    >>> round(WeightedLRU().score(page, now), 3)  # .5 × 1/25
    0.02
    """

    kept: ClassVar[tuple[str, ...]] = ("counts",)

    frequency: float = 0.3
    floor: float = 0.05
    aged: bool = False
    half_life: float = 168.0

    def reset(self, limit: int, draw: Draw) -> None:
        """Forget everything.

        Raises:
            ConfigError: a negative frequency, a floor outside of [0, 1], a half-life of 0.
        """
        check_number("frequency", self.frequency)
        check_number("floor", self.floor, high=1.0)
        check_flag("aged", self.aged)
        check_number("half_life", self.half_life, low=1e-9)
        super().reset(limit, draw)
        self.counts: dict[str, list[float]] = {}  # the aged count, accesses in it, hour of the last

    def admit(self, page: MemoryPage, now: datetime) -> None:
        """Age the count of the page, and add its new accesses."""
        self._count(page, now)

    def touch(self, page: MemoryPage, now: datetime) -> None:
        """Age the count of the page, and add its new accesses."""
        self._count(page, now)

    def _count(self, page: MemoryPage, now: datetime) -> None:
        _, seen, _ = self.counts.get(page.id, (0.0, 0, 0.0))
        if self.aged and page.access_count > seen:
            value = self.accesses(page, now) + page.access_count - seen
            self.counts[page.id] = [value, page.access_count, _hours(now)]

    def accesses(self, page: MemoryPage, now: datetime) -> float:
        """Return the accesses that count: all of them, or the aged count."""
        if not self.aged:
            return page.access_count
        value, _, hour = self.counts.get(page.id, (0.0, 0, 0.0))
        return value * math.exp2(-max(0.0, _hours(now) - hour) / self.half_life)

    def score(self, page: MemoryPage, now: datetime) -> float:
        """Return how much the page is worth keeping at a time."""
        recency = 1 / (1 + max(0.0, (now - page.last_accessed).total_seconds() / 3600))
        frequency = math.log1p(self.accesses(page, now))
        return max(page.importance, self.floor) * (recency + self.frequency * frequency)

    def victim(self, pages: Mapping[str, MemoryPage], incoming: MemoryPage, now: datetime) -> str:
        """Return the page with the lowest score."""
        del incoming
        return min(pages.values(), key=lambda page: self.score(page, now)).id

    def drop(self, page_id: str) -> None:
        """Forget a page."""
        self.counts.pop(page_id, None)


def _hours(moment: datetime) -> float:
    return moment.timestamp() / 3600
