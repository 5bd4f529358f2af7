"""Names written beside points of the axes, clear of what is drawn there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from memlab.figures.fonts import set_fonts
from memlab.figures.labels import Box, Label, Placed, Point, leader, place
from memlab.figures.picture import Picture
from memlab.figures.style import FAINT, INK, SMALL, Look

_PAD, _MARK = 0.8, 5.0
"""Around a name, and from the middle of a mark to its edge, in points."""


def name_points(
    figure: Picture,
    axes: Axes,
    spots: Mapping[str, NDArray[np.float64]],
    looks: Mapping[str, Look],
    *,
    room: float,
) -> None:
    """Write each name beside one of its points (n, 2), by preference the first.

    To the right of the axes there are `room` inches for names. The layout, which must have
    been made, is kept from here on: the names lie where there was room for them.
    """
    figure.set_layout_engine("none")
    on_page = {name: _on_page(axes, values) for name, values in spots.items()}
    sizes = _sizes(figure, [looks[name].shown for name in spots])
    labels = [Label(size, points) for size, points in zip(sizes, on_page.values(), strict=True)]
    frame = axes.bbox.transformed(figure.dpi_scale_trans.inverted())
    bounds = Box(72 * frame.x0, 72 * frame.y0, 72 * (frame.x1 + room), 72 * frame.y1 + 3)
    avoid = [
        Box(x - _MARK, y - _MARK, x + _MARK, y + _MARK)
        for points in on_page.values()
        for x, y in points
    ]
    avoid += [box for line in axes.lines for box in _along(_corners(axes, line))]
    for bars in axes.collections:
        paths = bars.get_segments() if isinstance(bars, LineCollection) else []
        avoid += [box for ends in paths for box in _along(_on_page(axes, np.asarray(ends)))]
    for name, found in zip(spots, place(labels, avoid, bounds), strict=True):
        x, y = spots[name][found.which]
        _write(axes, (float(x), float(y)), looks[name].shown, found)
    set_fonts(figure)
    _trim(figure, axes)


def _trim(figure: Picture, axes: Axes) -> None:
    """Cut off what is left of the room at the right."""
    whole, old = figure.get_figwidth(), axes.get_position()
    needed = float(figure.get_tightbbox().x1) + 0.08
    if needed < whole:
        figure.set_figwidth(needed)
        scale = whole / needed
        axes.set_position((old.x0 * scale, old.y0, old.width * scale, old.height))


def _corners(axes: Axes, line: Line2D) -> list[Point]:
    if line.get_linestyle() == "None":
        return []
    points = _on_page(axes, np.asarray(line.get_xydata(), dtype=np.float64))
    if line.get_drawstyle() == "steps-post":
        return [one for a, b in pairwise(points) for one in (a, (b[0], a[1]), b)]
    return points


def _along(points: Sequence[Point]) -> list[Box]:
    """Return boxes that cover a line through the points."""
    return [
        Box(min(x0, x1) - 1, min(y0, y1) - 1, max(x0, x1) + 1, max(y0, y1) + 1)
        for a, b in pairwise(points)
        for (x0, y0), (x1, y1) in pairwise(_pieces(a, b))
    ]


def _pieces(a: Point, b: Point) -> list[Point]:
    """Cut a slanting line into pieces that fill the boxes around them."""
    straight = a[0] == b[0] or a[1] == b[1]
    count = 1 if straight else 1 + int(math.dist(a, b) / 4)
    return [
        (a[0] + (b[0] - a[0]) * k / count, a[1] + (b[1] - a[1]) * k / count)
        for k in range(count + 1)
    ]


def _write(axes: Axes, spot: Point, text: str, found: Placed) -> None:
    """Write a name at its place, with a line to its point where that is not near."""
    box, (x, y) = found.box, found.point
    line, arrow = leader(found), None
    if line is not None:
        (right, up), _ = line
        at = (right - box.x0) / (box.x1 - box.x0), (up - box.y0) / (box.y1 - box.y0)
        arrow = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.5, "relpos": at}
        arrow |= {"shrinkA": 0, "shrinkB": 4}
    made = axes.annotate(
        text,
        spot,
        xytext=(box.x0 + _PAD - x, box.y0 + _PAD - y),
        textcoords="offset points",
        ha="left",
        va="bottom",
        arrowprops=arrow,
        annotation_clip=False,
    )
    made.set(fontsize=SMALL, color=INK, fontweight="normal", parse_math=False, zorder=6)


def _on_page(axes: Axes, values: NDArray[np.float64]) -> list[Point]:
    """Return where points (n, 2) of the data lie, in 1/72 inch from the lower left corner."""
    if not len(values):
        return []
    inches = axes.transData + axes.get_figure(root=True).dpi_scale_trans.inverted()  # type: ignore[union-attr]
    return [(72 * float(x), 72 * float(y)) for x, y in inches.transform(values)]


def _sizes(figure: Picture, texts: Sequence[str]) -> list[tuple[float, float]]:
    """Return the width and height of names as they will be drawn, with a margin."""
    made = [
        figure.text(0, 0, text, fontsize=SMALL, fontweight="normal", parse_math=False)
        for text in texts
    ]
    set_fonts(figure)
    sizes = []
    for text in made:
        box = text.get_window_extent()
        scale = 72 / figure.dpi
        sizes.append((box.width * scale + 2 * _PAD, box.height * scale + 2 * _PAD))
        text.remove()
    return sizes
