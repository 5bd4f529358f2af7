"""Quality against cost: a point per strategy and budget, and the front of the best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from memlab.figures.costs import cost_axis_below
from memlab.figures.picture import Picture, finish, panels, width
from memlab.figures.pointnames import name_points
from memlab.figures.scales import quality_axis
from memlab.figures.style import Look, looks

_WIDTH, _LEAST = 4.6, 3.2
"""Of the panel in inches; its height grows with the number of names."""
_FRONT = "#b8b8b8"


def pareto(
    table: pd.DataFrame,
    *,
    metric: str,
    cost: str,
    title: str = "",
    notes: Sequence[str] = (),
) -> Picture:
    """Draw the table of `Results.pareto`: whiskers, the front as steps, names beside points.

    `metric` and `cost` name the columns. Points on the front are filled; those of a strategy
    at several budgets are joined by a thin line. Rows without a value must be left out.
    """
    styles = looks(table["strategy"])
    height = max(_LEAST, 0.9 + 0.19 * len(styles))
    room = 0.3 + width([look.shown for look in styles.values()])
    figure, (axes,) = panels(1, 1, (_WIDTH, height), room=room)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(rect=(0, 0, 1 - room / figure.get_figwidth(), 1))  # type: ignore[call-arg]
    _front(axes, table[table["front"].astype(bool)], metric, cost)
    for name, rows in table.groupby("strategy", sort=False):
        _strategy(axes, rows, metric, cost, styles[str(name)])
    quality_axis(axes, list(table[metric]), metric)
    cost_axis_below(axes, cost, list(table[cost]), inches=_WIDTH - 0.6)
    _extended(axes)
    spots = {  # the last budget of each strategy first
        str(name): rows[[cost, metric]].to_numpy(dtype=np.float64)[::-1]
        for name, rows in table.groupby("strategy", sort=False)
    }
    finish(figure, title, notes, partial(name_points, figure, axes, spots, styles, room=room))
    return figure


def _front(axes: Axes, rows: pd.DataFrame, metric: str, cost: str) -> None:
    """Draw what is reached at each cost, in steps; it goes on level to the right end."""
    best = rows.sort_values([cost, metric])
    (line,) = axes.plot(best[cost], best[metric], label="_front")
    line.set(color=_FRONT, linewidth=2.2, drawstyle="steps-post", zorder=1, marker="")
    line.set(linestyle="-", solid_capstyle="butt", solid_joinstyle="miter")


def _extended(axes: Axes) -> None:
    line = next(one for one in axes.lines if one.get_label() == "_front")
    x, y = (np.asarray(values, dtype=np.float64) for values in line.get_data())
    if len(x):
        line.set_data([*x, axes.get_xlim()[1]], [*y, y[-1]])


def _strategy(axes: Axes, rows: pd.DataFrame, metric: str, cost: str, look: Look) -> None:
    """Draw the points of one strategy with their whiskers, joined in the order of the table."""
    known = rows[f"{metric} low"].notna() & rows[f"{metric} high"].notna()
    bars = axes.vlines(
        rows[cost][known], rows[f"{metric} low"][known], rows[f"{metric} high"][known]
    )
    bars.set(color=look.colour, alpha=0.55, linewidth=1.0, zorder=2)
    (line,) = axes.plot(rows[cost], rows[metric], label=str(rows["strategy"].iloc[0]))
    line.set(color=look.colour, linewidth=0.8, linestyle=(0, look.dashes or (1, 0)), zorder=3)
    line.set(marker="", drawstyle="default")
    for front, part in rows.groupby(rows["front"].astype(bool)):  # the front lies above
        (marks,) = axes.plot(part[cost], part[metric], label="_marks")
        marks.set(linestyle="none", marker=look.marker, markersize=6.2, zorder=5 if front else 4)
        marks.set(markerfacecolor=look.colour if front else "white")
        marks.set(markeredgecolor="white" if front else look.colour)
        marks.set(markeredgewidth=0.6 if front else 1.3)
