"""The floor: a memory that keeps nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from memlab.naming import strategy
from memlab.taxonomy import Tags
from memlab.types import Item, Query, Turn


@strategy
class NoMemory:
    """Keep nothing and return nothing: what every other strategy must beat.

    >>> NoMemory()
    NoMemory()
    """

    taxonomy: ClassVar[Tags] = Tags("none", "none", "none", "none")

    def reset(self) -> None:
        """Forget everything, of which there is nothing."""

    def write(self, turn: Turn) -> None:
        """Let the turn pass."""

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Forget turns that were never kept."""

    def read(self, query: Query, budget: int | None) -> list[Item]:  # noqa: ARG002
        """Return nothing."""
        return []
