"""A figure that notebooks show without pyplot, with head, notes and room for both."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memlab.figures.fonts import INSTALL, set_fonts
from memlab.figures.names import letters
from memlab.figures.style import FAINT, INK, SMALL, TEXT, TINY, Look, dress

_DPI = 150
_LETTER = 0.56
"""The width of a letter, as a share of the font size."""


class Picture(Figure):
    """A matplotlib Figure; save it with `savefig`. A notebook shows it as it is."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=_DPI)
        return file.getvalue()


def panels(
    rows: int,
    columns: int,
    size: tuple[float, float],
    *,
    room: float,
    ratios: Sequence[float] | None = None,
) -> tuple[Picture, list[Axes]]:
    """Return a picture of empty panels and its axes by row.

    `size` is the width and mean height of a panel in inches, `ratios` the heights of the rows;
    beside the last panel there are `room` inches for names.
    """
    figure = Picture(
        figsize=(size[0] * columns + room, size[1] * rows + 0.9),
        facecolor="white",
        edgecolor="white",
        layout="constrained",
    )
    made = figure.subplots(rows, columns, squeeze=False, height_ratios=ratios)
    axes = [one for row in made for one in row]
    for one in axes:
        dress(one)
    return figure, axes


def width(texts: Sequence[str], size: float = SMALL) -> float:
    """Return about how many inches the longest text takes at a font size in points."""
    return max(map(letters, texts), default=0.0) * _LETTER * size / 72


def names_room(looks: Mapping[str, Look]) -> float:
    """Return how many inches the names of lines take, each with a piece of its line."""
    return 0.6 + width([look.shown for look in looks.values()])


def finish(
    figure: Figure,
    title: str,
    notes: Sequence[str],
    name: Callable[[], None] = lambda: None,
) -> None:
    """Write the title above and the notes below, let `name` write names, and choose fonts.

    `name` is called when the figure is laid out. Without a font for a text it warns, once for
    the figure.
    """
    head = figure.suptitle(_wrapped(title, figure, TEXT), x=0.01, ha="left")
    head.set(fontsize=TEXT, color=INK, fontweight="normal", parse_math=False)
    if notes:
        text = "\n".join(_wrapped(note, figure, TINY) for note in notes)
        foot = figure.supxlabel(text, x=0.01, ha="left")
        foot.set(fontsize=TINY, color=FAINT, fontweight="normal", parse_math=False)
    legible = set_fonts(figure)
    if not legible:
        warnings.warn(INSTALL, stacklevel=4)
    figure.draw_without_rendering()
    name()
    if not set_fonts(figure) and legible:
        warnings.warn(INSTALL, stacklevel=4)


def _wrapped(text: str, figure: Figure, size: float) -> str:
    """Break a text into lines that fit the figure."""
    stretch = letters(text) / max(len(text), 1)
    fitting = figure.get_figwidth() * 72 / (_LETTER * size * stretch) if text else 0
    return textwrap.fill(text, max(20, int(fitting)))
