"""A figure that notebooks show without pyplot, with head, notes and room for both."""

from __future__ import annotations

import io
import textwrap
import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memlab.figures.fonts import INSTALL, set_fonts
from memlab.figures.lines import Line, name_lines
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
    rows: int, columns: int, size: tuple[float, float], names: Iterable[str]
) -> tuple[Picture, list[Axes]]:
    """Return a picture of empty panels and its axes by row.

    `size` is the width and height of a panel in inches; beside the last there is room for
    the names of lines.
    """
    room = 0.6 + max(map(_letters, names), default=0.0) * _LETTER * SMALL / 72
    figure = Picture(
        figsize=(size[0] * columns + room, size[1] * rows + 0.9),
        facecolor="white",
        edgecolor="white",
        layout="constrained",
    )
    made = figure.subplots(rows, columns, squeeze=False)
    axes = [one for row in made for one in row]
    for one in axes:
        dress(one)
    return figure, axes


def finish(
    figure: Figure,
    title: str,
    notes: Sequence[str],
    named: Sequence[tuple[Axes, Sequence[Line]]],
    looks: Mapping[str, Look],
) -> None:
    """Write the title above, the notes below and the names beside lines, and choose fonts.

    Without a font for a text it warns, once for the figure.
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
    for axes, lines in named:
        name_lines(figure, axes, lines, looks)
    if not set_fonts(figure) and legible:
        warnings.warn(INSTALL, stacklevel=4)


def _wrapped(text: str, figure: Figure, size: float) -> str:
    """Break a text into lines that fit the figure."""
    stretch = _letters(text) / max(len(text), 1)
    fitting = figure.get_figwidth() * 72 / (_LETTER * size * stretch) if text else 0
    return textwrap.fill(text, max(20, int(fitting)))


def _letters(text: str) -> float:
    """Return the width of a text in letters: a Chinese character is as wide as two."""
    return sum(1.8 if unicodedata.east_asian_width(one) in "WF" else 1.0 for one in text)
