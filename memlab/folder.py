"""A run folder: units appended by one process, resumable after any interruption."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from memlab.errors import RunError
from memlab.recording import Key, Written, record_from_json
from memlab.types import Record

RECORDS, TEXTS, LATENCY, MANIFEST = "records.jsonl", "texts.jsonl", "latency.json", "manifest.json"
_LATENCIES = "latency.jsonl"
_ANEW = "anew"
_LISTED = 9


class Folder:
    """The files of one run. Only the process that holds `lock` may append."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.dropped = 0

    @property
    def complete(self) -> bool:
        """Whether the manifest, which is written last, and the records are there."""
        return all((self.path / name).is_file() for name in (MANIFEST, RECORDS, LATENCY))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder; a second writer is refused at once.

        Raises:
            RunError: another process is writing into the folder.
        """
        from filelock import FileLock, Timeout

        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path / ".lock", timeout=0)
            lock.acquire()
        except Timeout as error:
            raise RunError(
                f"another process is writing into {self.path}", "one writer", "wait for it to end"
            ) from error
        except OSError as error:
            raise RunError(
                f"cannot write into {self.path}: {error}", "a writable folder"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def clear(self, *, but: str = "") -> None:
        """Delete every file of the run but one, first the one that calls it complete."""
        (self.path / MANIFEST).unlink(missing_ok=True)
        for file in self.path.iterdir():
            if file.name not in (".lock", but):
                shutil.rmtree(file) if file.is_dir() else file.unlink()

    @contextmanager
    def anew(self) -> Iterator[Folder]:
        """Give a folder for the same run; if the block ends well, its files replace these.

        Otherwise these stay as they are, and nothing of the others is left.
        """
        made = Folder(self.path / _ANEW)
        made.path.mkdir(exist_ok=True)
        made.clear()  # a killed process leaves its files there
        try:
            try:
                yield made
            except KeyboardInterrupt as stop:
                stop.__notes__ = [f"the finished run in {self.path} stays as it was"]
                raise
            self.clear(but=_ANEW)
            for file in sorted(made.path.iterdir(), key=lambda file: file.name == MANIFEST):
                file.replace(self.path / file.name)  # the manifest last: it makes the run complete
        finally:
            shutil.rmtree(made.path)

    def recover(self) -> dict[Key, Written]:
        """Return the closed units and cut the files back to them.

        A unit is closed by its closing line, which is written after everything else of it and
        tells how many rows it has. `dropped` counts the lines that were cut off.
        """
        latency = {_key(d): line for line, d in _lines(self.path / _LATENCIES)}
        texts: dict[Key, list[str]] = {}
        for line, data in _lines(self.path / TEXTS):
            texts.setdefault(_key(data), []).append(line)
        units: dict[Key, Written] = {}
        rows: list[str] = []
        good = total = 0
        for line, data in _lines(self.path / RECORDS):
            total += 1
            rows.append(line)
            if "closes" not in data:
                continue
            key = _key(data["closes"])
            whole = data["rows"] == len(rows) - 1
            if key in latency and whole:
                units[key] = Written(
                    key, tuple(rows[:-1]), line, tuple(texts.get(key, ())), latency[key]
                )
            good, rows = total, []
        self.dropped = _count(self.path / RECORDS) - good
        if self.path.is_dir():
            self._rewrite(list(units.values()), with_latencies=True)
        return units

    def append(self, unit: Written) -> None:
        """Append a finished unit: texts and latencies first, its rows, then its closing line."""
        for name, lines in (
            (TEXTS, unit.texts),
            (_LATENCIES, (unit.latency,)),
            (RECORDS, (*unit.rows, unit.closing)),
        ):
            if not lines:
                continue
            with (self.path / name).open("a", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
                file.flush()
                os.fsync(file.fileno())

    def finish(self, order: Sequence[Key], units: Mapping[Key, Written]) -> None:
        """Rewrite the files in the order of the spec, so that equal runs have equal bytes."""
        ordered = [units[key] for key in order]
        self._rewrite(ordered, with_latencies=False)
        self.write_json(LATENCY, {"units": [json.loads(unit.latency) for unit in ordered]})

    def seal(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest, which makes the run complete, then drop what resuming needed."""
        self.write_json(MANIFEST, manifest)
        (self.path / _LATENCIES).unlink(missing_ok=True)

    def _rewrite(self, units: Sequence[Written], *, with_latencies: bool) -> None:
        latencies = [u.latency for u in units]
        contents: dict[str, list[str]] = {
            TEXTS: [line for u in units for line in u.texts],
            **({_LATENCIES: latencies} if with_latencies else {}),
            RECORDS: [line for u in units for line in (*u.rows, u.closing)],
        }
        for name, lines in contents.items():
            self.write_text(name, "".join(f"{line}\n" for line in lines))

    def write_json(self, name: str, data: object) -> None:
        """Write a JSON file whole or not at all."""
        text = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
        self.write_text(name, text + "\n")

    def write_text(self, name: str, text: str) -> None:
        """Write a file whole or not at all."""
        temporary = self.path / f".{name}.tmp"
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.path / name)

    def read_json(self, name: str) -> dict[str, Any]:
        """Read a JSON file of the run.

        Raises:
            RunError: the file is missing, not JSON, or not that of a run.
        """
        try:
            loaded = json.loads((self.path / name).read_text("utf-8"))
            needed = {MANIFEST: {"metrics", "resolved", "hash8"}, LATENCY: {"units"}}[name]
            if not isinstance(loaded, dict) or not needed <= set(loaded):
                raise ValueError(f"no {' or '.join(sorted(needed))} in it")
        except (OSError, ValueError) as error:
            raise _told(self.path / name, error) from error
        return loaded

    def read_records(self) -> tuple[list[Record], list[dict[str, Any]]]:
        """Return the records of a finished run, and the facts of its units.

        Raises:
            RunError: the file is missing or damaged.
        """
        path = self.path / RECORDS
        records, facts = [], []
        try:
            with path.open(encoding="utf-8", newline="\n") as file:
                for line in file:
                    data = json.loads(line)
                    if "closes" in data:
                        del data["rows"]
                        facts.append({**data.pop("closes"), **data})
                    else:
                        records.append(record_from_json(data))
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise _told(path, error) from error
        return records, facts


