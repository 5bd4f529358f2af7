"""Write and read times of memories by the length of their history, log–log."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from memlab.figures.curves import beside
from memlab.figures.lines import Line, draw_line, names_beside
from memlab.figures.picture import Picture, finish, names_room, panels
from memlab.figures.scales import cost_axis, dial_axis
from memlab.figures.style import looks

_WIDTH, _INCHES = 3.4, 2.7


def peers(table: pd.DataFrame, *, title: str = "", notes: Sequence[str] = ()) -> Picture:
    """Draw a table of strategy, size, phase and ms: a panel for writes, one for reads."""
    styles = looks(table["strategy"])
    figure, axes = panels(1, 2, (_WIDTH, 3.0), room=names_room(styles))
    low, high = float(table["size"].min()), float(table["size"].max())
    low, high = (low / 2, high * 2) if low == high else (low, high)
    drawn: list[list[Line]] = []
    for one, phase in zip(axes, ("write", "read"), strict=True):
        part = table[table["phase"] == phase]
        drawn.append([])
        for name, points in part.groupby("strategy", sort=False):
            nothing = np.full(len(points), np.nan)
            x, y = (points[key].to_numpy(dtype=np.float64) for key in ("size", "ms"))
            drawn[-1].append(Line(str(name), x, y, nothing, nothing))
            draw_line(one, drawn[-1][-1], styles[str(name)])
        dial_axis(one, "messages", low, high, log=True, inches=_INCHES)
        cost_axis(one, list(part["ms"]), f"{phase}, median (ms)")
    named = beside(axes, drawn, 2)
    finish(figure, title, notes, partial(names_beside, figure, named, styles))
    return figure
