"""Everything that was said, newest first."""

from __future__ import annotations

from typing import ClassVar

from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.taxonomy import Tags
from memlab.types import Item, Query


@strategy
class FullHistory(TurnMemory):
    """Keep every turn and return as many of the newest as the budget holds.

    With a budget larger than the dialogue this is the full-context baseline; without one,
    the newest 100 turns come back, as from every strategy.

    >>> FullHistory()
    FullHistory()
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "in-memory", "dialogue", "recency")

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the user's turns, newest first."""
        return self.history.recent(self.history.newest(query.user), budget)
