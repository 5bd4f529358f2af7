"""The SQLite file of the vector cache: its lock, opening it, and telling that it is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memlab.encoding.cacherows import TABLE
from memlab.errors import ConfigError

FileId = tuple[int, int] | None

ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What SQLite raises; the second where it quotes a damaged schema in its message."""

_OURS = int.from_bytes(b"mlab", "big")
"""SQLite's application id, which tells a damaged cache from a database of something else."""

_DAMAGE = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB))
_FIX = "set MEMLAB_CACHE to a folder of yours, or delete the file"


@contextmanager
def alone(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock under which the file is made, opened and replaced.

    SQLite's own waiting does not cover the change to write-ahead logging.

    Raises:
        ConfigError: the lock cannot be made, or does not come free within `seconds`.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(path.name + ".lock"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=seconds, poll_interval=0.005)
    except (OSError, NotImplementedError, Timeout) as error:
        raise unusable(path, error) from error
    try:
        yield
    finally:
        lock.release()


def unusable(path: Path, error: Exception) -> ConfigError:
    """Return the error for a file that cannot be used."""
    return ConfigError(
        f"the vector cache {path} cannot be used: {error}",
        "a file that can be read and written",
        _FIX,
    )


def is_damage(error: Exception) -> bool:
    """Tell whether an error means that the file is not what was written."""
    code = getattr(error, "sqlite_errorcode", 0)
    cut = code == sqlite3.SQLITE_IOERR_SHORT_READ
    return cut or code & 0xFF in _DAMAGE or isinstance(error, UnicodeDecodeError)


class _BadTable(sqlite3.DatabaseError):
    """The table of a cache is not as it was made."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def _other(path: Path, made_by: int) -> Exception:
    """Return the error for a file without the table: a damaged cache, or no cache."""
    if made_by == _OURS:
        return _BadTable("its table is not as it was made")
    return ConfigError(f"{path} is a database of something else", "a vector cache", _FIX)


def connect(path: Path, seconds: float) -> sqlite3.Connection:
    """Open the cache's file, or make it; to be called under its lock.

    Raises:
        ConfigError: a database of something else.
    """
    connection = sqlite3.connect(path, timeout=seconds, isolation_level=None)
    # A damaged text is for the checksum to find.
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        tables = connection.execute("SELECT sql FROM sqlite_master").fetchall()
        if tables and (TABLE,) not in tables:
            raise _other(path, connection.execute("PRAGMA application_id").fetchone()[0])
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if not tables:
            connection.execute(f"PRAGMA application_id = {_OURS}")
            connection.execute(TABLE)
    except (*ERRORS, ConfigError):
        connection.close()
        raise
    return connection


def file_id(path: Path) -> FileId:
    """Return what tells a file from another of its name; None if it is not there."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