def _told(path: Path, error: Exception) -> RunError:
    why = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
    fix = "run its spec.toml again: what is done is kept"
    if not (path.parent / "spec.toml").is_file():
        fix = _instead(path.parent)
    return RunError(f"cannot read {path}: {why}", "the folder of a finished run", fix)


def _instead(folder: Path) -> str:
    """Return which finished runs there are in a folder that is none, or beside it."""
    place = folder if folder.is_dir() and folder.name else folder.parent
    runs = sorted(one.name for one in place.glob("*") if Folder(one).complete)
    if len(runs) > _LISTED:
        runs = get_close_matches(folder.name, runs, _LISTED) or [*runs[:_LISTED], "…"]
    return f"runs in {place}: {', '.join(runs)}" if runs else "memlab run makes one"


def _key(data: Mapping[str, Any]) -> Key:
    return data["strategy"], data["conversation"]


def _count(path: Path) -> int:
    return len(path.read_bytes().splitlines()) if path.is_file() else 0


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield lines and their values up to the first that is torn."""
    if not path.is_file():
        return
    read: Callable[[str], Any] = json.loads
    with path.open("rb") as file:
        for raw in file:
            try:
                if not raw.endswith(b"\n"):
                    return
                line = raw.decode().rstrip("\n")
                data = read(line)
            except ValueError:
                return
            if not isinstance(data, dict) or not {"strategy", "closes"} & set(data):
                return
            yield line, data
