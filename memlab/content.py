"""Events as plain JSON values, and the hash of what a data set says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime
from typing import Any

from memlab.digests import canonical_json
from memlab.errors import DataError
from memlab.types import Dataset, Event, Forget, Probe, SessionEnd, Tick, Turn

TYPES: dict[str, type[Event]] = {
    "turn": Turn,
    "probe": Probe,
    "session_end": SessionEnd,
    "forget": Forget,
    "tick": Tick,
}
_NAMES = {cls: name for name, cls in TYPES.items()}
_FIELDS = {cls: tuple(field.name for field in fields(cls)) for cls in _NAMES}


def plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return `value` in JSON types: tuples become lists, times ISO 8601, sets sorted lists.

    Raises:
        DataError: a value that JSON cannot say.
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(member) for member in value), key=canonical_json)
    raise DataError(
        f"{value!r} of type {type(value).__name__} in the data",
        "text, number, true, false, null, list, mapping or date",
    )


def event_json(event: Event) -> dict[str, Any]:
    """Return every field of an event as JSON values, with its `type`.

    >>> event_json(Tick(time=datetime(2024, 1, 1)))
    {'type': 'tick', 'time': '2024-01-01T00:00:00+00:00'}
    """
    cls = type(event)
    return {"type": _NAMES[cls], **{name: plain(getattr(event, name)) for name in _FIELDS[cls]}}


def dataset_digest(dataset: Dataset) -> str:
    """Return the sha256 (hex) of the conversations: every field of every event, in order.

    Where the data came from (name, path, card, defects, file hash) does not enter, nor does
    the order of keys: equal conversations have equal digests.

    Raises:
        DataError: NaN or infinity, or a value that JSON cannot say.
    """
    sha = hashlib.sha256()
    for conversation in dataset:
        _update(sha, {"conversation": conversation.id, "meta": plain(conversation.meta)})
        for event in conversation.events:
            _update(sha, event_json(event))
    return sha.hexdigest()


def _update(sha: hashlib._Hash, value: object) -> None:
    try:
        text = canonical_json(value)
    except ValueError as error:
        raise DataError(f"{error} in {value!r:.200}", "finite numbers") from error
    sha.update(text.encode("utf-8", "surrogatepass") + b"\n")
