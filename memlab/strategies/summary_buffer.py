"""Recent turns whole, older ones in a summary."""

from __future__ import annotations

from itertools import accumulate
from typing import ClassVar

from memlab.checking import check_number, check_whole
from memlab.errors import ConfigError
from memlab.folding import SummaryMemory
from memlab.naming import part, strategy
from memlab.protocols import Summarizer
from memlab.segments import Segment, State
from memlab.taxonomy import Tags


@strategy
class SummaryBuffer(SummaryMemory):
    """Keep a user's recent turns whole and fold older ones into a running summary.

    Whole are at most `tokens` tokens; if they are more, the oldest turns are folded, `every` at
    least, but never the newest one. With `turns`, the last `turns` stay whole and those before
    them are folded `every` at a time; both limits may be given. The summary holds at most `ratio`
    of the tokens of the turns in it, and at most `summary`. What is returned and what is counted
    is told at `memlab.folding.SummaryMemory`.

    >>> SummaryBuffer(turns=5, every=1)
    SummaryBuffer(turns=5, every=1)
    """

    taxonomy: ClassVar[Tags] = Tags("short-term", "in-memory", "dialogue", "recency")

    tokens: int | None = 2000
    turns: int | None = None
    every: int = 10
    summary: int = 2000
    ratio: float = 0.2
    form: str = "dated"
    summarizer: Summarizer = part("ExtractiveSummarizer()")

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: neither tokens nor turns, or one of the numbers out of range.
        """
        if self.tokens is None and self.turns is None:
            raise ConfigError("tokens=None and turns=None", "at least one limit of the buffer")
        for name in ("tokens", "turns"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name))
        check_whole("summary", self.summary)
        check_number("ratio", self.ratio, high=1.0)
        super().reset()

    def due(self, state: State) -> int:
        """Return how many turns exceed the buffer, `every` at least."""
        wanted = 0
        if self.turns is not None and len(state.whole) - self.turns >= self.every:
            wanted = len(state.whole) - self.turns
        if self.tokens is not None and state.tokens > self.tokens:
            sizes = accumulate(self.history.tokens[row] for row in state.whole)
            over = state.tokens - self.tokens
            least = next(i for i, size in enumerate(sizes, 1) if size >= over)
            wanted = max(wanted, min(max(least, self.every), len(state.whole) - 1))
        return wanted

    def limit(self, segment: Segment) -> int:
        """Return the tokens of the summary."""
        return min(self.summary, int(self.ratio * segment.tokens))
