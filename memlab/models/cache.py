"""Vectors kept between runs, in one SQLite file that several processes share."""

from __future__ import annotations

import os
import sqlite3
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from memlab.encoding.cachefile import ERRORS, FileId, alone, connect, file_id, is_damage, unusable
from memlab.encoding.cacherows import COLUMNS, INSERT, Row, entry_of, row_of
from memlab.encoding.embedding import Entry

CHUNK = 500
"""Keys in one query: SQLite's oldest limit on variables is 999."""

BUSY_SECONDS = 60.0

FILE = "vectors-2.sqlite"
"""The number is that of the table's form: another form is another file, and both stay."""

T = TypeVar("T")


class _Held(NamedTuple):
    """A connection with the process it belongs to and the file it was opened on."""

    pid: int
    connection: sqlite3.Connection
    file: FileId


def default_path() -> Path:
    """Return the cache file: in MEMLAB_CACHE (a folder), or in the user's cache folder."""
    folder = os.environ.get("MEMLAB_CACHE")
    if not folder:
        from platformdirs import user_cache_dir

        folder = user_cache_dir("memlab", appauthor=False)
    return Path(folder) / FILE


class VectorCache:
    """Keeps entries by cache key; no text is stored, so deleting the file loses time only.

    One connection per process and thread, write-ahead logging, and a long wait for the
    lock: processes may write at the same time. Opening and replacing the file happen under a
    lock of their own (`.lock`), one process at a time. A damaged file is moved aside
    (`.damaged`) and begun anew with a warning; a damaged row, told by its checksum, is a miss.

    Args:
        path: the file; None is `default_path()`.

    Raises:
        ConfigError: on use, if the file cannot be opened or written, or is another database.
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
            rows = self._trying(partial(_select, list(keys[start : start + CHUNK])))
            entries = {row[0]: entry_of(row) for row in rows}
            good = {key: entry for key, entry in entries.items() if entry is not None}
            self._counts["damaged"] += len(entries) - len(good)
            found.update(good)
        self._counts["hits"] += len(found)
        self._counts["misses"] += len(set(keys)) - len(found)
        return found

    def put(self, entries: Mapping[str, Entry]) -> None:
        """Store entries, in one transaction."""
        if entries:
            self._trying(partial(_write, [row_of(*pair) for pair in entries.items()]))

    def stats(self) -> dict[str, int]:
        """Return hits, misses, damaged rows and recovered files of this object; rows, bytes."""
        rows = self._trying(_count)
        size = self.path.stat().st_size if self.path.exists() else 0  # deleted meanwhile
        return {**self._counts, "rows": rows, "bytes": size}

    def close(self) -> None:
        """Close this thread's connection; the next call opens another."""
        held = self._held()
        self._local.held = None
        if held:
            held.connection.close()

    def _held(self) -> _Held | None:
        held: _Held | None = getattr(self._local, "held", None)
        # A forked child must not touch its parent's connection.
        return held if held and held.pid == os.getpid() else None

    def _trying(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do the work; on a damaged file, do it again on the one that takes its place."""
        try:
            return work(self._connection())
        except ERRORS as error:
            if not is_damage(error):
                raise unusable(self.path, error) from error
            self._replace(error)
        try:
            return work(self._connection())
        except ERRORS as error:
            raise unusable(self.path, error) from error

    def _connection(self) -> sqlite3.Connection:
        held = self._held()
        if held is None:
            with self._alone():
                try:
                    connection = connect(self.path, BUSY_SECONDS)
                except ERRORS as error:
                    if not is_damage(error):
                        raise
                    self._move(error)
                    connection = connect(self.path, BUSY_SECONDS)
                held = _Held(os.getpid(), connection, file_id(self.path))
            self._local.held = held
        return held.connection

    def _alone(self) -> AbstractContextManager[None]:
        return alone(self.path, BUSY_SECONDS)

    def _replace(self, error: Exception) -> None:
        """Move the file aside that this thread has open, unless another has done so already."""
        held = self._held()
        with self._alone():
            ours = held is not None and held.file == file_id(self.path)
            self.close()  # after the comparison: the number of an open file is not given again
            if ours:
                self._move(error)

    def _move(self, error: Exception) -> None:
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
            stacklevel=5,
        )


def _select(keys: list[str], db: sqlite3.Connection) -> list[Row]:
    marks = ", ".join("?" * len(keys))
    query = f"SELECT {COLUMNS} FROM vectors WHERE key IN ({marks})"  # noqa: S608 - marks
    return db.execute(query, keys).fetchall()


def _count(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM vectors").fetchone()[0])


def _write(rows: list[Row], db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    with db:  # commits, or rolls back whatever goes wrong
        db.executemany(INSERT, rows)
