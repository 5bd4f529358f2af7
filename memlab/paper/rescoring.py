"""The scores of a bundled run computed again, and compared with those it states."""

from __future__ import annotations

import csv
import io
import json
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memlab.digests import digest
from memlab.errors import MemlabError, RunError
from memlab.folder import Folder
from memlab.naming import spell
from memlab.results import Results

TOLERANCE = 1e-12
_SHOWN = 10
_FIXED = ("strategy", "budget", "tokens_written", "tokens_read", "n", "failed")
_RESOLVED = ("budget", "tokenizer", "seed")
Found = tuple[list[str], list[str]]
"""Faults and notes."""


def rescored(folder: Path, *, trust: bool) -> tuple[Results | None, list[str], list[str]]:
    """Return the results in a folder with the faults and notes of their check.

    Whatever the files hold, what goes wrong with them is a fault and no crash.
    """
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            results = _loaded(folder, trust=trust)
            _check_manifest(results.manifest)
            faults, notes = _of_summary(folder, results)
            faults += _manifest_faults(results)
            notes += [f"not scored again: {warning.message}" for warning in told]
    except Exception as error:  # noqa: BLE001 - the files are somebody else's
        name = "" if isinstance(error, MemlabError) else f"{type(error).__name__}: "
        return None, [f"cannot be scored again: {name}{error}"], []
    return results, faults, notes


def _loaded(folder: Path, *, trust: bool) -> Results:
    if not trust:
        return Results.load(folder)
    return Results.load(folder, metrics=Folder(folder).read_json("manifest.json")["metrics"])


def _check_manifest(about: Mapping[str, Any]) -> None:
    """Check that a manifest has what the other files are compared with.

    Raises:
        RunError: it lacks something.
    """
    lacking = ["name"] if "name" not in about else []
    lacking += [f"resolved.{key}" for key in _RESOLVED if key not in about["resolved"]]
    if lacking:
        raise RunError(f"manifest.json lacks {', '.join(lacking)}", "one as memlab wrote it")


def _of_summary(folder: Path, results: Results) -> Found:
    """Compare the stated table with the one that follows from the records, cell by cell.

    It may lack columns that a later version of memlab adds, but none of a metric.
    """
    text = results.summary().to_csv(index=False, lineterminator="\n")
    header, *rows = csv.reader(io.StringIO(text))
    stated_header, *stated = csv.reader(io.StringIO((folder / "summary.csv").read_text("utf-8")))
    own = {spell(metric) for metric in results.metrics}
    left_out = [name for name in results.manifest["metrics"] if name not in own]
    columns = [name for name in stated_header if not _is_of(name, left_out)]
    faults = [f"summary.csv: column {name!r} twice" for name in _repeated(stated_header)]
    lacking = [name for name in header if name not in columns]
    needed = [name for name in lacking if name in _FIXED or _is_of(name, [*own])]
    faults += [f"summary.csv: no column {name!r}" for name in needed]
    faults += [f"summary.csv: unknown column {name!r}" for name in columns if name not in header]
    if len(stated) != len(rows):
        faults.append(f"summary.csv: {len(stated)} lines; the records give {len(rows)}")
    if any(len(row) != len(stated_header) for row in stated):
        faults.append("summary.csv: lines of unequal length")
    more = [name for name in lacking if name not in needed]
    notes = [f"summary.csv has no {', '.join(more)}, as this version of memlab has"] * bool(more)
    if not faults:
        differing = _differing(columns, header, rows, stated_header, stated)
        faults = _cut(list(differing), "summary.csv")
    return faults, notes


def _differing(
    columns: Sequence[str],
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    stated_header: Sequence[str],
    stated: Sequence[Sequence[str]],
) -> Iterator[str]:
    for row, said in zip(rows, stated, strict=True):
        for name in columns:
            computed, claimed = row[header.index(name)], said[stated_header.index(name)]
            if not _same(computed, claimed):
                where = f"{row[0]!r}, budget {row[1] or 'none'}, {name}"
                yield f"summary.csv: {where}: {claimed!r:.40}; the records give {computed}"


def _same(computed: str, claimed: str) -> bool:
    if computed == claimed:
        return True
    try:
        a, b = float(computed), float(claimed)
    except ValueError:
        return False
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _is_of(column: str, metrics: Sequence[str]) -> bool:
    return any(column in (name, *(f"{name} {x}" for x in ("low", "high", "n"))) for name in metrics)


def _repeated(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _manifest_faults(results: Results) -> list[str]:
    """Compare the manifest with itself and with the records."""
    about, faults = results.manifest, []
    resolved = about["resolved"]
    if digest(resolved)[:8] != about["hash8"]:
        faults.append(
            f"manifest.json: hash8 is {about['hash8']!r}; expected {digest(resolved)[:8]}"
        )
    labels, groups = list(about["strategies"]), list(results.groups)
    expected = [(label, budget) for label in labels for budget in resolved["budget"]]
    if sorted(map(str, groups)) != sorted(map(str, expected)):
        faults.append(f"records.jsonl: strategies and budgets {groups}; expected {expected}")
    sizes = {len(at) for at in results.groups.values()}
    if len(sizes) > 1:
        faults.append(f"records.jsonl: {sorted(sizes)} records by strategy; expected equally many")
    counted = json.loads(json.dumps(results.counts()))
    for label, metrics in counted.items():
        stated = about.get("counts", {}).get(label, {})
        wrong = [name for name, value in metrics.items() if stated.get(name) != value]
        faults += [f"manifest.json: the counts of {label!r}, {name} are others" for name in wrong]
    return _cut(faults, "manifest.json")


def spec_faults(spec: dict[str, Any], results: Results) -> list[str]:
    """Compare the spec with the manifest: they must tell of the same run."""
    about = results.manifest
    budgets = ["none" if budget is None else budget for budget in about["resolved"]["budget"]]
    expected = {
        "name": about["name"],
        "budget": budgets,
        "tokenizer": about["resolved"]["tokenizer"],
        "seed": about["resolved"]["seed"],
        "metrics": about["metrics"],
        "strategies": about["strategies"],
    }
    return [
        f"spec.toml: {key} is {spec.get(key)!r:.80}; the manifest says {value!r:.80}"
        for key, value in expected.items()
        if spec.get(key) != value
    ]


def _cut(faults: list[str], what: str) -> list[str]:
    more = len(faults) - _SHOWN
    return [*faults[:_SHOWN], f"{what}: … and {more} more"] if more > 0 else faults
