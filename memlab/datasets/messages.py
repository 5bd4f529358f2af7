"""Users' own data: message lists in the form of OpenAI's chat interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memlab.digests import file_digest
from memlab.errors import ConfigError, DataError
from memlab.reading.published import Json, Log, json_lines, name, read_value
from memlab.reading.rows import Row, build
from memlab.types import Dataset, utc

ROLES = {"developer": "system", "function": "tool"}
"""Roles of the interface under other names."""
TIMES = ("time", "timestamp", "created_at", "create_time")
IDS = ("conversation", "conversation_id", "id")
_TEXTS = ("text", "input_text", "output_text")
_MILLISECONDS = 10**11


def load(
    path: str | Path | None = None,
    *,
    messages: Sequence[Any] | Mapping[str, Any] | None = None,
    probes: Sequence[Mapping[str, Any]] = (),
    title: str | None = None,
    strict: bool = False,
) -> Dataset:
    """Read one list of messages, several as {id: list} or [{"messages": list}], or a file of them.

    A `.jsonl` file holds a message or a `{"messages": […]}` a line; messages of one file may
    name their `conversation`. A turn's id is the message's `id`, else its place in the list,
    from 0; its speaker the `name`, else the role (`developer` reads as system, `function` as
    tool). The text is `content`, or its text parts; parts without text (images, audio) are
    noted. A tool call is written as `name(arguments)` and has its id in `meta["call"]`; of
    several in a message each after the first is a turn `<id>.<n>` of its own. A tool result
    whose call is not there is dropped, because no memory may ever return it.

    Times are optional: ISO 8601 text or Unix seconds (milliseconds from 10^11 on) under
    `time`, `timestamp`, `created_at` or `create_time`. See `memlab.reading.rows.build` for messages
    without; one that runs backwards gets the time before. `session` is optional, too.

    Args:
        path: a .json or .jsonl file.
        messages: the same as Python values, instead of a file.
        probes: questions with the fields of a probe, and `conversation` where there are several.
        title: the name of the data set; by default the file's stem, or `messages`.
        strict: raise if there is any defect at all.

    Raises:
        ConfigError: neither or both of `path` and `messages`.
        DataError: a file that cannot be read, or no list of messages; with `strict`, any defect.
        Faults: every message or probe that cannot be used, with its place and field.

    >>> load(messages=[{"role": "user", "content": "Hello."}])
    <messages: 1 conversations, 1 turns, 0 probes; defects: 1 repaired>
    """
    if (path is None) == (messages is None):
        raise ConfigError("path and messages", "exactly one of them")
    log, sha256 = Log(), ""
    given: object = messages
    if path is not None:
        given, sha256 = _read(Path(path), log)
    rows = [row for talk, listed in _talks(given) for row in _Talk(talk, log).rows(listed)]
    first = rows[0].values["conversation"] if rows else "1"
    asked = [
        Row(f"probes, item {n}", {"conversation": first, "id": f"q{n}", **probe})
        for n, probe in enumerate(probes)
    ]
    made = build(rows, asked, "field")
    log += made.defects
    where = Path("messages" if path is None else path)
    if strict:
        log.refuse(where)
    card = {"source": "messages" if path is None else where.name}
    return Dataset(title or where.stem, made.conversations, {}, card, tuple(log), sha256)


def _read(path: Path, log: Log) -> tuple[object, str]:
    if path.suffix != ".jsonl":
        return read_value(path)
    return [row for _, row in json_lines(path, log)], file_digest(path)


def _talks(given: object) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield conversation ids with their messages, whichever way they are given."""
    if isinstance(given, Mapping) and "messages" not in given:
        found = [(str(talk), listed) for talk, listed in given.items()]
    elif isinstance(given, Mapping):
        found = [_named(given, "1")]
    elif isinstance(given, list | tuple) and given and all(map(_holds_messages, given)):
        found = [_named(item, str(n)) for n, item in enumerate(given, 1)]
    elif isinstance(given, list | tuple):
        grouped: dict[str, list[Any]] = {}
        for message in given:
            talk = message.get("conversation") if isinstance(message, Mapping) else None
            grouped.setdefault(name(talk) or "1", []).append(message)
        found = list(grouped.items())
    else:
        raise DataError(f"found {given!r:.80}", "a list of messages, or lists of them by id")
    for talk, listed in found:
        if not isinstance(listed, list | tuple) or not listed:
            raise DataError(
                f"conversation {talk!r:.80} holds {listed!r:.80}", "a list of messages, not empty"
            )
        yield talk, listed


def _holds_messages(item: object) -> bool:
    return isinstance(item, list | tuple) or (isinstance(item, Mapping) and "messages" in item)


def _named(item: Any, number: str) -> tuple[str, Any]:  # noqa: ANN401
    if not isinstance(item, Mapping):
        return number, item
    ids = (name(item.get(key)) for key in IDS)
    return next(filter(None, ids), number), item["messages"]


