"""memlab's own data format: JSON lines, one event each (datasets/README.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memlab.content import TYPES, event_json, plain
from memlab.drafts import drafted
from memlab.errors import DataError, Faults
from memlab.reading.consistency import Checker
from memlab.reading.documents import HEAD, is_document
from memlab.reading.lines import FIELDS, Fault, read_line
from memlab.types import Conversation, Dataset, Event, Forget, Probe, SessionEnd, Tick, Turn, utc

_OWNED = ("turn", "probe", "forget")
_CARD = [name for name in FIELDS["dataset"] if name not in ("type", "name", "meta")]
_MOMENT = utc("2000-01-01")
_EMPTY: tuple[Event, ...] = (
    Turn(id="", text="", time=_MOMENT),
    Probe(id="", text="", time=_MOMENT),
    SessionEnd(session="", time=_MOMENT),
    Forget(turn_ids=(), user="", time=_MOMENT),
    Tick(time=_MOMENT),
)
_BARE = {values["type"]: values for values in map(event_json, _EMPTY)}
_DOCUMENT = (
    "this is one JSON document, not JSON lines; expected one event a line, each a whole object "
    "on a line of its own (a published data set is read by the loader of its name: memlab list)"
)


class _Reader:
    """Reads a file line by line and keeps its faults and its sha256."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults: list[Fault] = []
        self.sha = hashlib.sha256()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the lines that have no fault."""
        checker = Checker()
        try:
            with self.path.open("rb") as file:
                if is_document(file.read(HEAD)):
                    self.faults.append(Fault(1, "", _DOCUMENT))
                    return
                file.seek(0)
                for number, raw in enumerate(file, 1):
                    self.sha.update(raw)
                    yield from self._line(checker, number, raw)
        except OSError as error:
            raise DataError(
                f"{self.path} cannot be read: {error.strerror}", "a file of JSON lines"
            ) from error
        self.faults += checker.finish()
        self.faults.sort(key=lambda fault: fault.line)

    def _line(self, checker: Checker, number: int, raw: bytes) -> Iterator[dict[str, Any]]:
        raw = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        if not raw.strip():
            return
        line, faults = read_line(number, raw)
        if line is not None:
            faults = faults + checker.add(number, line, faults)
        self.faults += faults
        if line is not None and not faults:
            yield line


def check(path: str | Path) -> list[Fault]:
    """Return all faults of a file, in line order; none means that `load` will take it.

    Raises:
        DataError: the file cannot be read at all.
    """
    return examine(path)[0]


def examine(path: str | Path) -> tuple[list[Fault], str]:
    """Return what `check` does, and why a run on the file would measure little or nothing.

    The reason is empty where a probe has evidence for its answer, or there are faults.

    Raises:
        DataError: the file cannot be read at all.
    """
    reader = _Reader(Path(path))
    probes = [line for line in reader if line["type"] == "probe"]
    found = any(probe.get("evidence") and probe.get("answerable", True) for probe in probes)
    if found or reader.faults:
        return reader.faults, ""
    if not probes:
        return [], "it has no probe, so there is nothing to measure"
    return [], f"none of its {len(probes)} probes has evidence for an answer: no recall"


def load(path: str | Path, title: str | None = None) -> Dataset:
    """Read a data set; `title` defaults to what the file says, else to the file's stem.

    Turns, probes and deletions without a user belong to the user named as the conversation.

    Raises:
        DataError: the file cannot be read.
        Faults: every fault that `check` finds.
    """
    path = Path(path)
    reader = _Reader(path)
    head: dict[str, Any] = {}
    metas: dict[str, dict[str, Any]] = {}
    events: dict[str, list[Event]] = {}
    for line in reader:
        kind = line.pop("type")
        if kind == "dataset":
            head = line
            continue
        talk = line.pop("conversation")
        events.setdefault(talk, [])
        if kind == "conversation":
            metas[talk] = line.get("meta", {})
        else:
            owner = {"user": talk} if kind in _OWNED else {}
            events[talk].append(TYPES[kind](**{**owner, **line}))
    if reader.faults:
        raise Faults([f"{path}, {fault}" for fault in reader.faults])
    named, rest = head.pop("name", path.stem), head.pop("meta", {})
    return Dataset(
        title or named,
        tuple(Conversation(talk, tuple(e), metas.get(talk, {})) for talk, e in events.items()),
        card={**rest, **head},
        sha256=reader.sha.hexdigest(),
    )


def dump(dataset: Dataset, path: str | Path) -> None:
    """Write a data set; name, card and conversations come back equal from `load`.

    Defaults are left out, but for the speakers of other roles than `user`. Nothing is written
    where `load` would refuse the file. An empty user is written as the conversation's id, which
    is what it means.

    Raises:
        Faults: the data set breaks a rule of the format.
        DataError: a value that JSON cannot say.
    """
    with drafted(Path(path)) as draft:
        with draft.open("wb") as file:
            for line in _lines(dataset):
                file.write(_text(line) + b"\n")
        faults = check(draft)
        if faults:
            raise Faults([f"{dataset.name}, {fault}" for fault in faults])


def _text(line: dict[str, Any]) -> bytes:
    try:
        return json.dumps(line, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:
        raise DataError(
            f"{error} in {line!r:.200}", "finite numbers and whole characters"
        ) from error


def _lines(dataset: Dataset) -> Iterator[dict[str, Any]]:
    yield {"type": "dataset", "name": dataset.name, **_card(dataset.card)}
    for conversation in dataset:
        if conversation.meta:
            meta = plain(conversation.meta)
            yield {"type": "conversation", "conversation": conversation.id, "meta": meta}
        owners = {e.user for e in conversation.events if isinstance(e, Turn | Probe | Forget)}
        shared = owners <= {"", conversation.id}
        for event in conversation.events:
            yield _line(event, conversation.id, shared)


def _card(card: Mapping[str, Any]) -> dict[str, Any]:
    """Split a card into the fields of the format and the rest, which goes under `meta`."""
    given = plain(card)
    flat = {k: v for k, v in given.items() if k in _CARD and isinstance(v, str)}
    rest = {k: v for k, v in given.items() if k not in flat}
    return {**flat, "meta": rest} if rest else flat


def _line(event: Event, talk: str, shared: bool) -> dict[str, Any]:
    values = event_json(event)
    kind = values.pop("type")
    bare = _BARE[kind]
    always = ("id", "text", "time", "session" if kind == "session_end" else "time", "turn_ids")
    kept = {k: v for k, v in values.items() if k in always or v != bare[k]}
    if values.get("role") != bare.get("role"):
        kept["speaker"] = values["speaker"]
    kept.pop("user", None)
    if kind in _OWNED and not shared:
        kept["user"] = values["user"] or talk
    return {"type": kind, "conversation": talk, **kept}
