"""Hits that a graph of the current state has superseded, dropped or ranked last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from memlab.checking import check_choice, check_methods
from memlab.dates import intervals
from memlab.naming import part, strategy
from memlab.protocols import Memory, Supersedes
from memlab.types import Item, Query, Turn
from memlab.wrapping import Wrapper, ability


@strategy
class ConsistencyFilter(Wrapper):
    """Check what the memory inside found against a graph of what holds at the question's time.

    The inner memory is read without a budget, and at the budget where that holds more. Items
    whose sources are all superseded are left out (`action="drop"`), or put behind all others
    (`action="flag"`), where a larger budget still shows them. Then the budget cuts. A tool call
    and its results stay together. A question that names a date or a span of the past is checked
    against what held at its end.

    >>> ConsistencyFilter(action="flag")
    ConsistencyFilter(action='flag')
    """

    inner: Memory = part("BM25()")
    graph: Supersedes = part("SlotGraph()")
    action: str = "drop"

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: an unknown action, a graph or an inner memory that is none.
        """
        check_choice("action", self.action, ("drop", "flag"))
        check_methods("graph", self.graph, "reset write forget superseded")
        super().reset()
        self.graph.reset()
        self._seen = self._superseded = 0

    def write(self, turn: Turn) -> None:
        """Write a turn into the memory inside and into the graph."""
        super().write(turn)
        self.graph.write(turn)

    @ability
    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user everywhere."""
        super().forget(turn_ids, user)
        self.graph.forget(turn_ids, user)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the items that hold, then, with `action="flag"`, the superseded ones."""
        items = self.deeper(query, self.inner.read(query, None), budget)
        sources = list(dict.fromkeys(source for item in items for source in item.sources))
        old = self.graph.superseded(sources, _as_of(query))
        self._seen += len(sources)
        self._superseded += len(old)
        holds: list[list[Item]] = []
        behind: list[list[Item]] = []
        for group in self.together(items):
            claimed = {source for item in group for source in item.sources}
            (behind if claimed and claimed <= old else holds).append(group)
        return self.fitting(holds if self.action == "drop" else [*holds, *behind], budget)

    def stats(self) -> Mapping[str, int | float]:
        """Return how many sources were checked and found superseded, and the counters inside."""
        own = {"sources checked": self._seen, "sources superseded": self._superseded}
        return {**super().stats(), **own}

    @ability
    def save(self, path: Path) -> None:
        """Write the graph and the memory inside into folders under `path`."""
        super().save(path)
        self.graph.save(path / "graph")

    @ability
    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        super().load(path)
        self.graph.load(path / "graph")


def _as_of(query: Query) -> datetime:
    """Return the end of the latest span that a question names, if it is past, else its time."""
    ends = [found.end for found in intervals(query.text, query.time)]
    return max(ends) if ends and max(ends) <= query.time else query.time
