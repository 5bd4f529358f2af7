"""Scaling curves: quality, latency and size along a dial, in small multiples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from memlab.figures.curves import beside, counts_above, lines, panel_title, parts, span
from memlab.figures.lines import Line, draw_line, names_beside
from memlab.figures.picture import Picture, finish, names_room, panels
from memlab.figures.scales import cost_axis, dial_axis, quality_axis
from memlab.figures.style import Look, looks

WARM, COLD = "read_ms_p50", "cold_read_ms_p50"
COSTS = {
    WARM: ("read, p50 (ms)", ""),
    COLD: ("first read, p50 (ms)", ""),
    "tokens_read": ("context (tokens per read)", ""),
    "bytes_saved": ("saved state (bytes)", "B"),
}
_WIDTH, _INCHES = 2.8, 2.0
"""Of a panel, and of the axes in it."""


def scaling(
    table: pd.DataFrame,
    *,
    metric: str,
    by: str,
    log: bool = False,
    title: str = "",
    notes: Sequence[str] = (),
) -> Picture:
    """Draw the table of `Results.scaling`: a panel per measure, a row per budget.

    `metric` and `by` name the columns, `log` the scale of the dial's axis. Costs that nobody
    has are left out; the first reads stand in where there are no warm ones.
    """
    cut = list(parts(table, ("budget",)))
    measures = [metric, *costs_in(table)]
    columns = 2 if len(cut) == 1 and len(measures) == 4 else len(measures)
    rows = len(cut) * len(measures) // columns
    styles = looks(table["strategy"])
    figure, axes = panels(rows, columns, (_WIDTH, 2.2), room=names_room(styles))
    named: list[tuple[Axes, list[Line]]] = []
    for row, (told, part) in enumerate(cut):
        own = axes[row * len(measures) : (row + 1) * len(measures)]
        drawn = [
            _panel(one, table, part, column, by, styles)
            for one, column in zip(own, measures, strict=True)
        ]
        for one in own:
            dial_axis(one, by, *span(table, by), log=log, inches=_INCHES)
            if row < len(cut) - 1:
                one.set_xlabel("")
        above = counts_above(own[0], part, by, inches=_INCHES)
        panel_title(own[0], told, above=above)
        named += beside(own, drawn, columns)
    finish(figure, title, notes, partial(names_beside, figure, named, styles))
    return figure


def costs_in(table: pd.DataFrame) -> list[str]:
    """Return the columns of costs that have a value."""
    known = [column for column in COSTS if column in table and table[column].notna().any()]
    return [column for column in known if column != COLD or WARM not in known]


def _panel(
    axes: Axes,
    table: pd.DataFrame,
    part: pd.DataFrame,
    column: str,
    by: str,
    styles: Mapping[str, Look],
) -> list[Line]:
    """Draw one measure; costs that are not known everywhere have lines without gaps."""
    cost = COSTS.get(column)
    made = lines(part if cost is None else part[part[column].notna()], by, column)
    for line in made:
        draw_line(axes, line, styles[line.name], strength=1 / len(made))
    if cost is None:
        quality_axis(axes, list(table[column]), column)
    else:
        cost_axis(axes, list(table[column]), cost[0], unit=cost[1])
    return made
