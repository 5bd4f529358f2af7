"""The newest turns within a number of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from memlab.checking import check_choice, check_flag, check_whole
from memlab.history import MOST, TurnMemory
from memlab.naming import strategy
from memlab.taxonomy import Tags
from memlab.types import Item, Query


@strategy
class TokenWindow(TurnMemory):
    """Return the user's newest turns whose texts hold at most `tokens` tokens.

    With `unit="exchange"` whole exchanges leave the window, so that no answer stays without
    its question; of the newest exchange alone as much comes back as fits. A newest turn that
    is too long by itself comes back cut short, as an excerpt: the message that is being
    answered must not vanish. With `system` what the system said is in every window, before the
    others, as far as it fits, and counts.

    >>> TokenWindow(tokens=500, unit="exchange")
    TokenWindow(tokens=500, unit='exchange')
    """

    taxonomy: ClassVar[Tags] = Tags("short-term", "in-memory", "dialogue", "recency")

    tokens: int = 1000
    unit: str = "message"
    system: bool = False

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a negative number of tokens, or an unknown unit.
        """
        check_whole("tokens", self.tokens)
        check_choice("unit", self.unit, ("message", "exchange"))
        check_flag("system", self.system)
        super().reset()

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the window, newest first, as far as it fits the budget."""
        limit = self.tokens if budget is None else min(self.tokens, budget)
        most = MOST if budget is None else None
        rows = self.history.newest(query.user)
        if self.unit == "exchange":
            rows = iter(self._whole(query.user, limit, most))
        items = self.history.window(query.user, rows, limit, most, system=self.system)
        return items or self._excerpt(query.user, limit)

    def _whole(self, user: str, limit: int, most: int | None) -> list[int]:
        """Return the rows of the newest exchanges that fit; all of the newest if not even that."""
        tokens = self.history.tokens
        left = limit - sum(tokens[row] for row in self._pinned(user))
        rows: list[int] = []
        for exchange in self._said(user):
            left -= sum(tokens[row] for row in exchange)
            if rows and (left < 0 or (most and len(rows) + len(exchange) > most)):
                break
            rows += exchange
            if left < 0:
                break
        return rows

    def _said(self, user: str) -> Iterator[list[int]]:
        pinned = self._pinned(user)
        for exchange in self.history.exchanges(user):
            rows = [row for row in exchange if row not in pinned]
            if rows:
                yield rows

    def _pinned(self, user: str) -> Sequence[int]:
        return self.history.pinned(user) if self.system else ()

    def _excerpt(self, user: str, limit: int) -> list[Item]:
        newest = next(self.history.newest(user), None)
        if newest is None or "call" in self.history[newest].meta:
            return []
        turn = self.history[newest]
        text = self.run.counter.truncate(turn.text, limit)
        return [Item(text, (turn.id,), "excerpt")] if text else []
