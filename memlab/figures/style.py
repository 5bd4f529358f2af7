"""How lines look: told apart by colour-blind readers, and in grey."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from matplotlib.axes import Axes

from memlab.figures.names import abridged

INK, FAINT, GRID = "#222222", "#6a6a6a", "#e4e4e4"
TEXT, SMALL, TINY = 9.0, 8.0, 6.8
"""Font sizes in points: of labels, of ticks and line names, of counts and notes."""

# Okabe and Ito, "Color Universal Design" (2008), without yellow, which white paper swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 1.6), (1.2, 1.4), (6, 1.6, 1.2, 1.6), (3, 1.2))


class Look(NamedTuple):
    """Colour, marker and dashes of one line, and its name as it is written."""

    colour: str
    marker: str
    dashes: tuple[float, ...]
    shown: str


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name, in order: 280 before one comes again."""
    return {
        name: Look(COLOURS[i % 7], MARKERS[i % 8], DASHES[i % 5], shown)
        for i, (name, shown) in enumerate(abridged(names).items())
    }


def dress(axes: Axes) -> None:
    """Give axes two spines, a light grid and legible ticks, whatever the user's settings."""
    axes.set_facecolor("white")
    axes.set_axisbelow(True)
    axes.grid(visible=False, which="both")
    axes.grid(visible=True, axis="y", color=GRID, linewidth=0.6, linestyle="-")
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(FAINT)
        spine.set_linewidth(0.8)
    axes.minorticks_off()
    axes.tick_params(
        which="both", labelsize=SMALL, color=FAINT, labelcolor=INK, width=0.8, direction="out"
    )
    axes.tick_params(which="both", top=False, right=False, pad=3.5)
    axes.tick_params(which="major", length=3.5)
    axes.tick_params(which="minor", length=2)
