"""Lines with interval bands, and their names written where the lines end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.offsetbox import AnnotationBbox, DrawingArea, HPacker, TextArea
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from memlab.figures.style import FAINT, INK, SMALL, Look

Floats = NDArray[np.float64]
_SAMPLE = 22.0
_LEADING = 1.45


class Line(NamedTuple):
    """Points of a strategy by x ascending, one at least with a value; no interval is NaN."""

    name: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats


def draw_line(axes: Axes, line: Line, look: Look, *, strength: float = 1.0) -> None:
    """Draw a line with its band; an interval between points without one becomes a bar.

    Bands lie over each other: `strength` (1 / the number of lines) keeps them light.
    """
    known = np.isfinite(line.low) & np.isfinite(line.high)
    beside = np.pad(known, 1)
    alone = known & ~beside[:-2] & ~beside[2:]
    if (known & ~alone).any():
        band = axes.fill_between(line.x, line.low, line.high, where=known & ~alone)
        band.set(
            facecolor=look.colour,
            edgecolor=look.colour,
            alpha=min(0.1, 0.4 * strength),
            linewidth=0.4,
        )
    if alone.any():
        bars = axes.vlines(line.x[alone], line.low[alone], line.high[alone])
        bars.set(color=look.colour, alpha=0.5, linewidth=1.0)
    axes.add_line(_drawn(line.x, line.y, look, line.name))
    axes.autoscale_view()


def _drawn(
    x: Sequence[float] | Floats, y: Sequence[float] | Floats, look: Look, name: str
) -> Line2D:
    drawn = Line2D(x, y, color=look.colour, linewidth=1.4, label=name, zorder=3)
    drawn.set(marker=look.marker, markersize=4.6, markerfacecolor=look.colour)
    drawn.set(markeredgecolor="white", markeredgewidth=0.5, solid_capstyle="butt")
    drawn.set_linestyle((0, look.dashes) if look.dashes else "-")
    return drawn


def names_beside(
    figure: Figure, named: Sequence[tuple[Axes, Sequence[Line]]], looks: Mapping[str, Look]
) -> None:
    """Write the names of lines beside the axes given with them: see `name_lines`."""
    for axes, lines in named:
        name_lines(figure, axes, lines, looks)


def name_lines(
    figure: Figure, axes: Axes, lines: Sequence[Line], looks: Mapping[str, Look]
) -> None:
    """Write the name of each line to the right of the axes, level with its last point.

    Names that would touch are moved apart as little as possible; a thin line leads to each.
    The figure must have been laid out.
    """
    ends = {line.name: _last(line) for line in lines}
    height = axes.bbox.height * 72 / figure.dpi
    to_axes = axes.transData + axes.transAxes.inverted()
    wanted = [float(to_axes.transform(end)[1]) for end in ends.values()]
    places = spread(wanted, SMALL * _LEADING / height)
    for (name, end), place in zip(ends.items(), places, strict=True):
        axes.add_artist(_name(end, place, looks[name]))


def _name(end: tuple[float, float], place: float, look: Look) -> AnnotationBbox:
    leader = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.5, "relpos": (0, 0.5)}
    return AnnotationBbox(
        HPacker(children=[sample(look), written(look.shown)], pad=0, sep=4, align="center"),
        end,
        xybox=(1.05, place),
        xycoords="data",
        boxcoords="axes fraction",
        box_alignment=(0, 0.5),
        frameon=False,
        pad=0,
        annotation_clip=False,
        arrowprops={**leader, "shrinkA": 3, "shrinkB": 4},
    )


def spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Return places at least `gap` apart, as near to those wanted (least squares) as can be.

    They stay between 0 and 1 where there is room, and keep the order of what was wanted; of
    equal ones the first is the highest.

    >>> [round(x, 2) for x in spread([0.5, 0.5, 0.9], 0.1)]
    [0.55, 0.45, 0.9]
    """
    order = np.lexsort((-np.arange(len(wanted)), np.asarray(wanted)))
    steps = gap * np.arange(len(wanted))
    fitted = isotonic_regression(np.asarray(wanted, dtype=np.float64)[order] - steps).x
    room = 1 - gap * (len(wanted) - 1)
    fitted = np.clip(fitted, 0, room) if room >= 0 else np.full(len(wanted), room / 2)
    places = np.empty(len(wanted))
    places[order] = fitted + steps
    return [float(place) for place in places]


def _last(line: Line) -> tuple[float, float]:
    at = np.flatnonzero(np.isfinite(line.y))[-1]
    return float(line.x[at]), float(line.y[at])


def sample(look: Look, *, line: bool = True) -> DrawingArea:
    """Return a short piece of the line, as in a legend, or its mark alone."""
    area = DrawingArea(_SAMPLE, SMALL, 0, 0)
    drawn = _drawn([0, _SAMPLE / 2, _SAMPLE], [SMALL / 2] * 3, look, "_sample")
    drawn.set_markevery([1])
    if not line:
        drawn.set_linestyle("none")
    area.add_artist(drawn)
    return area


def written(text: str, *, size: float = SMALL, colour: str = INK) -> TextArea:
    """Return a text as it is, to be packed with others."""
    style = {"fontsize": size, "color": colour, "fontweight": "normal", "parse_math": False}
    return TextArea(text, textprops=style)
