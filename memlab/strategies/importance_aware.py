"""Key facts of the user beside the last exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from memlab.checking import check_methods, check_whole
from memlab.factbook import FactBook
from memlab.history import TurnMemory
from memlab.naming import part, strategy
from memlab.packing import capped, last_exchanges, packed, whole
from memlab.protocols import ExtractsFacts, Fact, Held, ScoresImportance
from memlab.sections import Line, Rendered, rendered, said
from memlab.taxonomy import Tags
from memlab.types import Item, Query, Turn


@strategy
class ImportanceAware(TurnMemory):
    """Return the key facts a user stated beside the last `exchanges`, within `tokens` tokens.

    The newest exchange comes first, then the facts that hold, by importance and then the newest,
    in half of `tokens` at most; then the exchanges before. Of the facts of one slot the newest
    value holds; the older ones are kept (`versions`) and hold again when it is forgotten. The same
    fact told twice is one item with both turns as sources. Facts are the user's own words, so what
    the assistant says of itself is none.

    Counted (`stats`): facts, merged, superseded, and what the extractor rejected.

    >>> ImportanceAware(exchanges=2)
    ImportanceAware(exchanges=2)
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "in-memory", "several", "recency")

    facts: ExtractsFacts = part("PatternFacts()")
    importance: ScoresImportance = part("ImportanceScorer()")
    exchanges: int = 5
    tokens: int = 4000

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: negative sizes, an extractor or a scorer that is none.
        """
        check_whole("exchanges", self.exchanges)
        check_whole("tokens", self.tokens)
        check_methods("facts", self.facts, "facts")
        check_methods("importance", self.importance, "importance")
        super().reset()
        if callable(getattr(self.facts, "reset", None)):
            self.facts.reset()  # type: ignore[attr-defined]
        self._book = FactBook(self.importance)

    def write(self, turn: Turn) -> None:
        """Keep a turn and what it states."""
        super().write(turn)
        self._book.add(turn, self.facts.facts(turn))

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user and what they stated."""
        super().forget(turn_ids, user)
        self._book.forget(turn_ids, user)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the newest exchange, the facts, and the exchanges before, as far as they fit."""
        return packed(self.history, self._groups(query.user), budget, self.tokens)

    def _groups(self, user: str) -> Iterator[list[Item]]:
        recent = last_exchanges(self.history, user, self.exchanges)
        rows = [row for exchange in recent for row in exchange]
        groups = list(whole(self.history, rows))
        first = len(list(whole(self.history, recent[0]))) if recent else 0
        yield from groups[:first]
        held = self._book.current(user)
        yield from ([item] for item in capped(self.history, held, self.tokens // 2))
        yield from groups[first:]

    def versions(self, user: str) -> dict[str, list[Fact]]:
        """Return all facts of a user by slot, oldest first: the last one of each holds."""
        return self._book.versions(user)

    def render(self, query: Query, budget: int | None = None) -> Rendered:
        """Return facts and dialogue in labelled sections, in the language of the dialogue."""
        items = self.read(query, budget)
        rows = {self.history[row].id: row for row in self.history.rows(query.user)}
        lines = [
            Line("important", f"- {item.text}", place)
            if item.kind == "fact"
            else Line("last", said(self.history[rows[item.sources[0]]]), rows[item.sources[0]])
            for place, item in enumerate(items)
        ]
        limit = self.tokens if budget is None else min(self.tokens, budget)
        return rendered(lines, ("important", "last"), limit, self.run.counter)

    def held(self) -> Iterator[Held]:
        """Yield the turns and the facts kept."""
        yield from super().held()
        yield from self._book.held()

    def stats(self) -> Mapping[str, int | float]:
        """Return the counters of the facts and of their extractor."""
        own = getattr(self.facts, "stats", dict)
        return {**own(), **self._book.stats()}
