"""What a memory that summarises knows of a user: summaries, and the turns that are still whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from memlab.history import History
from memlab.protocols import Passage
from memlab.types import Item


class Line(NamedTuple):
    """A passage of a summary, as an item and by its tokens."""

    passage: Passage
    item: Item
    tokens: int

    @classmethod
    def of(cls, passage: Passage, count: Callable[[str], int]) -> Self:
        """Make the line of a passage."""
        item = Item(passage.text, passage.sources, "summary")
        return cls(passage, item, count(passage.text))


@dataclass(slots=True)
class Segment:
    """A summary: the rows and tokens of the turns in it, and what it says of them."""

    rows: list[int] = field(default_factory=list)
    tokens: int = 0
    lines: list[Line] = field(default_factory=list)

    def sources(self) -> set[str]:
        """Return the turns that the summary carries."""
        return {source for line in self.lines for source in line.item.sources}


@dataclass(slots=True)
class State:
    """The summaries of a user, oldest first, and the rows of the whole turns and their tokens."""

    segments: list[Segment] = field(default_factory=list)
    whole: list[int] = field(default_factory=list)
    tokens: int = 0

    def to_json(self, history: History) -> dict[str, Any]:
        """Return the state as JSON values, rows as turn ids."""
        return {
            "whole": [history[row].id for row in self.whole],
            "segments": [
                {
                    "turns": [history[row].id for row in segment.rows],
                    "lines": [list(line.passage) for line in segment.lines],
                }
                for segment in self.segments
            ],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], history: History, rows: dict[str, int]) -> State:
        """Read back what `to_json` wrote; `rows` are those of the turns by id."""
        whole = [rows[turn_id] for turn_id in data["whole"]]
        state = cls([], whole, sum(history.tokens[row] for row in whole))
        for saved in data["segments"]:
            held = [rows[turn_id] for turn_id in saved["turns"]]
            lines = [
                Line.of(Passage(text, tuple(sources), lead), history.run.count)
                for text, sources, lead in saved["lines"]
            ]
            tokens = sum(history.tokens[row] for row in held)
            state.segments.append(Segment(held, tokens, lines))
        return state


def whole_groups(history: History, rows: Sequence[int], wanted: int) -> int:
    """Return how many of the oldest rows can go together, `wanted` or about that many.

    A tool call is not parted from results that are there, and calls that end the rows wait for
    theirs. At least `wanted` if that is possible, else as many as possible.
    """
    calls = [history[row].meta.get("call") for row in rows]
    last = {call: i for i, call in enumerate(calls) if call is not None}
    results = {call for row, call in zip(rows, calls, strict=True) if history[row].role == "tool"}
    end = len(rows)
    for i in reversed(range(len(rows))):
        if calls[i] is None:
            break
        if calls[i] not in results:
            end = i
    best = reach = 0
    for i, call in enumerate(calls[:end]):
        reach = max(reach, i if call is None else last[call])
        if reach == i:
            best = i + 1
            if best >= wanted:
                break
    return best
