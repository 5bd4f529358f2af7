"""A metric by category: a row for each, in it a mark with its interval for every strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from memlab.figures.curves import panel_title, parts
from memlab.figures.key import Entry, add_key, key_height, key_room
from memlab.figures.names import abridged
from memlab.figures.picture import Picture, finish, panels, width
from memlab.figures.scales import LETTER, UNITS, plain, short, x_label, y_label
from memlab.figures.style import FAINT, GRID, TINY, Look, looks

_WIDTHS, _NARROW = {1: 4.0, 2: 2.9}, 2.3
_LANE, _ROW = 0.13, 0.16
"""Inches from one strategy to the next, and between categories."""


def categories(
    table: pd.DataFrame,
    *,
    metric: str,
    by: str,
    title: str = "",
    notes: Sequence[str] = (),
) -> Picture:
    """Draw a metric by the values of `by`: a row of panels per data set, one for each budget.

    Values come in the order of the table, the first at the top; beside each stands how many
    probes are behind a mark, at least.
    """
    grid = [list(parts(part, ("budget",))) for _, part in parts(table, ("dataset",))]
    heads = [told for told, _ in parts(table, ("dataset",))]
    styles = looks(table["strategy"])
    entries = [Entry(look) for look in styles.values()]
    shown = abridged(map(str, table[by].unique()), 24)
    lanes = _LANE * len(styles) + _ROW
    heights = [lanes * row[0][1][by].nunique(dropna=False) for row in grid]
    heights[0] = max(heights[0], key_height(entries))
    wide = _WIDTHS.get(len(grid[0]), _NARROW)
    beside = _beside(table)
    figure, axes = panels(
        len(grid),
        len(grid[0]),
        (wide, sum(heights) / len(heights) + 0.55),
        room=key_room(entries, beside) + width(list(shown.values())),
        ratios=heights,
    )
    for at, one in enumerate(axes):
        row, column = divmod(at, len(grid[0]))
        told, part = grid[row][column]
        _panel(one, part, metric, by, styles, shown)
        panel_title(one, " · ".join(filter(None, (heads[row], told))), above=TINY + 6)
        one.tick_params(labelleft=not column)
        if not column:
            y_label(one, UNITS.get(by, by))
    _quality_below(axes, list(table[metric]), metric)
    for one in axes[: -len(grid[0])]:
        one.set_xlabel("")
    add_key(axes[len(grid[0]) - 1], entries, beside=beside, lines=False)
    finish(figure, title, notes)
    return figure


def _panel(
    axes: Axes,
    part: pd.DataFrame,
    metric: str,
    by: str,
    styles: Mapping[str, Look],
    shown: Mapping[str, str],
) -> None:
    values = list(dict.fromkeys(part[by]))
    lanes = list(styles)
    step = 1 / (len(lanes) + _ROW / _LANE)
    for row, value in enumerate(values):
        if row % 2 == 0:
            axes.axhspan(row - 0.5, row + 0.5, facecolor="#f5f5f5", edgecolor="none", zorder=0)
        behind = part["n"][(part[by] == value) & (part["n"] > 0)]
        least, most = (int(f(behind, default=0)) for f in (min, max))
        _beside_row(axes, short(least) if least == most else f"≥{short(least)}", row)
    _beside_row(axes, "n", -0.5, above=True)
    for name, rows in part.groupby("strategy", sort=False):
        lane = (lanes.index(str(name)) - (len(lanes) - 1) / 2) * step
        heights = np.array([values.index(value) for value in rows[by]]) + lane
        _marks(axes, rows, heights, metric, styles[str(name)])
    axes.set_ylim(len(values) - 0.5, -0.5)
    axes.yaxis.set_major_locator(FixedLocator(range(len(values))))
    axes.yaxis.set_major_formatter(FixedFormatter([shown[str(value)] for value in values]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="y", length=0)
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
    axes.grid(visible=False, axis="y")
    axes.grid(visible=True, axis="x", color=GRID, linewidth=0.6, linestyle="-")


def _marks(axes: Axes, rows: pd.DataFrame, heights: np.ndarray, metric: str, look: Look) -> None:
    low, high = (rows[f"{metric} {end}"].to_numpy(dtype=np.float64) for end in ("low", "high"))
    known = np.isfinite(low) & np.isfinite(high)
    bars = axes.hlines(heights[known], low[known], high[known])
    bars.set(color=look.colour, linewidth=1.1, linestyle="-", alpha=0.7, zorder=2)
    (marks,) = axes.plot(rows[metric], heights, label=str(rows["strategy"].iloc[0]))
    marks.set(linestyle="none", marker=look.marker, markersize=5.2, zorder=3)
    marks.set(markerfacecolor=look.colour, markeredgecolor="white", markeredgewidth=0.5)


def _beside_row(axes: Axes, text: str, row: float, *, above: bool = False) -> None:
    axes.annotate(
        text,
        (1.0, row),
        xycoords=("axes fraction", "data"),
        xytext=(4, 3 if above else 0),
        textcoords="offset points",
        ha="left",
        va="bottom" if above else "center",
        fontsize=TINY,
        color=FAINT,
        fontweight="normal",
        annotation_clip=False,
    )


def _beside(table: pd.DataFrame) -> float:
    """Return how many points the counts beside the rows take."""
    longest = max((len(short(int(n))) + 1 for n in table["n"]), default=1)
    return 10 + LETTER * TINY * longest


def _quality_below(axes: Sequence[Axes], means: Sequence[float], metric: str) -> None:
    """Set the x axes of a metric: all of 0 to 1 where its means lie there, else as drawn."""
    known = np.array([v for v in means if np.isfinite(v)])
    shares = len(known) > 0 and known.min() >= 0 and known.max() <= 1
    limits = list(chain.from_iterable(one.get_xlim() for one in axes))
    for one in axes:
        one.set_xlim((-0.03, 1.03) if shares else (min(limits), max(limits)))
        if shares:
            one.set_xticks(np.linspace(0, 1, 6))
        plain(one.xaxis)
        x_label(one, f"{metric}, mean" + (", 0 to 1" if shares else ""))
