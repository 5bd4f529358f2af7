"""The baseline in a folder: two tables that a diff can show, and what they belong to."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memlab.digests import file_digest
from memlab.errors import ConfigError, RunError
from memlab.folder import MANIFEST, RECORDS, Folder
from memlab.gate.snapshot import Column, ProbeKey, Read, Snapshot
from memlab.protocols import Metric
from memlab.rundata import RunData

VALUES, TIMES = "values.tsv", "times.tsv"
VERSION = 1
"""Of the format of a baseline."""
_HEAD = len(ProbeKey._fields)


class BaselineMissing(RunError):  # noqa: N818 - it names what is missing
    """There is no baseline where one was expected."""


def load(path: str | Path, metrics: Sequence[Metric | str] | None = None) -> Snapshot:
    """Read a baseline, or take a finished run as one; `metrics` chooses some.

    Raises:
        ConfigError: a metric that the baseline does not have.
        BaselineMissing: neither is there.
        RunError: it is damaged.
    """
    folder = Folder(Path(path))
    if folder.complete:
        return Snapshot.of(RunData.load(path, metrics=metrics))
    if not (folder.path / MANIFEST).is_file():
        raise BaselineMissing(
            f"there is no baseline in {path}",
            "a folder made with --save, or that of a finished run",
            f"make one: memlab check RUN --against {path} --save",
        )
    found = _read(folder.path)
    return found if metrics is None else found.only(metrics)


def save(snapshot: Snapshot, path: str | Path) -> dict[str, int]:
    """Write a baseline over the one that may be there; return the bytes of each file.

    Equal runs on equal machines differ in their times alone.

    Raises:
        ConfigError: the folder is that of a run.
    """
    folder = Folder(Path(path))
    if (folder.path / RECORDS).exists():
        raise ConfigError(
            f"{path} is the folder of a run", "a folder of its own, such as results/baseline"
        )
    folder.path.mkdir(parents=True, exist_ok=True)
    (folder.path / MANIFEST).unlink(missing_ok=True)  # what stands there now is no longer whole
    folder.write_text(VALUES, _table(_value_rows(snapshot)))
    folder.write_text(TIMES, _table(_time_rows(snapshot)))
    tables = [folder.path / VALUES, folder.path / TIMES]
    about = {
        "baseline": VERSION,
        "about": dict(snapshot.about),
        "failed": [[*read, error] for read, error in snapshot.failed.items()],
        "broken": [[*unit, error] for unit, error in snapshot.broken.items()],
        "sha256": file_digest(*tables),
    }
    folder.write_json(MANIFEST, about)
    return {file.name: file.stat().st_size for file in [*tables, folder.path / MANIFEST]}


def _read(folder: Path) -> Snapshot:
    try:
        about = json.loads((folder / MANIFEST).read_text("utf-8"))
        if "baseline" not in about:
            raise ValueError("it holds a manifest, but not the records of the run")
        if about["baseline"] != VERSION:
            raise ValueError(f"its format is {about['baseline']!r}, not {VERSION}")
        if about["sha256"] != file_digest(folder / VALUES, folder / TIMES):
            raise ValueError("its tables are not those that were saved with it")
        probes, values = _values(_rows(folder / VALUES))
        return Snapshot(
            about=about["about"],
            probes=probes,
            values=values,
            failed={Read(*read): error for *read, error in about["failed"]},
            broken={(label, talk): error for label, talk, error in about["broken"]},
            times=_times(_rows(folder / TIMES)),
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        why = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        raise RunError(
            f"cannot read the baseline {folder}: {why}",
            f"{MANIFEST}, {VALUES} and {TIMES} as --save wrote them",
            f"make it again: memlab check RUN --against {folder} --save",
        ) from error


def _value_rows(snapshot: Snapshot) -> Iterator[Sequence[str]]:
    """Yield three lines of heading (strategy, budget, metric), then one line per probe."""
    columns = list(snapshot.values)
    yield ["", "", "strategy", *(column.strategy for column in columns)]
    yield ["", "", "budget", *(_budget(column.budget) for column in columns)]
    yield [*ProbeKey._fields, *(column.metric for column in columns)]
    for i, probe in enumerate(snapshot.probes):
        yield [*probe, *(_number(snapshot.values[column][i]) for column in columns)]


def _values(rows: list[list[str]]) -> tuple[list[ProbeKey], dict[Column, Any]]:
    head, body = rows[:3], rows[3:]
    columns = [
        Column(strategy, None if budget == "none" else int(budget), metric)
        for strategy, budget, metric in zip(*(line[_HEAD:] for line in head), strict=True)
    ]
    cells = np.array([[float(c or "nan") for c in row[_HEAD:]] for row in body], dtype=np.float64)
    cells = cells.reshape(len(body), len(columns))
    return [ProbeKey(*row[:_HEAD]) for row in body], {c: cells[:, i] for i, c in enumerate(columns)}


def _time_rows(snapshot: Snapshot) -> Iterator[Sequence[str]]:
    """Yield a heading, then one line per unit, in nanoseconds."""
    names = sorted({name for times in snapshot.times.values() for name in times})
    yield ["strategy", "conversation", *names]
    for unit, times in snapshot.times.items():
        yield [*unit, *(_number(round(times.get(name, np.nan), 1)) for name in names)]


def _times(rows: list[list[str]]) -> dict[tuple[str, str], dict[str, float]]:
    names = rows[0][2:]
    return {
        (row[0], row[1]): {
            name: float(cell) for name, cell in zip(names, row[2:], strict=True) if cell
        }
        for row in rows[1:]
    }


def _table(rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, dialect="excel-tab", lineterminator="\n").writerows(rows)
    return text.getvalue()


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, dialect="excel-tab", strict=True))


def _number(value: float) -> str:
    """Write a number so that it reads back the same; nothing for NaN."""
    if np.isnan(value):
        return ""
    return str(int(value)) if value == int(value) else repr(float(value))


def _budget(budget: int | None) -> str:
    return "none" if budget is None else str(budget)
