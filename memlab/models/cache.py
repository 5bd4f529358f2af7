"""Vectors kept between runs, in one SQLite file that several processes share."""

from __future__ import annotations

import os
import sqlite3
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from memlab.embedding import Entry
from memlab.errors import ConfigError

CHUNK = 500
"""Keys in one query: SQLite's oldest limit on variables is 999."""

BUSY_SECONDS = 60.0

_TABLE = """
CREATE TABLE IF NOT EXISTS vectors (
    key TEXT PRIMARY KEY, vector BLOB NOT NULL, dtype TEXT NOT NULL, dimension INTEGER NOT NULL,
    nanoseconds INTEGER NOT NULL, tokens INTEGER NOT NULL, truncated INTEGER NOT NULL
) WITHOUT ROWID
"""
_COLUMNS = "key, vector, dtype, dimension, nanoseconds, tokens, truncated"
_INSERT = "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?)"
_DTYPES = frozenset(("<f4", "<f2", "<f8"))
_DAMAGE = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB))

T = TypeVar("T")


def default_path() -> Path:
    """Return the cache file: in MEMLAB_CACHE (a folder), or in the user's cache folder."""
    folder = os.environ.get("MEMLAB_CACHE")
    if not folder:
        from platformdirs import user_cache_dir

        folder = user_cache_dir("memlab", appauthor=False)
    return Path(folder) / "vectors.sqlite"


class VectorCache:
    """Keeps entries by cache key; no text is stored, so deleting the file loses time only.

    One connection per process and thread, write-ahead logging, and a long wait for the
    lock: processes may write at the same time. A damaged file is moved aside (`.damaged`)
    and begun anew with a warning; a damaged row is a miss.

    Args:
        path: the file; None is `default_path()`.

    Raises:
        ConfigError: on use, if the file cannot be opened or written.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()
        self._reset()

    def _reset(self) -> None:
        self._counts = {"hits": 0, "misses": 0, "damaged": 0, "recovered": 0}
        self._local = threading.local()

    def __getstate__(self) -> dict[str, Path]:
        return {"path": self.path}

    def __setstate__(self, state: dict[str, Path]) -> None:
        self.path = state["path"]
        self._reset()

    def get(self, keys: Sequence[str]) -> dict[str, Entry]:
        """Return the entries that are known."""
        found: dict[str, Entry] = {}
        for start in range(0, len(keys), CHUNK):
            chunk = list(keys[start : start + CHUNK])
            found.update(self._trying(partial(self._read, chunk)) or {})
        self._counts["hits"] += len(found)
        self._counts["misses"] += len(set(keys)) - len(found)
        return found

    def put(self, entries: Mapping[str, Entry]) -> None:
        """Store entries, in one transaction."""
        rows = [_row(key, entry) for key, entry in entries.items()]
        # Once more after a damaged file has been replaced.
        if rows and self._trying(partial(_write, rows)) is None:
            self._trying(partial(_write, rows))

    def stats(self) -> dict[str, int]:
        """Return hits, misses, damaged rows and recovered files of this object; rows, bytes."""
        rows = self._trying(
            lambda db: int(db.execute("SELECT count(*) FROM vectors").fetchone()[0])
        )
        return {**self._counts, "rows": rows or 0, "bytes": self.path.stat().st_size}

    def close(self) -> None:
        """Close this thread's connection; the next call opens another."""
        held = getattr(self._local, "held", None)
        self._local.held = None
        if held and held[0] == os.getpid():
            held[1].close()

    def _read(self, keys: list[str], db: sqlite3.Connection) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        marks = ", ".join("?" * len(keys))
        query = f"SELECT {_COLUMNS} FROM vectors WHERE key IN ({marks})"  # noqa: S608 - marks
        for key, *values in db.execute(query, keys):
            entry = _entry(*values)
            if entry is None:
                self._counts["damaged"] += 1
            else:
                found[key] = entry
        return found

    def _trying(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do the work; if the file is damaged, replace it and return None."""
        try:
            return work(self._connection())
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGE:
                raise ConfigError(
                    f"the vector cache {self.path} cannot be used: {error}",
                    "a file that can be read and written",
                    "set MEMLAB_CACHE to a folder of yours, or delete the file",
                ) from error
            self._replace(error)
            return None

    def _connection(self) -> sqlite3.Connection:
        held = getattr(self._local, "held", None)
        # A forked child must not touch its parent's connection.
        if held and held[0] == os.getpid():
            connection: sqlite3.Connection = held[1]
            return connection
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"the folder of the vector cache cannot be made: {error}",
                "a folder that can be written",
                "set MEMLAB_CACHE to a folder of yours",
            ) from error
        connection = _open(self.path)
        self._local.held = (os.getpid(), connection, _file_id(self.path))
        return connection

    def _replace(self, error: Exception) -> None:
        """Move the damaged file aside, unless another process has done so already."""
        held = getattr(self._local, "held", None)
        self.close()
        if held and held[2] != _file_id(self.path):
            return
        # The log first: a new file must not find the old one's.
        for suffix in ("-wal", "-shm", ""):
            source = self.path.with_name(self.path.name + suffix)
            if source.exists():
                source.replace(self.path.with_name(f"{self.path.name}.damaged{suffix}"))
        self._counts["recovered"] += 1
        warnings.warn(
            f"the vector cache {self.path} was damaged ({error}); it was moved to "
            f"{self.path.name}.damaged and begun anew",
            RuntimeWarning,
            stacklevel=4,
        )


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_TABLE)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _file_id(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _row(key: str, entry: Entry) -> tuple[Any, ...]:
    vector = np.ascontiguousarray(entry.vector)
    kind = vector.dtype.newbyteorder("<").str
    data = vector.astype(kind, copy=False).tobytes()
    return key, data, kind, vector.size, entry.nanoseconds, entry.tokens, int(entry.truncated)


def _write(rows: Iterable[tuple[Any, ...]], db: sqlite3.Connection) -> bool:
    db.execute("BEGIN IMMEDIATE")
    try:
        db.executemany(_INSERT, rows)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return True


def _entry(
    data: object, dtype: object, dimension: object, nanoseconds: int, tokens: int, truncated: int
) -> Entry | None:
    """Return a row's entry, or None if its parts do not fit together."""
    if not isinstance(data, bytes) or dtype not in _DTYPES or not isinstance(dimension, int):
        return None
    kind = np.dtype(str(dtype))
    if dimension < 1 or len(data) != dimension * kind.itemsize:
        return None
    vector = np.frombuffer(data, kind)
    return (
        Entry(vector, nanoseconds, tokens, bool(truncated)) if np.isfinite(vector).all() else None
    )
