"""Rows of the vector cache: an entry as one row with its checksum, and back."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memlab.encoding.embedding import Entry

TABLE = (
    "CREATE TABLE vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL, dtype TEXT NOT NULL, "
    "dimension INTEGER NOT NULL, nanoseconds INTEGER NOT NULL, tokens INTEGER NOT NULL, "
    "truncated INTEGER NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID"
)
COLUMNS = "key, vector, dtype, dimension, nanoseconds, tokens, truncated, crc"
INSERT = f"INSERT OR REPLACE INTO vectors ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - constants

_DTYPES = frozenset(("<f4", "<f2", "<f8"))
Row = tuple[Any, ...]


def row_of(key: str, entry: Entry) -> Row:
    """Return the row of an entry, in the order of `COLUMNS`."""
    vector = np.ascontiguousarray(entry.vector)
    kind = vector.dtype.newbyteorder("<").str
    data = vector.astype(kind, copy=False).tobytes()
    costs = (int(entry.nanoseconds), int(entry.tokens), int(entry.truncated))
    row = (key, data, kind, vector.size, *costs)
    return (*row, _crc(row))


def entry_of(row: Row) -> Entry | None:
    """Return the entry of a row, or None if a value of it is not what was written."""
    *values, crc = row
    _, data, dtype, dimension, nanoseconds, tokens, truncated = values
    numbers = (dimension, nanoseconds, tokens, truncated)
    if not isinstance(data, bytes) or dtype not in _DTYPES or _crc(values) != crc:
        return None
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        return None
    kind = np.dtype(dtype)
    if dimension < 1 or len(data) != dimension * kind.itemsize:
        return None
    vector: NDArray[Any] = np.frombuffer(data, kind)
    if not np.isfinite(vector).all():
        return None
    return Entry(vector, nanoseconds, tokens, bool(truncated))


def _crc(values: Any) -> int:  # noqa: ANN401 - a row without its checksum
    key, data, *rest = values
    return zlib.crc32(data, zlib.crc32(repr((key, *rest)).encode("utf-8", "replace")))
