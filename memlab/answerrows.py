"""Rows that come back for a run's contexts, matched to its records, all faults at once."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memlab.contexts import ID, refuse
from memlab.errors import ConfigError, DataError, as_utf8, suggest
from memlab.rundata import RunData

if TYPE_CHECKING:
    import pandas as pd

    Given = pd.DataFrame | str | Path | Sequence[Mapping[str, Any]]
    """Rows: a frame, a `.jsonl` or `.csv` file, or a list of dicts."""

T = TypeVar("T")
_WANTED = "a DataFrame, a .jsonl or .csv file, or a list of dicts"
Row = tuple[str, dict[str, Any]]
"""Where a row stands, and its columns."""


def matched(
    results: RunData, given: Given, column: str, read: Callable[[Any], T], what: str
) -> dict[int, T]:
    """Return the value of each row by the position of its record; rows without one are left out.

    `read` makes a value of a cell, or raises ValueError with what it expected.

    Raises:
        ConfigError: another kind of rows.
        DataError: a file that cannot be read.
        Faults: columns that are missing, ids that are not in the run or stand twice, values
            that cannot be read.
    """
    faults: list[str] = []
    rows = list(_rows(given, faults))
    budgets = list(dict.fromkeys(record.budget for record in results.records))
    _check_columns(rows, column, budgets, faults)
    places = {tuple(getattr(r, n) for n in ID): i for i, r in enumerate(results.records)}
    seen: dict[int, str] = {}
    found: dict[int, T] = {}
    run = f"{results.manifest['name']}-{results.manifest['hash8']}"
    for where, row in rows if not faults else ():
        if not _missing(row.get("run")) and row["run"] != run:
            faults.append(f"{where}: of run {row['run']!r}; expected {run!r}")
            continue
        try:
            place = places.get(key := _key(row, budgets))
        except ValueError as error:
            faults.append(f"{where}: {error}")
            continue
        if place is None:
            faults.append(f"{where}: the run has no record {dict(zip(ID, key, strict=True))}")
        elif place in seen:
            faults.append(f"{where}: the same record as {seen[place]}")
        else:
            seen[place] = where
            _take(found, place, row[column], read, where, faults)
    refuse(faults, f"{len(faults)} fault(s) in the {what}")
    return found


def _take(
    found: dict[int, T],
    place: int,
    cell: object,
    read: Callable[[Any], T],
    where: str,
    faults: list[str],
) -> None:
    if _missing(cell):
        return
    try:
        found[place] = read(cell)
    except ValueError as error:
        faults.append(f"{where}: found {cell!r:.80}; expected {error}")


def _check_columns(
    rows: Sequence[Row], column: str, budgets: Sequence[int | None], faults: list[str]
) -> None:
    """Add faults for columns that no row, or not every row, has."""
    if not rows and not faults:
        faults.append("there are no rows")
    for name in (*ID, column):
        if name == "budget" and len(budgets) == 1:
            continue  # there is nothing to choose
        without = [(where, row) for where, row in rows if name not in row]
        if without:
            where, row = without[0]
            told = f"{where}: no column {name!r}; {suggest(name, map(str, row))}"
            more = f" (and {len(without) - 1} more rows)" if len(without) > 1 else ""
            faults.append(told + more)


def _key(row: Mapping[str, Any], budgets: Sequence[int | None]) -> tuple[Any, ...]:
    """Return the id of a row. Files and frames may have turned ids into numbers and back."""
    names = [_text(name, row[name]) for name in ID[:3]]
    return (*names, _budget(row["budget"]) if "budget" in row else budgets[0])


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    number = getattr(value, "item", lambda: value)()  # numpy's numbers are Python's
    if isinstance(number, int) and not isinstance(number, bool):
        return str(number)
    raise ValueError(f"{name} is {value!r:.80}; expected text")


def _budget(value: Any) -> int | None:  # noqa: ANN401
    if _missing(value) or value in ("", "none"):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not number.is_integer():
        raise ValueError(f"budget is {value!r:.80}; expected a whole number, or none")
    return int(number)


def _missing(value: object) -> bool:
    """Tell None, NaN and what pandas means by them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def _rows(given: Given, faults: list[str]) -> Iterator[Row]:
    if isinstance(given, str | Path):
        yield from _of_file(Path(given), faults)
    elif hasattr(given, "to_dict") and hasattr(given, "columns"):
        for i, row in enumerate(given.to_dict("records")):
            yield f"row {i}", row
    elif isinstance(given, Sequence):
        for i, row in enumerate(given):
            if isinstance(row, Mapping):
                yield f"row {i}", dict(row)
            else:
                faults.append(f"row {i}: found {row!r:.80}; expected a dict")
    else:
        raise ConfigError(f"rows of type {type(given).__name__}", _WANTED)


def _of_file(path: Path, faults: list[str]) -> Iterator[Row]:
    readers = {".jsonl": _json_lines, ".csv": _csv}
    if path.suffix not in readers:
        raise ConfigError(f"{path} is of another kind", _WANTED)
    try:
        yield from readers[path.suffix](path, faults)
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}", "a .jsonl or .csv file"
        ) from error
    except UnicodeDecodeError as error:
        told = f"{path} is not UTF-8: byte {error.start + 1}"
        raise DataError(told, "text", as_utf8(error)) from error


def _json_lines(path: Path, faults: list[str]) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            where = f"line {number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                faults.append(f"{where}: broken JSON: {error}")
                continue
            if isinstance(row, dict):
                yield where, row
            else:
                faults.append(f"{where}: found {row!r:.80}; expected an object")


def _csv(path: Path, faults: list[str]) -> Iterator[Row]:
    """Read cells as they stand: `NA` and `None` are answers, too."""
    import pandas as pd

    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        faults.append(f"not a table: {error}")
        return
    for i, row in enumerate(frame.to_dict("records")):
        yield f"row {i + 1}", {str(name): cell for name, cell in row.items()}
