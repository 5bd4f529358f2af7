"""Short-term memory of an agent: messages, task, state and tool results under one limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import ClassVar

from memlab.checking import check_methods, check_number, check_whole
from memlab.condensing import Condensing, RunningSummary
from memlab.errors import DataError
from memlab.naming import part, strategy
from memlab.packing import packed
from memlab.protocols import KeepsResults, RendersTask, Summarizer, TaskLine, ToolResult
from memlab.taxonomy import Tags
from memlab.types import Item, Query, Turn


class _Mind:
    """What is kept of one user: messages and tool results as rows, oldest first."""

    def __init__(self) -> None:
        self.pinned: list[int] = []
        self.messages: list[int] = []
        self.tokens = 0
        self.results: list[int] = []
        self.task: tuple[str, int] = ("", -1)
        self.state: dict[str, tuple[object, int]] = {}
        self.summary = RunningSummary()
        self.lines: list[TaskLine] = []
        self.aside = 0


@strategy
class ShortTermMemory(Condensing):
    """Keep messages, current task, task state and tool results in `tokens` tokens, all counted.

    Above `share` of them all messages but the last `keep` become one summary of at most `summary`
    tokens, which carries the earlier summary on; system messages are pinned and stay. With `keep`
    messages or fewer nothing changes.

    A turn of any role sets the task by `meta["task"]` (a text; empty or None ends it) and changes
    the state by `meta["state"]` (a mapping; a value of None takes its key away). Tool turns are no
    messages: the last of them are kept by `results` and shown by `context`.

    Pinned messages and the newest message come first, then task, state and tool results (kind
    `state`), older messages and the summary. After a deletion all is made again from what remains.

    Counted (`stats`): compressions, turns summarised, and writes after which the limit was
    exceeded though nothing was left to summarise.

    >>> ShortTermMemory(tokens=2000)
    ShortTermMemory(tokens=2000)
    """

    taxonomy: ClassVar[Tags] = Tags("short-term", "in-memory", "several", "recency")

    tokens: int = 32000
    share: float = 0.8
    keep: int = 4
    summary: int = 1000
    summarizer: Summarizer = part("ExtractiveSummarizer()")
    results: KeepsResults = part("ToolResults()")
    context: RendersTask = part("TaskContext()")

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: sizes out of range, or a part that is none.
        """
        for name in ("tokens", "keep", "summary"):
            check_whole(name, getattr(self, name))
        check_number("share", self.share, high=1.0)
        check_methods("summarizer", self.summarizer, "summarize")
        check_methods("results", self.results, "latest")
        check_methods("context", self.context, "lines")
        super().reset()
        self._minds: dict[str, _Mind] = {}
        self._compressions = self._summarised = self._overfull = 0

    def place(self, row: int) -> None:
        """Put a turn where it belongs, and condense if the limit is near."""
        turn = self.history[row]
        mind = self._minds.setdefault(turn.user, _Mind())
        told = self._set(mind, turn, row)
        if turn.role == "tool":
            mind.results.append(row)
        else:
            (mind.pinned if turn.role == "system" else mind.messages).append(row)
            mind.tokens += self.history.tokens[row]
        # A call may be told after its result, and names its tool.
        if told or turn.role == "tool" or "call" in turn.meta:
            mind.lines = self._lines(mind)
            mind.aside = sum(self.run.count(line.text) for line in mind.lines)
        if self._size(mind) > self.share * self.tokens:
            self._condense(mind)

    def _set(self, mind: _Mind, turn: Turn, row: int) -> bool:
        """Set task and state as a turn says; tell whether it says anything."""
        if "task" in turn.meta:
            mind.task = (str(turn.meta["task"] or ""), row)
        state = turn.meta.get("state", {})
        if not isinstance(state, Mapping):
            raise DataError(
                f"meta['state'] of turn {turn.id!r} is {state!r:.60}",
                "a mapping of names to values",
            )
        for name, value in state.items():
            mind.state.pop(name, None)
            if value is not None:
                mind.state[name] = (value, row)
        return "task" in turn.meta or bool(state)

    def _lines(self, mind: _Mind) -> list[TaskLine]:
        state = {name: value for name, (value, _) in mind.state.items()}
        rows = {row: None for _, row in sorted(mind.state.values(), key=lambda value: value[1])}
        sources = {
            "task": tuple(self.history[row].id for row in [mind.task[1]] if mind.task[0]),
            "state": tuple(self.history[row].id for row in rows),
        }
        lines = self.context.lines(mind.task[0], state, self._results(mind))
        return [line._replace(sources=line.sources or sources[line.part]) for line in lines]

    def _results(self, mind: _Mind) -> list[ToolResult]:
        return self.results.latest(self._pairs(mind.results))

    def _pairs(self, rows: list[int]) -> Iterator[tuple[Turn | None, Turn]]:
        """Yield call and result, newest first; a result whose call is gone is left out."""
        for row in reversed(rows):
            group = [self.history[member] for member in self.history.group(row)]
            if group:
                call = group[0] if group[0].role != "tool" else None
                yield call, self.history[row]

    def _size(self, mind: _Mind) -> int:
        return mind.tokens + mind.summary.tokens + mind.aside

    def _condense(self, mind: _Mind) -> None:
        cut = max(0, len(mind.messages) - self.keep)
        old = mind.messages[:cut]
        passages = self.spoken(old)
        if passages:
            mind.summary.fold(passages, self.summary, self.summarizer, self.run.counter)
            self._compressions += 1
            self._summarised += len(passages)
        mind.messages = mind.messages[cut:]
        mind.tokens -= sum(self.history.tokens[row] for row in old)
        self._overfull += self._size(mind) > self.share * self.tokens

    def clear(self, user: str) -> None:
        """Forget what is kept of a user."""
        self._minds.pop(user, None)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return what is kept, as far as it fits."""
        return packed(self.history, self._groups(query.user), budget, self.tokens)

    def _groups(self, user: str) -> Iterator[list[Item]]:
        mind = self._minds.get(user)
        if mind is None:
            return
        first = [*mind.pinned, *mind.messages[-1:]]
        yield from ([Item.of(self.history[row])] for row in first)
        yield from ([Item(line.text, line.sources, "state")] for line in mind.lines)
        older = islice(reversed(mind.messages), 1, None)
        yield from ([Item.of(self.history[row])] for row in older)
        yield from ([item] for item in mind.summary.items())

    def tool_results(self, user: str) -> list[ToolResult]:
        """Return the tool results kept of a user, newest first."""
        mind = self._minds.get(user)
        return self._results(mind) if mind else []

    def summaries(self) -> Iterator[RunningSummary]:
        """Yield the summary of each user."""
        return (mind.summary for mind in self._minds.values())

    def stats(self) -> Mapping[str, int | float]:
        """Return how often it condensed, of how much, and where nothing was left to condense."""
        return {
            "compressions": self._compressions,
            "turns summarised": self._summarised,
            "writes over the limit": self._overfull,
        }
