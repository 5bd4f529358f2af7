"""A file on its way: the part that came, what it was begun as, and its last check."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.errors import DownloadError
from memlab.fetching.filelists import Remote

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT))


@dataclass(frozen=True, slots=True)
class Part:
    """The files beside `target` that are there until it is whole.

    `<target>.part` holds what came, `<target>.part.meta` the address and the server's validator
    (entity tag or date), without which no later piece may be added.
    """

    target: Path

    @property
    def path(self) -> Path:
        """The bytes so far."""
        return self.target.with_name(f"{self.target.name}.part")

    @property
    def _notes(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part.meta")

    def size(self) -> int:
        """Return how many bytes are here."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def validator(self, url: str) -> str | None:
        """Return what the part was begun under ("" if the server named nothing).

        None means that the part cannot be continued: it is another address's, or unknown.
        """
        try:
            notes: Any = json.loads(self._notes.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(notes, dict) or notes.get("url") != url:
            return None
        return str(notes.get("validator") or "")

    def begin(self, url: str, validator: str) -> None:
        """Start again from nothing."""
        self.discard()
        with on_disk(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            notes = json.dumps({"url": url, "validator": validator})
            self._notes.write_text(notes, "utf-8")
            self.path.touch()

    def append(self, chunks: Iterable[bytes], told: Callable[[int], None]) -> None:
        """Add chunks; `told` is called with the size after each.

        Raises:
            DownloadError: no space, or no permission; what came is kept.
        """
        size = self.size()
        with on_disk(self.path), self.path.open("ab") as file:
            for chunk in chunks:
                file.write(chunk)
                size += len(chunk)
                told(size)
            file.flush()
            os.fsync(file.fileno())

    def discard(self) -> None:
        """Delete what came."""
        with on_disk(self.path):
            self.path.unlink(missing_ok=True)
            self._notes.unlink(missing_ok=True)

    def finish(self) -> None:
        """Give the whole file its name."""
        with on_disk(self.target):
            self.path.replace(self.target)
            self._notes.unlink(missing_ok=True)

    def set_aside(self) -> Path:
        """Keep a whole but wrong file as `<target>.bad`, to be looked at."""
        bad = self.target.with_name(f"{self.target.name}.bad")
        with on_disk(bad):
            self.path.replace(bad)
            self._notes.unlink(missing_ok=True)
        return bad


def present(target: Path, remote: Remote) -> bool:
    """Tell whether the right file is there.

    Raises:
        DownloadError: a wrong one is; it is not overwritten.
    """
    with on_disk(target):
        if not target.exists():
            return False
    if trouble := fault(target, remote):
        raise DownloadError(
            f"{target} is there, but {trouble}",
            "the file of the list",
            "move it away and fetch again",
        )
    return True


def fault(path: Path, remote: Remote) -> str:
    """Return how a file differs from what its list promises, "" if it does not."""
    with on_disk(path):
        size = path.stat().st_size
        if remote.bytes not in (None, size):
            return f"it has {size:,} bytes instead of {remote.bytes:,}"
        if remote.sha256 and (found := sha256_of(path)) != remote.sha256:
            return f"its sha256 is {found} instead of {remote.sha256}"
    return ""


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file of any size."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_space(folder: Path, needed: int) -> None:
    """Refuse to begin what cannot end.

    Raises:
        DownloadError: fewer than `needed` bytes are free where `folder` is, or will be.
    """
    there = next(place for place in (folder, *folder.absolute().parents) if place.is_dir())
    with on_disk(folder):
        free = shutil.disk_usage(there).free
    if free < needed:
        raise DownloadError(
            f"{folder} has {free:,} bytes free",
            f"{needed:,} bytes",
            "free some, or name another folder: --to DIR, or MEMLAB_CACHE",
        )


@contextmanager
def on_disk(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into a typed error."""
    try:
        yield
    except OSError as error:
        full = error.errno in _FULL
        raise DownloadError(
            f"{path} cannot be written or read: {error.strerror or error}",
            "space on the disk" if full else "a folder that can be written",
            "what came is kept; free some space and go on with the same command, or name "
            "another folder: --to DIR"
            if full
            else "name another folder: --to DIR, or MEMLAB_CACHE",
        ) from error
