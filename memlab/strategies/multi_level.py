"""Memory in levels: current exchange, recent dialogue, summary, key facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from memlab.checking import check_methods, check_whole
from memlab.condensing import Condensing, RunningSummary
from memlab.errors import ConfigError
from memlab.factbook import FactBook
from memlab.naming import part, strategy
from memlab.packing import capped, packed, whole
from memlab.protocols import ExtractsFacts, Fact, Held, ScoresImportance, Summarizer
from memlab.sections import Line, Rendered, rendered, said
from memlab.taxonomy import Tags
from memlab.types import Item, Query, Turn


class _Levels:
    """The levels of one user; working and short-term dialogue as rows, oldest first."""

    def __init__(self) -> None:
        self.working: list[int] = []
        self.short: list[int] = []
        self.summary = RunningSummary()


@strategy
class MultiLevel(Condensing):
    """Keep four levels under one budget: current exchange, recent dialogue, summary, key facts.

    The exchange that is going on is working memory. When the next one begins and it has at least
    `working` messages, it moves to short-term memory; when that holds `short_term` messages, all
    but its last `tail` are folded into a summary of at most `summary` tokens, which carries the
    earlier summary on. Key facts are taken from the user's own words, as they are said.

    The current exchange comes first, then the facts (by importance, in half of `tokens` at most),
    the recent dialogue, newest first, and the summary: what stands last is the first to find no
    room. After a deletion the levels of that user are made again from what remains.

    Counted (`stats`): compressions, turns summarised, facts, merged, superseded, rejected.

    >>> MultiLevel(tail=0)
    MultiLevel(tail=0)
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "in-memory", "several", "recency")

    tail: int = 5
    working: int = 2
    short_term: int = 10
    summary: int = 1000
    tokens: int = 4000
    facts: ExtractsFacts = part("PatternFacts()")
    importance: ScoresImportance = part("ImportanceScorer()")
    summarizer: Summarizer = part("ExtractiveSummarizer()")

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: sizes out of range, a tail as long as the short-term memory, or a part
                that is none.
        """
        for name in ("tail", "summary", "tokens"):
            check_whole(name, getattr(self, name))
        for name in ("working", "short_term"):
            check_whole(name, getattr(self, name), least=1)
        if self.tail >= self.short_term:
            raise ConfigError(f"tail={self.tail}", f"less than short_term={self.short_term}")
        for name, methods in (
            ("facts", "facts"),
            ("importance", "importance"),
            ("summarizer", "summarize"),
        ):
            check_methods(name, getattr(self, name), methods)
        super().reset()
        if callable(getattr(self.facts, "reset", None)):
            self.facts.reset()  # type: ignore[attr-defined]
        self._book = FactBook(self.importance)
        self._levels: dict[str, _Levels] = {}
        self._compressions = self._summarised = 0

    def write(self, turn: Turn) -> None:
        """Keep a turn and what it states."""
        super().write(turn)
        self._book.add(turn, self.facts.facts(turn))

    def place(self, row: int) -> None:
        """Put a turn into working memory and move on what that pushes out."""
        turn = self.history[row]
        levels = self._levels.setdefault(turn.user, _Levels())
        full = len(levels.working) >= self.working
        if levels.working and (
            (full and turn.role == "user") or len(levels.working) >= self.short_term
        ):
            levels.short += levels.working
            levels.working = []
            if len(levels.short) >= self.short_term:
                self._compress(levels)
        levels.working.append(row)

    def _compress(self, levels: _Levels) -> None:
        cut = len(levels.short) - self.tail
        kept = {row for later in levels.short[cut:] for row in self.history.group(later)}
        # A call whose result is in the tail stays with it.
        old = [row for row in levels.short[:cut] if row not in kept]
        levels.short = [row for row in levels.short if row not in old]
        passages = self.passages(old)
        if passages:
            levels.summary.fold(passages, self.summary, self.summarizer, self.run.counter)
            self._compressions += 1
            self._summarised += sum(len(passage.sources) for passage in passages)

    def clear(self, user: str) -> None:
        """Forget the levels of a user."""
        self._levels.pop(user, None)

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user, what they stated and what was made of them."""
        super().forget(turn_ids, user)
        self._book.forget(turn_ids, user)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the levels, the current exchange first, as far as they fit."""
        return packed(self.history, self._groups(query.user), budget, self.tokens)

    def _groups(self, user: str) -> Iterator[list[Item]]:
        levels = self._levels.get(user)
        if levels is None:
            return
        current = levels.working[::-1]
        groups = list(whole(self.history, [*current, *reversed(levels.short)]))
        first = len(list(whole(self.history, current)))
        yield from groups[:first]
        facts = capped(self.history, self._book.current(user), self.tokens // 2)
        yield from ([item] for item in facts)
        yield from groups[first:]
        yield from ([item] for item in levels.summary.items())

    def versions(self, user: str) -> dict[str, list[Fact]]:
        """Return all facts of a user by slot, oldest first: the last one of each holds."""
        return self._book.versions(user)

    def summaries(self) -> Iterator[RunningSummary]:
        """Yield the summary of each user."""
        return (levels.summary for levels in self._levels.values())

    def held(self) -> Iterator[Held]:
        """Yield the turns, summaries and facts kept."""
        yield from super().held()
        yield from self._book.held()

    def render(self, query: Query, budget: int | None = None) -> Rendered:
        """Return the levels in labelled sections, in the language of the dialogue."""
        rows = {self.history[row].id: row for row in self.history.rows(query.user)}
        levels = self._levels.get(query.user, _Levels())
        lines: list[Line] = []
        for place, item in enumerate(self.read(query, budget)):
            if item.kind in ("fact", "summary"):
                section = "user" if item.kind == "fact" else "summary"
                lines.append(Line(section, item.text, place))
                continue
            row = rows[item.sources[0]]
            section = "current" if row in levels.working else "recent"
            lines.append(Line(section, said(self.history[row]), row))
        limit = self.tokens if budget is None else min(self.tokens, budget)
        return rendered(lines, ("user", "summary", "recent", "current"), limit, self.run.counter)

    def stats(self) -> Mapping[str, int | float]:
        """Return the counters of the levels, the facts and their extractor."""
        own = getattr(self.facts, "stats", dict)
        levels = {"compressions": self._compressions, "turns summarised": self._summarised}
        return {**own(), **self._book.stats(), **levels}
