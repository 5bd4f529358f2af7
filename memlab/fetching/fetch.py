"""Fetching a data set on request: licence and size first, then consent, then its files."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlab.errors import ConfigError
from memlab.fetching.download import Progress, download
from memlab.fetching.fetchable import notice
from memlab.fetching.filelists import FileList, Remote, file_list
from memlab.fetching.partial import Part, check_space, on_disk, present, sha256_of
from memlab.fetching.places import cache_folder
from memlab.progress import progress_bar

Ask = Callable[[str], bool | None]
"""Put a question to the user; None where nobody is there to answer."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What is here now: `fresh` counts the files that this call brought.

    `unchecked` are the sha256 of files whose list does not know one.
    """

    name: str
    folder: Path
    files: tuple[Path, ...]
    fresh: int
    load: tuple[Path, ...]
    unchecked: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return what was fetched and how to load it."""
        there = len(self.files) - self.fresh
        lines = [f"{self.fresh} file(s) fetched, {there} already there, in {self.folder}"]
        if self.unchecked:
            lines.append("no published sha256 to check these against; as they came:")
            lines += [f"  {digest}  {path}" for path, digest in self.unchecked.items()]
        lines.append("load with:")
        lines += [f'  ml.load("{self.name}", path="{path.as_posix()}")' for path in self.load]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return the same as JSON values."""
        return {
            "name": self.name,
            "folder": str(self.folder),
            "files": [str(path) for path in self.files],
            "fetched": self.fresh,
            "unchecked": self.unchecked,
            "load": [str(path) for path in self.load],
        }


def fetch(
    name: str,
    to: Path | str | None = None,
    *,
    parts: Sequence[str] = (),
    yes: bool = False,
    ask: Ask | None = None,
    tell: Callable[[str], None] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Fetched:
    """Fetch a data set's files from its publisher, after showing licence, size and place.

    Args:
        name: one of `memlab.fetching.fetchable.fetchable()`.
        to: the folder; by default `data/NAME` in the user's cache (MEMLAB_CACHE moves it).
        parts: the parts wanted; by default those its list names.
        yes: agree to the licence here; otherwise a terminal is asked.
        ask: puts the question, for another front end than a terminal.
        tell: takes the lines meant for the user (default: stderr).
        sleep: waits between two tries.

    Raises:
        ConfigError: unknown name or part, or no consent.
        DownloadError: the files could not be fetched; what came is kept.
    """
    listing = file_list(name)
    chosen = listing.choose(parts)
    folder = Path(to).expanduser() if to is not None else cache_folder() / "data" / name
    tell, ask = tell or _tell, ask or _ask
    missing = [file for file in chosen if not present(folder / file.path, file)]
    if missing:
        tell(notice(listing, missing, folder))
        check_space(folder, sum(_left(file, folder / file.path) for file in missing))
        if not yes:
            _agree(name, ask, _command(name, to, parts))
        with _alone(folder, tell):
            fresh = [f for f in missing if _download(f, folder / f.path, sleep)]
    return _fetched(listing, chosen, folder, len(fresh) if missing else 0)


def _left(file: Remote, target: Path) -> int:
    """Return the bytes still to come, as far as the list knows."""
    return max(0, (file.bytes or 0) - Part(target).size())


def _agree(name: str, ask: Ask, command: str) -> None:
    answer = ask("Fetch it under these terms? [y/N] ")
    if answer is None:
        raise ConfigError(
            f"fetching {name!r} needs your consent, and there is no terminal to ask on",
            "",
            f"if you agree, type: {command} (in Python: yes=True)",
        )
    if not answer:
        raise ConfigError(f"{name!r} was not fetched: you did not agree")


def _command(name: str, to: Path | str | None, parts: Sequence[str]) -> str:
    import shlex

    words = ["memlab", "data", "fetch", name]
    words += ["--parts", *parts] if parts else []
    words += [] if to is None else ["--to", str(to)]
    return shlex.join([*words, "--yes"])


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _ask(question: str) -> bool | None:
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


@contextmanager
def _alone(folder: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Hold the folder; wait while another process fetches into it."""
    from filelock import FileLock, Timeout

    with on_disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            tell(f"another process is fetching into {folder}; waiting for it")
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _download(file: Remote, target: Path, sleep: Callable[[float], None]) -> bool:
    with _bar(file.path) as progress:
        return download(file, target, progress=progress, sleep=sleep)


@contextmanager
def _bar(label: str) -> Iterator[Progress]:
    """Show progress to a person who watches."""
    with progress_bar(label, "B", unit_scale=True) as bar:

        def progress(done: int, whole: int | None) -> None:
            if bar.n == 0:
                bar.n = bar.initial = done  # what was here already tells nothing of the speed
            bar.total = whole
            bar.update(done - bar.n)

        yield progress


def _fetched(listing: FileList, chosen: Sequence[Remote], folder: Path, fresh: int) -> Fetched:
    files = tuple(folder / file.path for file in chosen)
    unchecked = {f.path: sha256_of(folder / f.path) for f in chosen if not f.sha256}
    load = (folder / listing.load,) if listing.load else files
    return Fetched(listing.name, folder, files, fresh, load, unchecked)
