"""A bundled run made again, and its records compared byte by byte."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memlab.config import PARAMETERS
from memlab.errors import CoverageWarning, MemlabError
from memlab.paper.sharing import Tables, tables
from memlab.paper.trust import astray, distrusted
from memlab.results import Results
from memlab.runner import evaluate
from memlab.spec import PATHS

Found = tuple[list[str], list[str]]
"""Faults and notes."""
_CODE = ("source", "foreign_source")
"""Hashes of code: another version may give the same records, and they are compared."""


def rerun(
    folder: Path, spec: Mapping[str, Any], stated: Results, data: Path | None, *, trust: bool
) -> Found:
    """Run the spec of an unpacked bundle beside it and compare; return faults and notes.

    Strategies that are not memlab's own are imported with `trust` alone. Data that are not in
    the bundle are looked for in `data`, a folder, or the file itself.
    """
    given = tables(spec.get("dataset"))
    faults = [f"spec.toml: unknown key {key!r}" for key in spec if key not in PARAMETERS]
    faults += [f"spec.toml: {fault}" for fault in astray(given)]
    if not trust:
        faults += [f"not run again: {fault}; trust it to import that" for fault in distrusted(spec)]
    if not given:
        faults.append("not run again: the data were made in Python and cannot be loaded")
    if faults:
        return faults, []
    found, missing = _located(given, folder, data)
    if missing:
        where = "name the file or its folder: --data PATH (in Python data=PATH)"
        return [f"not run again: {place} is not at hand; {where}" for place in missing], []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CoverageWarning)  # the manifest tells of it
            made = _run(spec, stated, found, folder.parent / "again")
            return _differences(folder, stated, made)
    except Exception as error:  # noqa: BLE001 - the spec is somebody else's
        name = "" if isinstance(error, MemlabError) else f"{type(error).__name__}: "
        return [f"cannot be run again: {name}{error}"], []


def _located(
    given: Tables, folder: Path, data: Path | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the tables with the paths of the data here, and the places that are missing."""
    found, missing = [], []
    for table in given:
        here = dict(table)
        for key in PATHS:
            if key in table:
                places = _candidates(table[key], folder, data)
                path = next((place for place in places if place.exists()), None)
                here[key] = str(path)
                missing += [table[key]] if path is None else []
        found.append(here)
    return found, missing


def _candidates(place: str, folder: Path, data: Path | None) -> list[Path]:
    if data is None:
        return [folder / place]
    name = Path(place).name
    below = place.partition("/")[2]
    return [folder / place, *([data] if data.name == name else []), data / below, data / name]


def _run(
    spec: Mapping[str, Any], stated: Results, given: Sequence[Mapping[str, Any]], scratch: Path
) -> Results:
    return evaluate(
        spec["strategies"],
        list(given) if isinstance(spec["dataset"], list) else given[0],
        stated.metrics,
        budget=spec["budget"],
        tokenizer=spec["tokenizer"],
        seed=spec["seed"],
        name=spec["name"],
        out=scratch,
    )


def _differences(folder: Path, stated: Results, made: Results) -> Found:
    """Compare what decided the records, then the records."""
    before, after = stated.manifest["resolved"], made.manifest["resolved"]
    keys = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    faults = [f"run again: other {key} than in the manifest" for key in keys if key not in _CODE]
    notes = []
    if any(key in keys for key in _CODE):
        version = stated.manifest["packages"]["memlab"]
        notes.append(f"run again with other code than that of the run (memlab {version})")
    if made.path is None:  # it was given a folder
        raise MemlabError("the run wrote no folder")
    ours = (made.path / "records.jsonl").read_bytes()
    theirs = (folder / "records.jsonl").read_bytes()
    if ours == theirs:
        lines = ours.count(b"\n")
        return faults, [*notes, f"run again: {lines} lines of records are the same, byte by byte"]
    pairs = list(zip(ours.splitlines(), theirs.splitlines(), strict=False))
    differ = [i for i, (a, b) in enumerate(pairs, 1) if a != b]
    first = differ[0] if differ else len(pairs) + 1
    lengths = f"{len(ours.splitlines())} lines, {len(theirs.splitlines())} in the bundle"
    told = f"{len(differ)} lines of records.jsonl differ, the first is line {first} ({lengths})"
    return [*faults, f"run again: {told}"], notes
