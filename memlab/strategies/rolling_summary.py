"""One summary of everything, rewritten every few turns."""

from __future__ import annotations

from typing import ClassVar

from memlab.checking import check_number, check_whole
from memlab.folding import SummaryMemory
from memlab.naming import part, strategy
from memlab.protocols import Summarizer
from memlab.segments import Segment, State
from memlab.taxonomy import Tags


@strategy
class RollingSummary(SummaryMemory):
    """Fold every `every` turns of a user into a running summary; newer turns stay whole.

    The summary holds at most `ratio` of the tokens of the turns in it, and at most `tokens`. Each
    time it is rewritten from itself and the new turns, so what it once left out is gone. What is
    returned and what is counted is told at `memlab.folding.SummaryMemory`.

    >>> RollingSummary(every=1, tokens=500)
    RollingSummary(every=1, tokens=500)
    """

    taxonomy: ClassVar[Tags] = Tags("short-term", "in-memory", "dialogue", "recency")

    every: int = 10
    tokens: int = 2000
    ratio: float = 0.2
    form: str = "dated"
    summarizer: Summarizer = part("ExtractiveSummarizer()")

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: every below 1, negative tokens, ratio outside [0, 1], no summarizer.
        """
        check_whole("tokens", self.tokens)
        check_number("ratio", self.ratio, high=1.0)
        super().reset()

    def due(self, state: State) -> int:
        """Return `every` once so many turns are whole."""
        return self.every if len(state.whole) >= self.every else 0

    def limit(self, segment: Segment) -> int:
        """Return the tokens of the summary."""
        return min(self.tokens, int(self.ratio * segment.tokens))
