"""The forgetting curve: a metric along a dial of the probes, one line per strategy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from memlab.figures.curves import beside, counts_above, lines, panel_title, parts, span
from memlab.figures.lines import Line, draw_line, names_beside
from memlab.figures.picture import Picture, finish, names_room, panels
from memlab.figures.scales import dial_axis, quality_axis
from memlab.figures.style import looks

_COLUMNS = 3
_SIZES = {1: (4.4, 2.9), 2: (3.1, 2.6), 3: (2.7, 2.4)}


def forgetting(
    table: pd.DataFrame,
    *,
    metric: str,
    by: str,
    log: bool = False,
    title: str = "",
    notes: Sequence[str] = (),
) -> Picture:
    """Draw the table of `Results.forgetting`: a panel per data set and budget, bands, n above.

    `metric` and `by` name the columns, `log` the scale of the dial's axis. Numbers are drawn as
    they are in the table.
    """
    cut = list(parts(table, ("dataset", "budget")))
    columns = min(len(cut), _COLUMNS)
    rows = -(-len(cut) // columns)
    styles = looks(table["strategy"])
    figure, axes = panels(rows, columns, _SIZES[columns], room=names_room(styles))
    inches = _SIZES[columns][0] - 0.6
    drawn: list[list[Line]] = []
    for at, (told, part) in enumerate(cut):
        one = axes[at]
        drawn.append(lines(part, by, metric))
        for line in drawn[at]:
            draw_line(one, line, styles[line.name], strength=1 / len(drawn[at]))
        quality_axis(one, list(table[metric]), metric)
        dial_axis(one, by, *span(table, by), log=log, inches=inches)
        panel_title(one, told, above=counts_above(one, part, by, inches=inches))
        if at % columns:
            one.set_ylabel("")
            one.tick_params(labelleft=False)
    for spare in axes[len(cut) :]:
        spare.remove()
    named = []
    for start in range(0, len(cut) - columns + 1, columns):  # a last row cut short has no names
        named += beside(axes[start : start + columns], drawn[start : start + columns], columns)
    finish(figure, title, notes, partial(names_beside, figure, named, styles))
    return figure
