"""Tables for a reader: cells with the number that they are sorted by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memlab.cells import Cells
from memlab.reporting.shown import visible
from memlab.stats import Estimate

NONE = "–"
"""In place of a value that does not exist."""


class Cell(NamedTuple):
    """A text and what it is sorted by: a number (NaN goes last), or the text itself (None).

    `faint` follows the text in a weaker colour, `mark` names a class of the style sheet.
    """

    text: str
    key: float | None = None
    faint: str = ""
    mark: str = ""

    @property
    def plain(self) -> str:
        """The whole text."""
        return visible(f"{self.text} {self.faint}" if self.faint else self.text)


class Column(NamedTuple):
    """A heading; `choose` offers its values as a filter, `about` says what it means."""

    name: str
    number: bool = True
    choose: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table under a title; `name` is its id in the page."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def left(self) -> int:
        """How many columns from the left hold texts."""
        return next((i for i, c in enumerate(self.columns) if c.number), len(self.columns))

    @property
    def cells(self) -> Cells:
        """Header and rows as texts, for Markdown and LaTeX."""
        return [c.name for c in self.columns], [[cell.plain for cell in row] for row in self.rows]


def names(several_budgets: bool, several_datasets: bool, first: str = "") -> list[Column]:
    """Return the columns that say which row it is."""
    columns = [Column(first, number=False, choose=True)] if first else []
    columns.append(Column("strategy", number=False, choose=True))
    if several_budgets:
        columns.append(Column("budget", choose=True, about="tokens a read may return"))
    if several_datasets:
        columns.append(Column("data set", number=False, choose=True))
    return columns


def text(value: str, mark: str = "") -> Cell:
    """Return a cell that is sorted by its text."""
    return Cell(value, None, "", mark)


def limit(budget: float | None) -> Cell:
    """Return the cell of a budget; none is the largest."""
    if budget is None or math.isnan(budget):
        return Cell("none", math.inf)
    return Cell(f"{int(budget):,}", float(budget))


def number(value: float, digits: int = 3) -> Cell:
    """Return a number with its digits after the point."""
    return (
        Cell(NONE, math.nan)
        if math.isnan(value)
        else Cell(f"{value:,.{digits}f}".replace("-", "−"), value)
    )


def count(value: float) -> Cell:
    """Return a whole number."""
    return number(value, 0)


def estimated(found: Estimate) -> Cell:
    """Return a mean and half of its interval; of fewer than six clusters the mean alone."""
    if math.isnan(found.mean):
        return Cell(NONE, math.nan)
    half = (found.high - found.low) / 2
    known = not math.isnan(half) and not found.descriptive
    return Cell(f"{found.mean:.3f}", found.mean, f"±{half:.3f}" if known else "")


def row_names(
    label: str, budget: int | None, dataset: str, columns: Sequence[Column]
) -> list[Cell]:
    """Return the cells below the columns of `names`."""
    wanted = {column.name for column in columns}
    cells = [text(label)]
    cells += [limit(budget)] if "budget" in wanted else []
    return [*cells, *([text(dataset)] if "data set" in wanted else [])]
