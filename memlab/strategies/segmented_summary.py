"""Several summaries of a fixed size, and a tail of whole turns."""

from __future__ import annotations

from typing import ClassVar

from memlab.checking import check_whole
from memlab.folding import SummaryMemory
from memlab.naming import part, strategy
from memlab.protocols import Summarizer
from memlab.segments import Segment, State
from memlab.taxonomy import Tags


@strategy
class SegmentedSummary(SummaryMemory):
    """Keep a user's last `tail` turns whole, and a summary for every `size` turns before them.

    A summary has at most `tokens` tokens. It takes in its turns `every` at a time, and once it has
    `size` of them it is never rewritten: with the defaults, 20 turns of 100 tokens are a summary
    of the turns 1 to 10, one of 11 to 15, and the turns 16 to 20 whole, 200 + 200 + 500 tokens.
    `every=size` writes each summary in one go; up to `every` − 1 turns more than the tail are
    whole. What is returned and what is counted is told at `memlab.folding.SummaryMemory`.

    >>> SegmentedSummary(size=20, every=20)
    SegmentedSummary(size=20, every=20)
    """

    taxonomy: ClassVar[Tags] = Tags("short-term", "in-memory", "dialogue", "recency")

    size: int = 10
    every: int = 5
    tail: int = 5
    tokens: int = 200
    form: str = "dated"
    summarizer: Summarizer = part("ExtractiveSummarizer()")

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: size or every below 1, a negative tail, negative tokens, no summarizer.
        """
        check_whole("size", self.size, least=1)
        check_whole("tail", self.tail)
        check_whole("tokens", self.tokens)
        super().reset()

    def due(self, state: State) -> int:
        """Return `every`, or as many as the last segment lacks, once they are before the tail."""
        last = state.segments[-1:]
        free = self.size if not last or self.full(last[0]) else self.size - len(last[0].rows)
        wanted = min(self.every, free)
        return wanted if len(state.whole) - self.tail >= wanted else 0

    def limit(self, segment: Segment) -> int:
        """Return the tokens of a summary."""
        del segment
        return self.tokens

    def full(self, segment: Segment) -> bool:
        """Tell whether a segment has all its turns."""
        return len(segment.rows) >= self.size
