"""Faults of a data set that would spoil a run, found before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memlab.errors import DataError
from memlab.types import Conversation, Dataset, Forget, Probe, Turn


def dataset_faults(dataset: Dataset) -> list[DataError]:
    """Return every fault: no or empty conversations, repeated ids, time running backwards."""
    if not dataset.conversations:
        return [DataError(f"data set {dataset.name!r} has no conversation", "at least one")]
    found = list(_repeated("conversation", dataset.name, [c.id for c in dataset]))
    for conversation in dataset:
        found.extend(_unfit_ids(conversation))
        found.extend(_conversation_faults(conversation))
    return found


def dangling(dataset: Dataset) -> int:
    """Return how many evidence, stale and forbidden ids name no turn said before the probe.

    Raw labels of published data hold some, on purpose; they can never be hit.
    """
    count = 0
    for conversation in dataset:
        said: set[str] = set()
        for event in conversation.events:
            if isinstance(event, Turn):
                said.add(event.id)
            elif isinstance(event, Probe):
                named = {*event.evidence, *event.stale, *event.forbidden}
                count += len(named - said)
    return count


def _unfit_ids(conversation: Conversation) -> Iterator[DataError]:
    """Yield the first id that is no text, or no text that a file can hold."""
    for event in conversation.events:
        names: list[object] = [conversation.id]
        if isinstance(event, Turn | Probe):
            names += [event.id, event.user]
        if isinstance(event, Probe):
            names += [*event.evidence, *event.stale, *event.forbidden, event.category]
        if isinstance(event, Forget):
            names += [*event.turn_ids, event.user]
        for name in names:
            if not isinstance(name, str) or not _encodable(name):
                where = f"conversation {conversation.id!r}"
                yield DataError(f"{where}: the id or name {name!r}", "text, the same everywhere")
                return


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
