"""Units of work as lines of text: what is appended to a run folder, and read back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from memlab.digests import canonical_json
from memlab.types import Record

Key = tuple[str, str]
"""A unit: strategy label and conversation id."""


def _bare(field: Any) -> Any:  # noqa: ANN401
    return field.default_factory() if field.default_factory is not MISSING else field.default


_DEFAULTS = {f.name: _bare(f) for f in fields(Record)}


def record_to_json(record: Record) -> dict[str, Any]:
    """Return a record as JSON values, defaults left out."""
    given = {name: getattr(record, name) for name in _DEFAULTS}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if name == "budget" or value != _DEFAULTS[name]
    }


def record_from_json(data: Mapping[str, Any]) -> Record:
    """Read back what `record_to_json` wrote."""
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
    return Record(**values)


@dataclass(frozen=True)
class Written:
    """One unit as it lies in the folder: its lines of each file."""

    key: Key
    rows: tuple[str, ...]
    closing: str
    texts: tuple[str, ...]
    latency: str


def written(
    key: Key,
    records: Sequence[Record],
    facts: Mapping[str, Any],
    latency: Mapping[str, Any],
    texts: Sequence[Mapping[str, Any]],
) -> Written:
    """Return a unit as lines; lone surrogates, which no file can hold, become escapes."""
    name = {"strategy": key[0], "conversation": key[1]}
    return Written(
        key,
        tuple(_line(record_to_json(record)) for record in records),
        _line({"closes": name, "rows": len(records), **facts}),
        tuple(_line(text) for text in texts),
        _line({**name, **latency}),
    )


def _line(data: Mapping[str, Any]) -> str:
    return canonical_json(data).encode("utf-8", "backslashreplace").decode()


def read_unit(unit: Written) -> tuple[list[Record], dict[str, Any]]:
    """Return the records and the facts of a unit."""
    facts: dict[str, Any] = json.loads(unit.closing)
    del facts["closes"], facts["rows"]
    return [record_from_json(json.loads(row)) for row in unit.rows], facts
