"""What an agent is working on, beside the dialogue: task, state, results of tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from memlab.checking import check_choice, check_whole
from memlab.naming import component
from memlab.protocols import TaskLine, ToolResult
from memlab.sections import LANGUAGES, label, language_of
from memlab.types import Turn


@component
class ToolResults:
    """Keep the last `keep` tool results of a user, each with its tool, result and time.

    The tool is `meta["tool"]` of the result or of its call, else the name in a call written as
    `name(arguments)`, else "tool".

    >>> call = Turn(id="1", text="weather(place='Oslo')", time="2024-05-01", role="assistant")
    >>> result = Turn(id="2", text="12 °C", time="2024-05-01", role="tool")
    >>> [(r.tool, r.result) for r in ToolResults().latest([(call, result)])]
    [('weather', '12 °C')]
    """

    keep: int = 10

    def latest(self, newest: Iterable[tuple[Turn | None, Turn]]) -> list[ToolResult]:
        """Return the last results, newest first, of (call, result) pairs, newest first.

        Raises:
            ConfigError: a negative `keep`.
        """
        check_whole("keep", self.keep)
        return [_result(call, turn) for call, turn in islice(newest, self.keep)]


def _result(call: Turn | None, turn: Turn) -> ToolResult:
    named = turn.meta.get("tool") or (call.meta.get("tool") if call else None)
    name, bracket, _ = call.text.partition("(") if call else ("", "", "")
    written = name.strip() if bracket and name.strip().isidentifier() else ""
    sources = (call.id, turn.id) if call else (turn.id,)
    return ToolResult(str(named or written or "tool"), turn.text, turn.time, sources)


@component
class TaskContext:
    """Render the task, its state and the last tool results, each as one line with its label.

    The last `shown` results come as `tool→result`, each result cut at `width` characters and its
    line breaks made spaces. Empty parts have no line. Labels are Chinese or English, as asked for
    or as half of the texts are.

    >>> [line.text for line in TaskContext().lines("book a flight", {"step": 2}, [])]
    ['Current task: book a flight', 'Task state: step: 2']
    """

    shown: int = 3
    width: int = 100
    language: str = "auto"

    def lines(
        self, task: str, state: Mapping[str, object], results: Iterable[ToolResult]
    ) -> list[TaskLine]:
        """Return a line for each part that is not empty; `results` are newest first.

        Raises:
            ConfigError: negative sizes, or an unknown language.
        """
        check_whole("shown", self.shown)
        check_whole("width", self.width)
        check_choice("language", self.language, LANGUAGES)
        last = list(islice(results, self.shown))[::-1]
        called = "; ".join(f"{one.tool}→{self._cut(one.result)}" for one in last)
        stated = "; ".join(f"{name}: {value}" for name, value in state.items())
        texts = {"task": task.strip(), "state": stated, "tools": called}
        tongue = language_of(filter(None, texts.values()), self.language)
        sources = tuple(dict.fromkeys(turn for one in last for turn in one.sources))
        return [
            TaskLine(name, f"{label(name, tongue)}{text}", sources if name == "tools" else ())
            for name, text in texts.items()
            if text
        ]

    def _cut(self, result: str) -> str:
        return " ".join(result.split())[: self.width]
