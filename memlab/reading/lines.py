"""One line of memlab's data format: reading it, and the faults it has by itself.

The same rules stand in `memlab/datasets/jsonl.schema.json`; datasets/README.md explains them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple, get_args

from memlab.errors import as_utf8, suggest
from memlab.types import Role, utc

TIME = re.compile(
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
    r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?(?![\s\S])"
)
DEPTH = 64
"""Lists and objects inside each other, at most: what copies and writes them calls itself."""

ROLES: tuple[str, ...] = get_args(Role)

_CONVERSATION = {"type": "name!", "conversation": "name!"}
_TIMED = {**_CONVERSATION, "time": "time!"}
_SPOKEN = {**_TIMED, "id": "name!", "text": "text!", "user": "name", "meta": "object"}
FIELDS: dict[str, dict[str, str]] = {
    "dataset": {
        "type": "name!",
        "name": "name!",
        **dict.fromkeys(("description", "source", "licence", "citation", "version"), "text"),
        "meta": "object",
    },
    "conversation": {**_CONVERSATION, "meta": "object"},
    "turn": {**_SPOKEN, "session": "name", "speaker": "text", "role": "role", "imputed": "flag"},
    "probe": {
        **_SPOKEN,
        "category": "text",
        "answerable": "flag",
        **dict.fromkeys(("evidence", "stale", "forbidden"), "ids"),
        "answers": "texts",
    },
    "session_end": {**_TIMED, "session": "name!"},
    "forget": {**_TIMED, "turn_ids": "some ids!", "user": "name"},
    "tick": dict(_TIMED),
}
"""The fields of each type of line; `!` marks those that must be there."""


class Fault(NamedTuple):
    """One fault of a file: where it is and what is wrong. `field` may be empty."""

    line: int
    field: str
    message: str

    def __str__(self) -> str:
        where = f"line {self.line}" + (f", field '{self.field}'" if self.field else "")
        return f"{where}: {self.message}"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_name, value))


def _is_time(value: object) -> bool:
    if not isinstance(value, str) or not TIME.search(value):
        return False
    try:
        utc(value)
    except (ValueError, OverflowError):
        return False
    return True


def _are_ids(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_name, value)) and len({*value}) == len(value)


KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "text": (lambda v: isinstance(v, str), "text"),
    "name": (_is_name, "text that is not blank"),
    "time": (_is_time, "an ISO 8601 time as 2024-05-08T13:56 or 2024-05-08T13:56:00+02:00"),
    "flag": (lambda v: isinstance(v, bool), "true or false"),
    "role": (lambda v: isinstance(v, str) and v in ROLES, "one of " + ", ".join(ROLES)),
    "ids": (_are_ids, "a list of ids, none twice"),
    "some ids": (lambda v: _are_ids(v) and bool(v), "a list of at least one id, none twice"),
    "texts": (_are_texts, "a list of texts, none blank"),
    "object": (lambda v: isinstance(v, dict), "an object"),
}


def read_line(number: int, raw: bytes) -> tuple[dict[str, Any] | None, list[Fault]]:
    """Return the object of a line, and its faults; no object where it cannot be read."""
    try:
        line = json.loads(raw.rstrip().decode(), object_pairs_hook=_once, parse_constant=_constant)
        json.dumps(line, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        return None, [Fault(number, "", f"broken JSON at column {error.colno}: {error.msg}")]
    except UnicodeDecodeError as error:
        return None, [Fault(number, "", f"byte {error.start + 1} is not UTF-8; {as_utf8(error)}")]
    except UnicodeEncodeError:
        return None, [Fault(number, "", "half of a surrogate pair, which no text can hold")]
    except (ValueError, RecursionError) as error:
        return None, [Fault(number, "", f"not strict JSON: {error}")]
    if not isinstance(line, dict):
        return None, [Fault(number, "", f"found {_show(line)}; expected one JSON object")]
    return line, line_faults(number, line)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(k for k in keys if keys.count(k) > 1)!r} stands twice")
    return made


def _constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def line_faults(number: int, line: dict[str, Any]) -> list[Fault]:
    """Return the faults that a line has by itself: type, fields, kinds of values."""
    kind = line.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        if "type" not in line:
            hint = f"missing; expected one of {', '.join(FIELDS)}"
        else:
            hint = f"unknown type {_show(kind)}; {suggest(str(kind), FIELDS)}"
        return [Fault(number, "type", hint)]
    known = FIELDS[kind]
    faults = [
        Fault(number, field, f"missing; a line of type '{kind}' must have it")
        for field, rule in known.items()
        if rule.endswith("!") and field not in line
    ]
    for field, value in line.items():
        message = _value_fault(known, field, value)
        if message:
            faults.append(Fault(number, field, message))
    return faults + _call_faults(number, line)


def _value_fault(known: dict[str, str], field: str, value: object) -> str:
    if field not in known:
        return f"unknown field; {suggest(field, known)}"
    accepts, expected = KINDS[known[field].rstrip("!")]
    if accepts(value):
        return _odd_part(value)
    return f"found {_show(value)}; expected {expected}"


def _odd_part(value: object) -> str:
    """Tell what in a value of any shape could not be kept."""
    waiting = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, float) and not math.isfinite(part):
            return "a number beyond the range of a double; expected finite numbers"
        if isinstance(part, list | dict):
            if depth > DEPTH:
                return f"more than {DEPTH} lists and objects inside each other"
            members = part.values() if isinstance(part, dict) else part
            waiting += [(member, depth + 1) for member in members]
    return ""


def _call_faults(number: int, line: dict[str, Any]) -> list[Fault]:
    meta = line.get("meta", {})
    if line["type"] != "turn" or not isinstance(meta, dict):
        return []
    if "call" in meta and not _is_name(meta["call"]):
        return [Fault(number, "meta", f"call is {_show(meta['call'])}; expected text, not blank")]
    if line.get("role") == "tool" and "call" not in meta:
        return [Fault(number, "meta", "a tool result needs meta.call, the id of its call")]
    return []


def _show(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
