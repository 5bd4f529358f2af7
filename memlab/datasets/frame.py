"""Users' own data: pandas frames of turns and probes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from memlab.checking import check_choice
from memlab.errors import ConfigError, Faults, suggest
from memlab.reading.lines import FIELDS
from memlab.reading.rows import Row, build
from memlab.types import Dataset, utc

if TYPE_CHECKING:
    import pandas as pd

NAMES = ("conversation", "id", "session", "speaker", "user", "category")
LISTS = ("evidence", "stale", "forbidden", "answers")
_NOT = ("type",)


def load(
    turns: pd.DataFrame,
    probes: pd.DataFrame | None = None,
    *,
    extra: str = "error",
    title: str = "frame",
) -> Dataset:
    """Make a data set of frames whose columns are named as the fields of turns and probes.

    Turns need `text`; `conversation` ("1"), `id` (the row's place in its conversation, from 0),
    `time`, `session`, `speaker`, `role`, `user`, `imputed` and `meta` have the defaults of
    the jsonl format. Probes need `text`, and may have `conversation`, `id` (q0, q1, …), `time`,
    `user`, `category`, `evidence`, `answers`, `stale`, `forbidden`, `answerable`, `meta`. Cells
    that pandas calls missing count as not given. Ids may be numbers. A list column holds lists,
    or one id or answer as it is. Rows are put in the order of their times; see
    `memlab.reading.rows.build` for rows without a time.

    Args:
        turns: one row a turn.
        probes: one row a probe; none is needed to write the data down with `jsonl.dump`.
        extra: what becomes of other columns: an `error` with a suggestion, so that no slip of
            the pen is taken for a field of one's own, or they go to `meta`.
        title: the name of the data set.

    Raises:
        ConfigError: no frame, a column that is missing, unknown or there twice.
        Faults: every fault of the rows, each with its row (the label of the index) and column.

    >>> import pandas as pd
    >>> load(pd.DataFrame({"text": ["I moved to Oslo.", "How is it?"]}))
    <frame: 1 conversations, 2 turns, 0 probes; defects: 1 repaired>
    """
    check_choice("extra", extra, ("error", "meta"))
    problems = list(_columns("turns", turns, "turn", extra))
    if probes is not None:
        problems += _columns("probes", probes, "probe", extra)
    if problems:
        raise problems[0] if len(problems) == 1 else Faults(problems)
    given = [_rows("turns", turns, "turn")]
    given.append([] if probes is None else _rows("probes", probes, "probe"))
    made = build(given[0], given[1])
    return Dataset(title, made.conversations, {}, {"source": "a frame"}, made.defects)


def _columns(name: str, frame: object, kind: str, extra: str) -> Iterator[ConfigError]:
    """Yield what is wrong with a frame as a whole."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        yield ConfigError(f"{name} is {type(frame).__name__}", "a pandas DataFrame")
        return
    columns = list(frame.columns)
    known = [field for field in FIELDS[kind] if field not in _NOT]
    if "text" not in columns:
        hint = suggest("text", [str(column) for column in columns]) if columns else ""
        yield ConfigError(f"{name} has no column 'text'", "the words of each row", hint)
    for column in dict.fromkeys(columns):
        if columns.count(column) > 1:
            yield ConfigError(f"{name} has the column {column!r} twice", "once")
        if not isinstance(column, str) or (column not in known and extra == "error"):
            fix = f"{suggest(str(column), known)} (rename it, drop it, or extra='meta')"
            yield ConfigError(f"{name} has an unknown column {column!r}", "", fix)


def _rows(name: str, frame: pd.DataFrame, kind: str) -> list[Row]:
    columns = list(frame.columns)
    mixed = {c: _mixed(frame[c]) for c in columns if c in NAMES}
    counts: dict[Any, int] = {}
    rows = []
    for label, cells in zip(frame.index, frame.itertuples(index=False, name=None), strict=True):
        values: dict[str, Any] = {}
        meta: dict[str, Any] = {}
        for column, cell in zip(columns, cells, strict=True):
            if not _missing(cell):
                place = values if column in FIELDS[kind] else meta
                place[column] = _value(column, cell, mixed.get(column, False))
        if "conversation" not in columns:
            values["conversation"] = "1"
        talk = str(values.get("conversation"))
        if "id" not in columns:
            values["id"] = f"{'q' if kind == 'probe' else ''}{counts.get(talk, 0)}"
        counts[talk] = counts.get(talk, 0) + 1
        if meta:
            own = values.get("meta", {})
            values["meta"] = {**meta, **own} if isinstance(own, dict) else own
        rows.append(Row(f"{name}, row {label!r}", values))
    return rows


def _mixed(column: Iterable[Any]) -> bool:
    """Tell whether a column of names has both texts and numbers: 1 and "1" would be confused."""
    kinds = {isinstance(cell, str) for cell in column if not _missing(cell)}
    return len(kinds) > 1


def _missing(cell: object) -> bool:
    import pandas as pd

    return (
        cell is None
        or cell is pd.NaT
        or cell is pd.NA
        or (isinstance(cell, float) and cell != cell)
    )


def _value(column: str, cell: Any, mixed: bool) -> Any:  # noqa: ANN401
    """Return a cell as the format has it; what does not fit is left for the checks to tell."""
    import numpy as np
    import pandas as pd

    if column == "time":
        return _time(cell)
    if column in LISTS:
        listed = isinstance(cell, list | tuple | set | frozenset | np.ndarray | pd.Series)
        return [_name(member) for member in (cell if listed else [cell])]
    if column in NAMES:
        return cell if mixed else _name(cell)
    return cell.item() if isinstance(cell, np.generic) else cell


def _time(cell: Any) -> Any:  # noqa: ANN401
    """Return a time or date as a datetime; what is none is left as it is."""
    import pandas as pd

    if isinstance(cell, str):
        try:
            return utc(cell)
        except (ValueError, OverflowError):
            return cell
    if isinstance(cell, pd.Timestamp):
        return cell.floor("us").to_pydatetime()
    if isinstance(cell, date) and not isinstance(cell, datetime):
        return datetime(cell.year, cell.month, cell.day, tzinfo=UTC)
    return cell


def _name(cell: Any) -> Any:  # noqa: ANN401
    """Return a name as text; whole numbers are written without a point."""
    import numpy as np

    value = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18
    return str(value) if whole else value
