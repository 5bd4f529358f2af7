"""What summaries cost in tokens: a model to plan with, and to hold against a run."""

from __future__ import annotations

import math
from dataclasses import dataclass

from memlab.checking import check_flag, check_number, check_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCost:
    r"""Predict the tokens of `turns` turns of `average` tokens, summarised every `every` turns.

    A summary of k intervals has `ratio` of the tokens of their turns, at most `limit`. `lead` are
    the tokens that date and speaker add to a turn that is summarised. `rolling`: each summary
    rewrites the one before, which is read again; otherwise each interval has its own.

    `original=True` is the faulty formula that this one corrects: it shortens turns that were never
    summarised, does not count what summaries cost to write, and has no value without turns.

    Formula: \text{context}(T) = r \lfloor T / n \rfloor n a + (T \bmod n) a

    Source: memlab's own; it counts every token that a model reads or writes.

    >>> cost = SummaryCost(turns=100)
    >>> cost.compression, cost.generation, cost.total, cost.prompts
    (0.8, 6000.0, 7000.0, 68500.0)
    """

    turns: int
    average: float = 50.0
    every: int = 10
    ratio: float = 0.2
    limit: float = math.inf
    lead: float = 0.0
    rolling: bool = False
    original: bool = False

    def __post_init__(self) -> None:
        """Check the parameters.

        Raises:
            ConfigError: a negative number, every below 1, ratio outside [0, 1].
        """
        check_whole("turns", self.turns)
        check_whole("every", self.every, least=1)
        check_number("ratio", self.ratio, high=1.0)
        for name in ("average", "lead"):
            check_number(name, getattr(self, name))
        if self.limit != math.inf:
            check_number("limit", self.limit)
        for name in ("rolling", "original"):
            check_flag(name, getattr(self, name))

    @property
    def summaries(self) -> int:
        """How often a summary is written."""
        return self.turns // self.every

    def retained_after(self, intervals: int) -> float:
        """Return the tokens that summaries of so many intervals hold."""
        return min(self.limit, self.ratio * intervals * self.every * self.average)

    def context_after(self, turns: int) -> float:
        """Return the tokens that go to the model after so many turns."""
        intervals, recent = divmod(turns, self.every)
        if self.original:
            return self.ratio * turns * self.average + recent * self.average
        return self.retained_after(intervals) + recent * self.average

    @property
    def read(self) -> float:
        """The tokens that summarising reads: the turns, and earlier summaries."""
        turns = self.summaries * self.every * (self.average + (0 if self.original else self.lead))
        again = range(1, self.summaries) if self.rolling and not self.original else ()
        return turns + sum(map(self.retained_after, again))

    @property
    def written(self) -> float:
        """The tokens of all summaries that are written."""
        if self.original:
            return 0.0
        if self.rolling:
            return sum(map(self.retained_after, range(1, self.summaries + 1)), 0.0)
        return self.retained_after(self.summaries)

    @property
    def generation(self) -> float:
        """The tokens that summarising reads and writes."""
        return self.read + self.written

    @property
    def context(self) -> float:
        """The tokens that go to the model in the end: summaries and recent turns."""
        return self.context_after(self.turns)

    @property
    def total(self) -> float:
        """Generation, and the last context."""
        return self.generation + self.context

    @property
    def prompts(self) -> float:
        """The tokens of all contexts, one after each turn."""
        return sum(map(self.context_after, range(1, self.turns + 1)), 0.0)

    @property
    def compression(self) -> float:
        """The share of the history's tokens that the last context saves."""
        history = self.turns * self.average
        if history == 0:
            return math.nan if self.original else 0.0
        return 1 - self.context / history
