"""Whether a bundle is what it says: its bytes, its scores and, on request, its run."""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.errors import Faults, MemlabError
from memlab.paper.archive import MOST_BYTES, extract, repacked, sha256
from memlab.paper.contents import ABOUT, EXPLAINED, RUN, SUMS, is_known, read_sums
from memlab.paper.rerun import rerun as run_again
from memlab.paper.rescoring import rescored, spec_faults


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of checking a bundle.

    `sha256` is that of the archive: compare it with the one that its author published, since
    whoever can change an archive can write its list of hashes as well.
    """

    path: str
    sha256: str
    run: str
    faults: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether everything is as stated."""
        return not self.faults

    def to_json(self) -> dict[str, Any]:
        """Return what `memlab verify --json` prints."""
        return {
            "file": self.path,
            "sha256": self.sha256,
            "run": self.run,
            "ok": self.ok,
            "faults": list(self.faults),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        verdict = "all as stated" if self.ok else f"{len(self.faults)} fault(s)"
        lines = [f"{self.path}: {self.run or 'no run'}: {verdict}", f"sha256 {self.sha256}"]
        lines += [f"  fault: {fault}" for fault in self.faults]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def verify(
    path: str | Path,
    *,
    rerun: bool = False,
    data: str | Path | None = None,
    trust: bool = False,
    most_bytes: int = MOST_BYTES,
) -> Verified:
    """Check a bundle: every hash, every score computed again, and with `rerun` the run itself.

    The archive is unpacked into a temporary folder, after its members were checked; nothing
    in it is trusted, and nothing is imported but memlab's own code.

    Args:
        path: the archive.
        rerun: run the spec again and compare the records byte by byte.
        data: where data lie that are not in the bundle: a folder, or the file itself.
        trust: import and use what the spec names beyond memlab's own: classes by
            `module:Class`, models that load files or ask a server.
        most_bytes: what the archive may hold, unpacked.

    Raises:
        DataError: the file cannot be read.
    """
    path = Path(path)
    with tempfile.TemporaryDirectory() as made:
        folder, scratch = Path(made) / "bundle", Path(made) / "again.zip"
        folder.mkdir()
        try:
            hashes = extract(path, folder, is_known, most_bytes=most_bytes)
        except Faults as refused:
            return Verified(str(path), sha256(path), "", refused.faults, (refused.head,))
        except MemlabError as refused:
            if not path.is_file():
                raise
            return Verified(str(path), sha256(path), "", (str(refused),), ())
        check = _Check(path, folder, hashes, scratch)
        if check.files():
            check.scores(trust=trust)
        if rerun and check.faults:
            check.notes.append("not run again: there are faults")
        elif rerun:
            check.run(None if data is None else Path(data), trust=trust)
        return check.verified()


class _Check:
    """The checks of an unpacked bundle, one after the other."""

    def __init__(self, path: Path, folder: Path, hashes: dict[str, str], scratch: Path) -> None:
        self.path, self.folder, self.hashes, self.scratch = path, folder, hashes, scratch
        self.faults: list[str] = []
        self.notes: list[str] = []
        self.name = ""
        self.spec: dict[str, Any] = {}
        self.results: Any = None

    def verified(self) -> Verified:
        """Return what was found."""
        found = (tuple(map(self._told, lines)) for lines in (self.faults, self.notes))
        return Verified(str(self.path), sha256(self.path), self.name, *found)

    def _told(self, line: str) -> str:
        """Return a line without the temporary folder, which is gone when it is read."""
        for place in (self.folder, self.folder.parent):
            line = line.replace(f"{place}{os.sep}", "").replace(str(place), self.path.name)
        return line

    def files(self) -> bool:
        """Compare the files with the list of hashes; tell whether all are there."""
        needed = {*RUN, *EXPLAINED, SUMS}
        missing = sorted(needed - set(self.hashes))
        self.faults += [f"{name} is missing" for name in missing]
        if SUMS in self.hashes:
            self._sums((self.folder / SUMS).read_text("utf-8", "replace"))
        if not self.faults:
            self._archive(len(self.hashes) - 1)
        return not missing

    def _sums(self, text: str) -> None:
        listed = read_sums(text)
        if listed is None:
            self.faults.append(f"{SUMS} is not a list of sha256 and names")
            return
        held = {name: sha for name, sha in self.hashes.items() if name != SUMS}
        for name in sorted({*held, *listed}):
            if name not in held:
                self.faults.append(f"{name} is listed, not there")
            elif name not in listed:
                self.faults.append(f"{name} is not in {SUMS}")
            elif listed[name] != held[name]:
                self.faults.append(f"{name}: sha256 differs from {SUMS}")

    def _archive(self, count: int) -> None:
        self.notes.append(f"{count} files have the sha256 that {SUMS} lists")
        packed = repacked(self.hashes, self.folder, self.scratch) == sha256(self.path)
        if packed:
            return
        about = self._json(ABOUT)
        made = str(about.get("zlib")) if isinstance(about, dict) else ""
        if made == zlib.ZLIB_RUNTIME_VERSION:
            self.faults.append("the archive has other bytes than its files give: it was changed")
        else:
            self.notes.append(f"packed by another zlib ({made}): only its files were compared")

    def scores(self, *, trust: bool) -> None:
        """Compute the scores again; compare spec, manifest, records and table."""
        self.results, faults, notes = rescored(self.folder, trust=trust)
        self.faults += faults
        self.notes += notes
        if self.results is None:
            return
        about = self.results.manifest
        self.name = f"{about['name']}-{about['hash8']}"
        try:
            self.spec = tomllib.loads((self.folder / "spec.toml").read_text("utf-8"))
        except (ValueError, RecursionError) as error:
            self.faults.append(f"spec.toml is not TOML: {error}")
            return
        self.faults += spec_faults(self.spec, self.results)
        said = self._json(ABOUT)
        if not isinstance(said, dict) or said.get("run") != self.name:
            self.faults.append(f"{ABOUT} tells of another run than {self.name}")
        if not self.faults:
            count = len(self.results.records)
            self.notes.append(f"{count} records give the scores of summary.csv to 1e-12")

    def run(self, data: Path | None, *, trust: bool) -> None:
        """Run the spec again and compare the records."""
        faults, notes = run_again(self.folder, self.spec, self.results, data, trust=trust)
        self.faults += faults
        self.notes += notes

    def _json(self, name: str) -> Any:  # noqa: ANN401
        try:
            return json.loads((self.folder / name).read_text("utf-8"))
        except (ValueError, RecursionError):
            return None
