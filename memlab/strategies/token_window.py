"""The newest turns within a number of tokens."""

from __future__ import annotations

from typing import ClassVar

from memlab.checking import check_whole
from memlab.history import MOST, TurnMemory
from memlab.naming import strategy
from memlab.taxonomy import Tags
from memlab.types import Item, Query


@strategy
class TokenWindow(TurnMemory):
    """Return the user's newest turns whose texts hold at most `tokens` tokens.

    A newest turn that is too long by itself comes back cut short, as an excerpt: the
    message that is being answered must not vanish.

    >>> TokenWindow(tokens=500)
    TokenWindow(tokens=500)
    """

    taxonomy: ClassVar[Tags] = Tags("short-term", "in-memory", "dialogue", "recency")

    tokens: int = 1000

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a negative number of tokens.
        """
        check_whole("tokens", self.tokens)
        super().reset()

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the window, newest first, as far as it fits the budget."""
        limit = self.tokens if budget is None else min(self.tokens, budget)
        newest = self.history.newest(query.user)
        items = self.history.recent(newest, limit, most=MOST if budget is None else None)
        return items or self._excerpt(query.user, limit)

    def _excerpt(self, user: str, limit: int) -> list[Item]:
        newest = next(self.history.newest(user), None)
        if newest is None or "call" in self.history[newest].meta:
            return []
        turn = self.history[newest]
        text = self.run.counter.truncate(turn.text, limit)
        return [Item(text, (turn.id,), "excerpt")] if text else []
