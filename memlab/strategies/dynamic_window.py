"""A window that grows while requests are complex and shrinks while they are plain."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain, islice
from typing import ClassVar

from memlab.checking import check_flag, check_methods, check_number, check_whole
from memlab.errors import ConfigError
from memlab.history import TurnMemory
from memlab.naming import part, strategy
from memlab.protocols import ScoresComplexity
from memlab.taxonomy import Tags
from memlab.types import Item, Query, Turn


class _Size:
    """The size of a user's window, and the scores of the last requests."""

    def __init__(self, exchanges: int, inputs: int) -> None:
        self.exchanges = exchanges
        self.scores: deque[float] = deque(maxlen=inputs)


@strategy
class DynamicWindow(TurnMemory):
    """Return the last exchanges of the user, newest first; how many depends on the requests.

    After each user turn, once `inputs` are there, the mean complexity of the last `inputs`
    decides: above `high` the window grows by `grow` up to `most`, below `low` it shrinks by
    `shrink` down to `least`. The question that is read for counts as the newest of them,
    without being kept. A window is a view: what left it comes back when it grows. With `system`
    what the system said is in every window, before the others.

    >>> DynamicWindow(most=30)
    DynamicWindow(most=30)
    """

    taxonomy: ClassVar[Tags] = Tags("short-term", "in-memory", "dialogue", "recency")

    scorer: ScoresComplexity = part("ComplexityScorer()")
    initial: int = 5
    least: int = 3
    most: int = 20
    grow: int = 2
    shrink: int = 1
    high: float = 0.6
    low: float = 0.3
    inputs: int = 5
    system: bool = False

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a negative size or step, no inputs, sizes or limits out of order, a
                scorer that is none.
        """
        for name in ("least", "grow", "shrink"):
            check_whole(name, getattr(self, name))
        check_whole("inputs", self.inputs, least=1)
        check_number("low", self.low, high=1.0)
        check_number("high", self.high, high=1.0)
        if not self.least <= self.initial <= self.most or self.low > self.high:
            raise ConfigError(
                f"least={self.least}, initial={self.initial}, most={self.most}, "
                f"low={self.low}, high={self.high}",
                "least <= initial <= most and low <= high",
            )
        check_flag("system", self.system)
        check_methods("scorer", self.scorer, "check complexity")
        self.scorer.check()
        super().reset()
        self._sizes: dict[str, _Size] = {}

    def write(self, turn: Turn) -> None:
        """Keep a turn; one of the user's may change the size of the window."""
        super().write(turn)
        self._see(turn)

    def _see(self, turn: Turn) -> None:
        if turn.role == "user":
            size = self._size(turn.user)
            size.scores.append(self._complexity(turn.text))
            size.exchanges = self._stepped(size.exchanges, size.scores)

    def _size(self, user: str) -> _Size:
        return self._sizes.setdefault(user, _Size(self.initial, self.inputs))

    def _complexity(self, text: str) -> float:
        return self.scorer.complexity(text, self.run.count)

    def _stepped(self, exchanges: int, scores: Sequence[float]) -> int:
        if len(scores) < self.inputs:
            return exchanges
        # Rounded, as sums of tenths are not exact and the limits are tenths as well.
        mean = round(sum(scores) / len(scores), 9)
        if mean > self.high:
            return min(self.most, exchanges + self.grow)
        return max(self.least, exchanges - self.shrink) if mean < self.low else exchanges

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user; the size is that of a window that never saw them."""
        super().forget(turn_ids, user)
        self._sizes.pop(user, None)
        for row in self.history.rows(user):
            self._see(self.history[row])

    def size(self, query: Query) -> int:
        """Return the exchanges that a read for this question looks at."""
        known = self._sizes.get(query.user) or _Size(self.initial, self.inputs)
        scores = deque([*known.scores, self._complexity(query.text)], maxlen=self.inputs)
        return self._stepped(known.exchanges, scores)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the window, newest first, as far as it fits the budget."""
        exchanges = islice(self.history.exchanges(query.user), self.size(query))
        rows = chain.from_iterable(exchanges)
        return self.history.window(query.user, rows, budget, system=self.system)

    def stats(self) -> Mapping[str, int | float]:
        """Return the smallest and the largest window that a user has now."""
        sizes = [size.exchanges for size in self._sizes.values()] or [self.initial]
        return {"smallest window": min(sizes), "largest window": max(sizes)}
