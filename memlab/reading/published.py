"""Reading published files row by row: what cannot be read is noted, never lost in silence."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.errors import DataError, as_utf8
from memlab.reading.sources import printable
from memlab.types import Action, Defect

START = datetime(2000, 1, 1, tzinfo=UTC)
"""The first moment of data that state no times."""
MINUTE = timedelta(minutes=1)

Json = dict[str, Any]


class Log(list[Defect]):
    """The defects of a data set, in the order found."""

    def note(self, kind: str, where: str, found: object, action: Action) -> None:
        """Add a defect; what was found is cut to 80 characters."""
        self.append(Defect(kind, where, printable(f"{found!s:.80}"), action))

    def refuse(self, path: Path) -> None:
        """Raise a DataError that lists all defects, if there are any."""
        if self:
            listed = "\n".join(f"  {d.kind} at {d.where}: {d.found} ({d.action})" for d in self)
            raise DataError(f"{len(self)} defects in {path}:\n{listed}", "", "use strict=False")


def name(value: object) -> str | None:
    """Return an id as text: text that is not blank, or a whole number; else None."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        return str(value)
    return value if isinstance(value, str) and value.strip() and printable(value) == value else None


def text(row: Json, key: str, where: str, log: Log) -> str | None:
    """Return the text under a key; halves of surrogate pairs are mended and noted."""
    value = row.get(key)
    if not isinstance(value, str):
        return None
    mended = printable(value)
    if mended != value:
        log.note("half a surrogate pair", where, key, "repaired")
    return mended


def read_value(path: Path) -> tuple[Any, str]:
    """Return the JSON value of a file, or of a gzipped one, and the sha256 of its bytes.

    Raises:
        DataError: the file cannot be read, unpacked or parsed.
    """
    try:
        data = path.read_bytes()
        raw = gzip.decompress(data) if path.suffix == ".gz" else data
        return json.loads(raw.decode("utf-8-sig")), hashlib.sha256(data).hexdigest()
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(
            f"{path} cannot be read: {reason}", "a file of the published data"
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not readable JSON: {error}", "JSON", as_utf8(error)) from error


def rows(values: object, where: str, log: Log) -> Iterator[tuple[str, Json]]:
    """Yield the objects of a list with their places; anything else is noted and dropped.

    Raises:
        DataError: no list at all.
    """
    if not isinstance(values, list):
        raise DataError(f"{where} holds {values!r:.80}", "a list of objects")
    for index, value in enumerate(values):
        if isinstance(value, dict):
            yield f"{where}#{index}", value
        else:
            log.note("no object", f"{where}#{index}", repr(value), "dropped")


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that are not blank, numbered from 1.

    Raises:
        DataError: the file cannot be read, or is not UTF-8.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}", "a text file") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8: {error}", "text", as_utf8(error)) from error


def json_lines(path: Path, log: Log) -> Iterator[tuple[str, Json]]:
    """Yield the objects of a JSON-lines file with their places; other lines are noted."""
    for number, line in lines(path):
        where = f"{path.name}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            log.note("unreadable line", where, error, "dropped")
            continue
        if isinstance(value, dict):
            yield where, value
        else:
            log.note("no object", where, repr(value), "dropped")


def once(ids: Iterable[str]) -> tuple[str, ...]:
    """Return ids in their order, each once."""
    return tuple(dict.fromkeys(ids))


def lost(roles: Sequence[str]) -> Json:
    """Return the meta entry that counts evidence lost in loading, by the role of its turn."""
    counts = {role: list(roles).count(role) for role in once(roles)}
    return {"lost_evidence": counts} if counts else {}
