"""Contexts along a dialogue: which turns stand in them, and in what form."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from memlab.figures.names import abridged
from memlab.figures.picture import Picture, finish, panels
from memlab.figures.style import COLOURS, SMALL, TEXT, dress

_NAMED = ("turn", "excerpt", "summary", "fact", "page", "state")
_COLUMNS, _SIZE = 3, (3.0, 2.6)


def steps(rows: pd.DataFrame, turns: int, *, title: str = "") -> Picture:
    """Draw the rows of a trace: a panel for each strategy, a colour for each kind of item.

    Along the bottom the turns written so far, upwards the turns of the dialogue; a mark where
    a turn is in the context, itself or by an item that names it. The newest is the diagonal.
    """
    found = list(dict.fromkeys(rows["kind"]))
    kinds = sorted(found, key=lambda kind: (_NAMED.index(kind) if kind in _NAMED else 99, kind))
    colours = {kind: COLOURS[i % len(COLOURS)] for i, kind in enumerate(kinds)}
    named = abridged(dict.fromkeys(rows["strategy"]))
    columns = min(_COLUMNS, len(named))
    lines = math.ceil(len(named) / columns)
    figure, axes = panels(lines, columns, _SIZE, room=0.2)
    for one, (strategy, shown) in zip(axes, named.items(), strict=False):
        _panel(one, rows[rows["strategy"] == strategy], turns, colours)
        own = rows[rows["strategy"] == strategy].groupby("step")["tokens"].sum()
        one.set_title(f"{shown}: {int(own.max()):,} tokens at most", fontsize=TEXT, loc="left")
    for one in axes[len(named) :]:
        one.set_visible(False)
    patches = [Patch(color=colours[kind], label=kind) for kind in kinds]
    axes[0].legend(handles=patches, fontsize=SMALL, loc="upper left", frameon=False)
    finish(figure, title, ())
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, turns: int, colours: dict[str, str]) -> None:
    dress(axes)
    known = rows.dropna(subset=["turn"]).iloc[::-1]
    held = np.full((turns, turns), np.nan)
    order = list(colours)
    # From the last rank to the first: where two items name a turn, the better one is seen.
    for turn, step, kind in zip(known["turn"], known["step"], known["kind"], strict=True):
        held[int(turn) - 1, int(step) - 1] = order.index(kind)
    axes.imshow(
        np.ma.masked_invalid(held),
        origin="lower",
        aspect="auto",
        interpolation="none",
        zorder=2,
        cmap=ListedColormap(list(colours.values())),
        vmin=-0.5,
        vmax=len(order) - 0.5,
        extent=(0.5, turns + 0.5, 0.5, turns + 0.5),
    )
    axes.set_xlabel("turns written", fontsize=SMALL)
    axes.set_ylabel("turn in the context", fontsize=SMALL)
