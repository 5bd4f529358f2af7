"""Pages of memory: a text with what an eviction policy looks at."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from memlab.checking import check_choice, check_number, check_whole

CATEGORIES = ("conversation", "knowledge", "skill", "metadata")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPage:
    """One page: `tokens` is its size, `last_accessed` a time on the dialogue's clock.

    `importance` is from 0 to 1, `category` one of conversation, knowledge, skill, metadata. To
    be written counts as the first access time, not as an access.

    Raises:
        ConfigError: an importance outside of [0, 1], an unknown category, a negative number.

    >>> from memlab.types import utc
    >>> page = MemoryPage(id="p0", content="tea", tokens=1, last_accessed=utc("2024-05-08"))
    >>> page.accessed(utc("2024-05-09")).access_count
    1
    """

    id: str
    content: str
    tokens: int
    last_accessed: datetime
    access_count: int = 0
    importance: float = 0.5
    category: str = "conversation"

    def __post_init__(self) -> None:
        check_whole("tokens", self.tokens)
        check_whole("access_count", self.access_count)
        check_number("importance", self.importance, high=1.0)
        check_choice("category", self.category, CATEGORIES)

    def accessed(self, now: datetime) -> MemoryPage:
        """Return the page as it is after one more access."""
        return replace(self, last_accessed=now, access_count=self.access_count + 1)

    def to_json(self) -> dict[str, Any]:
        """Return the page as JSON values."""
        return {**asdict(self), "last_accessed": self.last_accessed.isoformat()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MemoryPage:
        """Read back what `to_json` wrote."""
        return cls(**{**data, "last_accessed": datetime.fromisoformat(data["last_accessed"])})
