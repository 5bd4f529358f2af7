"""What memories hold as conversations grow: saved bytes, and tokens of what is held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from memlab.figures.curves import beside, counts_above, lines, panel_title, parts
from memlab.figures.lines import Line, draw_line, names_beside
from memlab.figures.picture import Picture, finish, names_room, panels
from memlab.figures.scales import cost_axis, dial_axis
from memlab.figures.style import Look, looks

SIZES = {"bytes": ("saved state (bytes)", "B"), "tokens": ("held (tokens)", "")}
_WIDTH, _INCHES = 3.2, 2.5


def growth(table: pd.DataFrame, *, title: str = "", notes: Sequence[str] = ()) -> Picture:
    """Draw the table of `Results.growth`: a panel per size, a row per data set.

    Lines are what was held on the way, hollow marks the ends of conversations. Sizes that
    nobody has are left out.
    """
    cut = list(parts(table, ("dataset",)))
    sizes = [size for size in SIZES if table[size].notna().any()]
    styles = looks(table["strategy"])
    figure, axes = panels(len(cut), len(sizes), (_WIDTH, 2.5), room=names_room(styles))
    low, high = float(table["turns"].min()), float(table["turns"].max())
    low, high = (low / 2, high * 2) if low == high else (low, high)
    named: list[tuple[Axes, list[Line]]] = []
    for row, (told, part) in enumerate(cut):
        own = axes[row * len(sizes) : (row + 1) * len(sizes)]
        drawn = [_panel(one, part, size, styles) for one, size in zip(own, sizes, strict=True)]
        for one, size in zip(own, sizes, strict=True):
            dial_axis(one, "turns", low, high, log=True, inches=_INCHES)
            cost_axis(one, list(table[size]), SIZES[size][0], unit=SIZES[size][1])
        way = part[part["at"] != "end"].rename(columns={"conversations": "n"})
        above = counts_above(own[0], way, "turns", inches=_INCHES, lift=6) if len(way) else 4
        panel_title(own[0], told, above=above)
        named += beside(own, drawn, len(sizes))
    finish(figure, title, notes, partial(names_beside, figure, named, styles))
    return figure


def _panel(axes: Axes, part: pd.DataFrame, size: str, styles: Mapping[str, Look]) -> list[Line]:
    """Draw one size; return a line per strategy through all that is known of it."""
    way = lines(part[part["at"] != "end"], "turns", size)
    for line in way:
        draw_line(axes, line, styles[line.name], strength=1 / len(way))
    for line in lines(part[part["at"] == "end"], "turns", size):
        _ends(axes, line, styles[line.name])
    return lines(part, "turns", size)


def _ends(axes: Axes, line: Line, look: Look) -> None:
    bars = axes.vlines(line.x, line.low, line.high)
    bars.set(color=look.colour, alpha=0.5, linewidth=1.0, linestyle="-")
    (marks,) = axes.plot(line.x, line.y, label="_end")
    marks.set(linestyle="none", marker=look.marker, markersize=4.6, zorder=3)
    marks.set(markerfacecolor="white", markeredgecolor=look.colour, markeredgewidth=1.0)
