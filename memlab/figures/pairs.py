"""Who beats whom: a matrix of differences, with wins and losses in its cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator
from numpy.typing import NDArray

from memlab.figures.curves import panel_title, parts
from memlab.figures.names import abridged
from memlab.figures.picture import Picture, finish, panels, width
from memlab.figures.scales import x_label
from memlab.figures.style import FAINT, INK, SMALL, TINY

_CELL, _LEAST, _COLUMNS = 0.66, 4.6, 2
_BETTER, _WORSE = "#0072B2", "#E69F00"
"""Blue is the darker of the two for every reader, so that a grey print tells them apart."""
_MUTED = 0.22
_APART = ("better", "worse")
_MIRROR = {"better": "worse", "worse": "better"}
_ALIKE = {"identical": "same", "no pairs": "–"}


def pairs(
    table: pd.DataFrame,
    names: Sequence[str],
    *,
    metric: str,
    higher_is_better: bool = True,
    title: str = "",
    notes: Sequence[str] = (),
) -> Picture:
    """Draw the table of `Results.pairs`: row minus column, in the order of names.

    Several budgets have a panel each. Blue is for the row, orange for the column. What is not
    separated is pale and its number grey; below it stand the probes that the row wins and
    loses.
    """
    cut = list(parts(table, ("budget",)))
    shown = abridged(names, 26)
    side = _CELL * len(names)
    margin = width(list(shown.values()))
    columns = min(len(cut), _COLUMNS)
    rows = -(-len(cut) // columns)
    size = max(side + margin + 0.2, _LEAST / columns), side + 0.7 * margin + 0.3
    figure, axes = panels(rows, columns, size, room=0.1)
    strongest = float(table["difference"].abs().max())
    for spare in axes[len(cut) :]:
        spare.remove()
    for one, (told, part) in zip(axes, cut, strict=False):
        _matrix(one, _both_ways(part), names, strongest, 1 if higher_is_better else -1)
        _ticks(one, [shown[name] for name in names])
        x_label(one, f"{metric}: row minus column")
        panel_title(one, told, above=6)
    finish(figure, title, notes)
    return figure


def _both_ways(part: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the cells of every ordered pair; the reverse of a pair mirrors it."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in part.to_dict("records"):
        cell = {str(key): value for key, value in row.items()}
        found[cell["strategy"], cell["baseline"]] = cell
        back = (cell["baseline"], cell["strategy"])
        mirrored = {
            "difference": -cell["difference"],
            "wins": cell["losses"],
            "losses": cell["wins"],
            "verdict": _MIRROR.get(cell["verdict"], cell["verdict"]),
        }
        found.setdefault(back, mirrored)
    return found


def _matrix(
    axes: Axes,
    cells: Mapping[tuple[str, str], Mapping[str, Any]],
    names: Sequence[str],
    strongest: float,
    upward: int,
) -> None:
    count = len(names)
    colours = np.ones((count, count, 3))
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            cell = cells.get((row, column))
            if cell is None:
                colours[i, j] = to_rgb("#f0f0f0" if i == j else "white")
                continue
            strength = upward * cell["difference"] / strongest if strongest > 0 else 0.0
            colours[i, j] = _colour(strength, apart=cell["verdict"] in _APART)
            _cell(axes, (j + 0.5, i + 0.5), cell, colours[i, j])
    edges = np.arange(count + 1)
    mesh = axes.pcolormesh(edges, edges, colours, shading="flat")
    mesh.set(edgecolor="white", linewidth=1.5, zorder=1)
    axes.set_xlim(0, count)
    axes.set_ylim(count, 0)
    axes.set_aspect("equal")


def _colour(strength: float, *, apart: bool) -> NDArray[np.float64]:
    """Return the colour of a difference from -1 to 1: white at 0, pale where not separated."""
    if not math.isfinite(strength):
        return np.ones(3)
    share = abs(strength) ** 0.7 * (1.0 if apart else _MUTED)
    end = np.array(to_rgb(_BETTER if strength > 0 else _WORSE))
    return np.asarray(1 + (end - 1) * min(share, 1.0))


def _cell(
    axes: Axes, middle: tuple[float, float], cell: Mapping[str, Any], colour: NDArray[np.float64]
) -> None:
    apart = cell["verdict"] in _APART
    difference = float(cell["difference"])
    text = _ALIKE.get(cell["verdict"], signed(difference))
    ink = "white" if _dark(colour) else INK if apart else FAINT
    (x, y), beside = middle, cell["verdict"] != "no pairs"
    style: dict[str, Any] = {
        "ha": "center",
        "va": "center",
        "color": ink,
        "zorder": 3,
        "clip_on": True,
    }
    axes.text(
        x, y - (0.14 if beside else 0), text, fontsize=SMALL,
        fontweight="bold" if apart else "normal", parse_math=False, **style,
    )  # fmt: skip
    if beside:
        scored = f"{int(cell['wins']):,}–{int(cell['losses']):,}"
        axes.text(
            x, y + 0.22, scored, fontsize=TINY - 0.6 if len(scored) > 7 else TINY,
            fontweight="normal", parse_math=False, **style,
        )  # fmt: skip


def _dark(colour: NDArray[np.float64]) -> bool:
    """Tell whether white is easier to read on a colour than black (contrast of WCAG 2)."""
    luminance = float(np.array([0.2126, 0.7152, 0.0722]) @ colour**2.2)
    return (luminance + 0.05) ** 2 < 1.05 * 0.05


def signed(difference: float) -> str:
    """Return a difference with its sign, and a third digit where it is small.

    >>> signed(0.123), signed(-0.004), signed(1e-6), signed(0.0)
    ('+0.12', '−0.004', '≈ 0', '0')
    """
    if not math.isfinite(difference):
        return ""
    if abs(difference) < 0.0005:
        return "≈ 0" if difference else "0"
    return f"{difference:+.{3 if abs(difference) < 0.01 else 2}f}".replace("-", "−")


def _ticks(axes: Axes, names: Sequence[str]) -> None:
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(FixedLocator([at + 0.5 for at in range(len(names))]))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FixedFormatter(list(names)))
        for label in axis.get_ticklabels():
            label.set_parse_math(False)
    axes.tick_params(axis="both", length=0)
    for label in axes.get_xticklabels():
        label.set(rotation=35, ha="right", rotation_mode="anchor")