@dataclass
class _Talk:
    """Turns the messages of one conversation into rows."""

    id: str
    log: Log
    latest: datetime | None = None
    calls: dict[str, str] = field(default_factory=dict)

    def rows(self, messages: Sequence[Any]) -> Iterator[Row]:
        """Yield a row for every message, and for every further tool call."""
        for place, message in enumerate(messages):
            where = f"conversation {self.id!r}, message {place}"
            if not isinstance(message, Mapping):
                odd = {"conversation": self.id, "id": str(place), "text": "", "role": message}
                yield Row(where, odd)
                continue
            row = self._row(where, str(place), message)
            called = list(self._called(where, row["id"], message))
            if row["role"] == "tool" and not self._result(where, message, row):
                continue
            yield Row(where, _with_call(row, row["id"], *called[0]) if called else row)
            for number, call in enumerate(called[1:], 1):
                bare = {**row, "text": ""}
                yield Row(where, _with_call(bare, f"{row['id']}.{number}", *call))

    def _row(self, where: str, place: str, message: Mapping[str, Any]) -> Json:
        role = message.get("role")
        role = ROLES.get(role, role) if isinstance(role, str) else role
        row: Json = {
            "conversation": self.id,
            "id": name(message.get("id")) or place,
            "role": role,
            "speaker": name(message.get("name")) or role,
            "text": self._text(where, message.get("content")),
        }
        if role is None:
            row["speaker"] = "user"
        if message.get("session") is not None:
            row["session"] = name(message["session"]) or message["session"]
        self._time(where, message, row)
        return row

    def _text(self, where: str, content: object) -> object:
        if content is None:
            return ""
        if not isinstance(content, list | tuple):
            return content
        texts = []
        for part in content:
            found = _part(part)
            if found is None:
                kind = part.get("type") if isinstance(part, Mapping) else part
                self.log.note("part without text", where, kind, "dropped")
            else:
                texts.append(found)
        return "\n".join(texts)

    def _time(self, where: str, message: Mapping[str, Any], row: Json) -> None:
        value = next((message[key] for key in TIMES if message.get(key) is not None), None)
        if value is None:
            return
        moment = _moment(value)
        if moment is None:
            row["time"] = str(value) if isinstance(value, int | float) else value
            return
        if self.latest is not None and moment < self.latest:
            self.log.note("time runs backwards", where, value, "repaired")
            moment, row["imputed"] = self.latest, True
        self.latest = row["time"] = moment

    def _called(
        self, where: str, turn: str, message: Mapping[str, Any]
    ) -> Iterator[tuple[str, str]]:
        """Yield the id and the text of every tool call."""
        listed = message.get("tool_calls")
        calls = list(listed) if isinstance(listed, list | tuple) else []
        if isinstance(message.get("function_call"), Mapping):
            function = message["function_call"]
            calls.append({"id": f"function {function.get('name')}", "function": function})
        for number, call in enumerate(calls):
            inner = call.get("function") if isinstance(call, Mapping) else None
            if not isinstance(inner, Mapping):
                self.log.note("call without a function", where, call, "dropped")
                continue
            given = name(call.get("id"))
            if given is None:
                self.log.note("call without an id", where, call.get("id"), "repaired")
            yield self._opened(where, given or f"{turn} call {number}"), _spelt(inner)

    def _opened(self, where: str, given: str) -> str:
        """Return an id that no earlier call of the conversation has."""
        taken = set(self.calls.values())
        free, number = given, 2
        while free in taken:
            free, number = f"{given}#{number}", number + 1
        if free != given and not given.startswith("function "):
            self.log.note("repeated call id", where, given, "repaired")
        self.calls.pop(given, None)
        self.calls[given] = free
        return free

    def _result(self, where: str, message: Mapping[str, Any], row: Json) -> bool:
        """Give a tool result its call; tell whether there is one."""
        asked = name(message.get("tool_call_id"))
        if asked is None and message.get("role") == "function":
            asked = f"function {message.get('name')}"
        if asked is None or asked not in self.calls:
            self.log.note("result of no call", where, asked, "dropped")
            return False
        row["meta"] = {"call": self.calls[asked]}
        return True


def _with_call(row: Json, turn: str, call: str, spelt: str) -> Json:
    words = "\n".join(filter(None, (row["text"], spelt))) if isinstance(row["text"], str) else ""
    return {**row, "id": turn, "text": words or row["text"], "meta": {"call": call}}


def _spelt(function: Mapping[str, Any]) -> str:
    arguments = function.get("arguments")
    return f"{function.get('name')}({'' if arguments is None else arguments})"


def _part(part: object) -> str | None:
    """Return the words of a part; None if it has none."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return None
    words = part.get("refusal") if part.get("type") == "refusal" else None
    if part.get("type") in _TEXTS:
        words = part.get("text")
    if isinstance(words, Mapping):
        words = words.get("value")
    return words if isinstance(words, str) else None


def _moment(value: object) -> datetime | None:
    try:
        if isinstance(value, str):
            return utc(value)
        if isinstance(value, datetime):
            return utc(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
