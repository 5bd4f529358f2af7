"""Questions, evidence and what came back, as texts to be read side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memlab.errors import RunError
from memlab.judging.items import CARRIED
from memlab.rundata import RunData
from memlab.types import Probe, Record, Turn

SHOWN = 5
"""So many of the items returned are shown."""
Line = str | tuple[str, str]
"""The id of a turn, or what else came back: whence, and its text."""


class Quotes:
    """The texts that some records of a run name; one pass over the data holds no others."""

    def __init__(self, results: RunData, records: Iterable[Record]) -> None:
        self._derived = _derived(results)
        wanted: dict[str, set[str]] = {}
        asked: dict[str, set[str]] = {}
        for record in records:
            named = wanted.setdefault(record.conversation, set())
            named.update(record.evidence)
            named.update(line for line in self._items(record)[:SHOWN] if isinstance(line, str))
            asked.setdefault(record.conversation, set()).add(record.probe)
        self._texts: dict[tuple[str, str], str] = {}
        self._probes: dict[tuple[str, str], Probe] = {}
        for talk in results.dataset:
            turns, probes = wanted.get(talk.id, set()), asked.get(talk.id, set())
            for event in talk.events if turns or probes else ():
                if isinstance(event, Probe) and event.id in probes:
                    self._probes[talk.id, event.id] = event
                elif isinstance(event, Turn) and event.id in turns:
                    self._texts[talk.id, event.id] = f"{event.speaker}: {event.text}"

    def asked(self, record: Record) -> dict[str, Any]:
        """Return the question, its reference answers and its evidence."""
        probe = self._probes[record.conversation, record.probe]
        evidence = [self._line(record.conversation, name) for name in record.evidence]
        return {
            "question": probe.text,
            "answers": " | ".join(probe.answers),
            "evidence": "\n".join(evidence),
        }

    def retrieved(self, record: Record) -> str:
        """Return the first items that a strategy returned, one a line, and how many more.

        What is no whole turn has its own text, after its kind and the turns it claims.
        """
        items = self._items(record)
        lines = [self._line(record.conversation, line) for line in items[:SHOWN]]
        more = max(len(items), record.items) - len(lines)
        lines += [f"(and {more} more)"] if lines and more else []
        lines += [f"({more} without a turn, texts not at hand)"] if more and not lines else []
        return "\n".join(lines)

    def _items(self, record: Record) -> list[Line]:
        key = (record.strategy, record.conversation, record.probe, record.budget)
        return list(_in_order(record.ranked, self._derived.get(key, ())))

    def _line(self, conversation: str, line: Line) -> str:
        if isinstance(line, tuple):
            return f"[{line[0]}] {' '.join(line[1].split())}"
        return f"[{line}] {self._texts.get((conversation, line), '(no such turn)')}"


def _derived(results: RunData) -> dict[tuple[Any, ...], Sequence[Mapping[str, Any]]]:
    """Return the items of each read that are no whole turns; none where their file is lost."""
    try:
        texts = results.texts
    except RunError:  # of a run whose summary alone was kept: the turns it claims stand for it
        return {}
    names = ("strategy", "conversation", "probe", "budget")
    return {tuple(line[name] for name in names): line["items"] for line in texts}


def _in_order(ranked: Sequence[str], derived: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """Yield the items of a read: the ranks that no derived item claims are whole turns."""
    rank, waiting = 0, list(derived)
    while rank < len(ranked) or waiting:
        claims = _claims(waiting[0]) if waiting else []
        taken = list(ranked[rank : rank + len(claims)])  # in dialogue order, as they are ranked
        if waiting and sorted(taken) == sorted(claims):
            item = waiting.pop(0)
            rank += len(claims)
            yield _whence(item["kind"], taken), item["text"]
        elif rank < len(ranked):
            yield ranked[rank]
            rank += 1
        else:
            return


def _whence(kind: str, claims: Sequence[str]) -> str:
    named = ", ".join(claims[:SHOWN]) + (", …" if len(claims) > SHOWN else "")
    return f"{kind} of {named}" if named else kind


def _claims(item: Mapping[str, Any]) -> list[str]:
    """Return the ranks that an item took, as the replay counted them."""
    sources = item["sources"]
    return list(sources) if item["kind"] in CARRIED else list(dict.fromkeys(sources))
