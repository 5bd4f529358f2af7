"""Questions, evidence and what came back, as texts to be read side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from memlab.types import Dataset, Probe, Record

SHOWN = 5
"""So many of the ranks returned are shown."""


class Quotes:
    """The texts that some records name; one pass over the data holds no others."""

    def __init__(self, dataset: Dataset, records: Iterable[Record]) -> None:
        wanted: dict[str, set[str]] = {}
        asked: dict[str, set[str]] = {}
        for record in records:
            named = wanted.setdefault(record.conversation, set())
            named.update(record.evidence, record.ranked[:SHOWN])
            asked.setdefault(record.conversation, set()).add(record.probe)
        self._texts: dict[tuple[str, str], str] = {}
        self._probes: dict[tuple[str, str], Probe] = {}
        for talk in dataset:
            turns, probes = wanted.get(talk.id, set()), asked.get(talk.id, set())
            for event in talk.events if turns or probes else ():
                if isinstance(event, Probe):
                    if event.id in probes:
                        self._probes[talk.id, event.id] = event
                elif getattr(event, "id", None) in turns:
                    self._texts[talk.id, event.id] = f"{event.speaker}: {event.text}"  # type: ignore[union-attr]

    def asked(self, record: Record) -> dict[str, Any]:
        """Return the question, its reference answers and its evidence."""
        probe = self._probes[record.conversation, record.probe]
        return {
            "question": probe.text,
            "answers": " | ".join(probe.answers),
            "evidence": self._lines(record.conversation, record.evidence),
        }

    def retrieved(self, record: Record) -> str:
        """Return the first ranks that a strategy returned, one turn a line."""
        return self._lines(record.conversation, record.ranked[:SHOWN])

    def _lines(self, conversation: str, ids: Sequence[str]) -> str:
        texts = (self._texts.get((conversation, i), "(no such turn)") for i in ids)
        return "\n".join(f"[{i}] {text}" for i, text in zip(ids, texts, strict=True))
