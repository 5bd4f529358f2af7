"""The comparison with a baseline as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memlab.reporting.grid import NONE, Cell, Column, Grid, count, limit, number, text

if TYPE_CHECKING:
    from memlab.comparison import Comparison

_MARKS = {"better": "better", "worse": "worse"}
_FIELDS = ("metric", "strategy", "budget", "dataset")
_NAMES = {"dataset": "data set", "p adjusted": "adjusted p", "smallest p": "least p"}
_ABOUT = {
    "difference": "strategy minus baseline, mean over the probes of both, 95 % interval",
    "adjusted p": "adjusted for the family of contrasts of a metric",
    "least p": "the smallest p that so many conversations can give",
    "wins": "probes on which the strategy scores better / as well / worse",
    "clusters": "conversations",
    "detectable": "the difference that would be found with 80 % power",
    "verdict": "'not separated' means that these data do not tell the two apart",
}


def compared(comparison: Comparison, over: str = "", name: str = "comparison") -> Grid:
    """Return the comparison, a line for each metric and contrast, the verdict first.

    `over` tells, of a joined run, whether a line is about all data sets or one.
    """
    table = comparison.table
    fields = [name for name in table.columns if name in _FIELDS]
    rows = [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]
    if len({str(row.get("budget")) for row in rows}) < 2:
        fields = [name for name in fields if name != "budget"]
    shown = [_shown(row, fields) for row in rows]
    chosen = {"metric", "strategy", "budget", "data set", "verdict"}
    numeric = {name for row in shown for name, cell in row.items() if cell.key is not None}
    columns = tuple(
        Column(name, name in numeric, name in chosen, _ABOUT.get(name, ""))
        for name in (shown[0] if shown else ())
    )
    baseline = str(rows[0]["baseline"]) if rows else ""
    return Grid(
        name,
        f"Compared with {baseline}" + (f", {over}" if over else ""),
        columns,
        tuple(tuple(row.values()) for row in shown),
        tuple(comparison.notes),
    )


def _shown(row: Mapping[str, Any], fields: list[str]) -> dict[str, Cell]:
    cells = {
        _NAMES.get(name, name): limit(row[name]) if name == "budget" else text(str(row[name]))
        for name in fields
    }
    verdict = str(row["verdict"])
    cells["verdict"] = text(verdict, _MARKS.get(verdict, "open"))
    cells["difference"] = _difference(row)
    for name in ("p", "p adjusted", "smallest p"):
        cells[_NAMES.get(name, name)] = probability(row[name])
    cells["value"], cells["baseline"] = number(row["value"]), number(row["baseline value"])
    wins, ties, losses = (int(row[name]) for name in ("wins", "ties", "losses"))
    cells["wins"] = Cell(f"{wins}/{ties}/{losses}", float(wins - losses))
    cells["d"], cells["detectable"] = number(row["d"], 2), number(row["detectable"])
    cells["n"], cells["clusters"] = count(row["n"]), count(row["clusters"])
    return cells | _extras(row)


def _difference(row: Mapping[str, Any]) -> Cell:
    mean, low, high = (float(row[name]) for name in ("difference", "low", "high"))
    if math.isnan(mean):
        return Cell(NONE, math.nan)
    known = not math.isnan(low) and str(row["verdict"]) != "descriptive"
    interval = f"[{signed(low)}, {signed(high)}]" if known else ""
    return Cell(signed(mean), mean, interval)


def signed(value: float) -> str:
    """Return a difference with its sign, a proper minus."""
    return f"{value:+.3f}".replace("-", "−")


def _extras(row: Mapping[str, Any]) -> dict[str, Cell]:
    """Return the answers about margins, where they were asked for."""
    names = ("equivalent", "not inferior")
    return {name: text(str(row[name])) for name in names if name in row}


def probability(value: float) -> Cell:
    """Return a p value; a tiny one by its power of ten.

    >>> probability(0.25).text, probability(0.00001).text
    ('0.25', '1e-05')
    """
    if math.isnan(value):
        return Cell(NONE, math.nan)
    return Cell(f"{value:.2g}" if value >= 0.001 else f"{value:.0e}", value)
