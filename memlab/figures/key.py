"""A key beside the axes, where the marks of a strategy have no end to be named at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.offsetbox import AnchoredOffsetbox, HPacker, OffsetBox, VPacker
from matplotlib.transforms import ScaledTranslation

from memlab.figures.lines import sample, written
from memlab.figures.picture import width
from memlab.figures.style import FAINT, SMALL, TINY, Look

_LEADING = 1.5


class Entry(NamedTuple):
    """A line of the key, with what is told of it below in small print."""

    look: Look
    detail: str = ""


def add_key(
    axes: Axes, entries: Sequence[Entry], *, beside: float = 8.0, lines: bool = True
) -> None:
    """Write the key to the right of the axes, so many points beside them, from the top.

    It shows pieces of lines with their marks, or marks alone.
    """
    if not entries:
        return
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    shift = ScaledTranslation(beside / 72, 0, figure.dpi_scale_trans)
    box = AnchoredOffsetbox(
        loc="upper left",
        child=VPacker(
            children=[_entry(one, lines=lines) for one in entries], pad=0, sep=SMALL * 0.5
        ),
        pad=0,
        borderpad=0,
        frameon=False,
        bbox_to_anchor=(1.0, 1.0),
        bbox_transform=axes.transAxes + shift,
    )
    axes.add_artist(box)


def key_room(entries: Sequence[Entry], beside: float = 8.0) -> float:
    """Return about how many inches beside the axes a key takes."""
    names = width([one.look.shown for one in entries])
    return 0.45 + beside / 72 + max(names, width([one.detail for one in entries], TINY))


def key_height(entries: Sequence[Entry]) -> float:
    """Return about how many inches a key takes."""
    points = sum(_LEADING * SMALL + (TINY + 2 if one.detail else 0) for one in entries)
    return points / 72


def _entry(one: Entry, *, lines: bool) -> OffsetBox:
    texts: list[Artist] = [written(one.look.shown)]
    if one.detail:
        texts.append(written(one.detail, size=TINY, colour=FAINT))
    told = VPacker(children=texts, pad=0, sep=1.5)
    return HPacker(children=[sample(one.look, line=lines), told], pad=0, sep=4, align="top")
