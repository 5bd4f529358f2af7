"""Faults of a data set that would spoil a run, found before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from memlab.errors import DataError
from memlab.ids import Ids
from memlab.types import Conversation, Dataset, Event, Forget, Probe, Turn


def dataset_faults(dataset: Dataset) -> list[DataError]:
    """Return every fault: no or empty conversations, unfit or repeated ids, time running backwards.

    So are events that cannot be walked again and again, such as a generator's.
    """
    if not dataset.conversations:
        return [DataError(f"data set {dataset.name!r} has no conversation", "at least one")]
    found = list(_repeated("conversation", dataset.name, [c.id for c in dataset]))
    for conversation in dataset:
        once = _walked_once(conversation)
        found.extend([once] if once else _conversation_faults(conversation))
    return found


def _walked_once(conversation: Conversation) -> DataError | None:
    """Tell if a second walk over the events would not begin as the first."""
    where, events = f"the events of conversation {conversation.id!r}", conversation.events
    fix = "give a tuple, or an object whose __iter__ makes the events anew each time"
    try:
        first, second = iter(events), iter(events)
    except TypeError:
        kind = type(events).__name__
        return DataError(f"{where}: a {kind}, which holds no events", "a tuple of events", fix)
    again = "events that can be walked again and again"
    if first is second:
        kind = type(events).__name__
        return DataError(f"{where}: a {kind}, which can be walked once only", again, fix)
    begun = next(first, None), next(second, None)
    if begun[0] != begun[1]:
        shown = " and ".join(f"{event!r:.60}" for event in begun)
        return DataError(f"{where}: two walks begin with {shown}", again, fix)
    return None


def _conversation_faults(conversation: Conversation) -> Iterator[DataError]:
    where = f"conversation {conversation.id!r}"
    ids: dict[type, Ids] = {Turn: Ids(), Probe: Ids()}
    last: Event | None = None
    unfit: list[object] = []
    for event in conversation.events:
        unfit = unfit or [name for name in _names(conversation, event) if not _fit(name)]
        if last is not None and event.time < last.time:
            yield DataError(f"{where}: {event.time} follows {last.time}", "events in time order")
        last = event
        if isinstance(event, Turn | Probe) and isinstance(event.id, str):
            ids[type(event)].add(event.id)
    if unfit:
        yield DataError(f"{where}: the id or name {unfit[0]!r}", "text, the same everywhere")
    if not len(ids[Turn]):
        yield DataError(f"{where} is empty", "at least one turn", "leave it out")
    for kind, cls in (("turn", Turn), ("probe", Probe)):
        named = (e.id for e in conversation.events if isinstance(e, cls))
        again = ids[cls].repeated(name for name in named if isinstance(name, str))
        yield from _repeated(kind, where, again)


def _names(conversation: Conversation, event: Event) -> list[object]:
    """Return the ids and names in an event."""
    names: list[object] = [conversation.id]
    if isinstance(event, Turn | Probe):
        names += [event.id, event.user]
    if isinstance(event, Probe):
        names += [*event.evidence, *event.stale, *event.forbidden, event.category]
    if isinstance(event, Forget):
        names += [*event.turn_ids, event.user]
    return names


def _fit(name: object) -> bool:
    """Tell whether a name is text that a file can hold."""
    try:
        return isinstance(name, str) and (name.isascii() or bool(name.encode()))
    except UnicodeEncodeError:
        return False


def _repeated(kind: str, where: str, ids: Iterable[str]) -> Iterator[DataError]:
    for repeated, count in Counter(ids).items():
        if count > 1:
            yield DataError(f"{where}: {kind} id {repeated!r} occurs {count} times", "unique ids")
