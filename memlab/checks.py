"""Faults of a data set that would spoil a run, found before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memlab.errors import DataError
from memlab.types import Conversation, Dataset, Probe, Turn


def dataset_faults(dataset: Dataset) -> list[DataError]:
    """Return every fault: no or empty conversations, repeated ids, time running backwards."""
    if not dataset.conversations:
        return [DataError(f"data set {dataset.name!r} has no conversation", "at least one")]
    found = list(_repeated("conversation", dataset.name, [c.id for c in dataset]))
    for conversation in dataset:
        found.extend(_conversation_faults(conversation))
    return found


def _conversation_faults(conversation: Conversation) -> Iterator[DataError]:
    where = f"conversation {conversation.id!r}"
    turns, probes, last = [], [], None
    for event in conversation.events:
        if last is not None and event.time < last:
            yield DataError(f"{where}: {event.time} follows {last}", "events in time order")
        last = event.time
        if isinstance(event, Turn):
            turns.append(event.id)
        elif isinstance(event, Probe):
            probes.append(event.id)
    if not turns:
        yield DataError(f"{where} is empty", "at least one turn", "leave it out")
    yield from _repeated("turn", where, turns)
    yield from _repeated("probe", where, probes)


def _repeated(kind: str, where: str, ids: list[str]) -> Iterator[DataError]:
    for repeated, count in Counter(ids).items():
        if count > 1:
            yield DataError(f"{where}: {kind} id {repeated!r} occurs {count} times", "unique ids")
