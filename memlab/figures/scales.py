"""Axes of dials and of costs: scales, ticks and labels with their units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import (
    EngFormatter,
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)
from numpy.typing import ArrayLike, NDArray

from memlab.figures.style import INK, SMALL, TEXT

UNITS = {
    "distance": "distance (turns since the evidence)",
    "history": "history (turns before the question)",
    "candidates": "candidates (turns)",
    "overlap": "lexical overlap (share of terms)",
    "updates": "updates (changes of the fact)",
    "turns": "turns written",
}
_LADDERS = (
    (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9),
    (1, 1.5, 2, 3, 4, 6, 8),
    (1, 1.5, 2, 3, 5),
    (1, 2, 5),
    (1, 3),
    (1,),
)
LETTER = 0.62
"""The width of a digit, as a share of the font size."""
_LABEL: dict[str, Any] = {
    "fontsize": TEXT,
    "color": INK,
    "fontweight": "normal",
    "parse_math": False,
}


def log1p(x: ArrayLike) -> NDArray[np.float64]:
    """Return log(1 + x), which gives 0 a place; what lies below 0 stays at the edge."""
    return np.asarray(np.log1p(np.maximum(np.asarray(x, dtype=np.float64), -0.9)))


def expm1(x: ArrayLike) -> NDArray[np.float64]:
    """Return exp(x) - 1, the inverse of `log1p`."""
    return np.asarray(np.expm1(np.asarray(x, dtype=np.float64)))


def dial_axis(axes: Axes, by: str, low: float, high: float, *, log: bool, inches: float) -> None:
    """Set the x axis, `inches` wide, of a dial whose values run from `low` to `high`."""
    x_label(axes, UNITS.get(by, by))
    if log:
        axes.set_xscale("function", functions=(log1p, expm1))
        left, right = (float(log1p(x)) for x in (low, high))
        margin = 0.04 * (right - left)
        axes.set_xlim(float(expm1(left - margin)), float(expm1(right + margin)))
        axes.xaxis.set_major_locator(FixedLocator(round_numbers(low, high, 72 * inches)))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        whole = float(low).is_integer() and float(high).is_integer() and high - low >= 2
        axes.set_xlim(low - 0.04 * (high - low), high + 0.04 * (high - low))
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10], integer=whole))
    plain(axes.xaxis)


def round_numbers(low: float, high: float, width: float) -> list[float]:
    """Return round whole numbers for a logarithmic axis, as many as its width (pt) can show.

    >>> round_numbers(8, 37, 160), round_numbers(0, 900, 160)
    ([8.0, 10.0, 15.0, 20.0, 30.0], [0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0])
    """
    top = int(np.floor(np.log10(max(high, 1.0))))
    found: list[float] = []
    for ladder in _LADDERS:
        steps = [0.0, *(float(m * 10**e) for e in range(top + 1) for m in ladder)]
        found = [x for x in steps if low <= x <= high and x.is_integer()]
        if len(found) > 1 and len(_legible(found, low, high, width)) == len(found):
            return found
    found = _legible(found, low, high, width)
    return found if len(found) > 1 else [float(low), float(high)]


def _legible(ticks: Sequence[float], low: float, high: float, width: float) -> list[float]:
    """Leave out ticks whose label would touch that of the tick before."""
    kept: list[float] = []
    scale = width / float(log1p(high) - log1p(low))
    edge = -np.inf
    for tick in ticks:
        half = LETTER * SMALL * len(number(tick)) / 2
        middle = float(log1p(tick)) * scale
        if middle - half >= edge:
            kept.append(tick)
            edge = middle + half + SMALL / 2
    return kept


def quality_axis(axes: Axes, means: Sequence[float], label: str) -> None:
    """Set the y axis of a metric: all of 0 to 1 where its means lie there, else as drawn."""
    known = np.array([v for v in means if np.isfinite(v)])
    shares = len(known) > 0 and known.min() >= 0 and known.max() <= 1
    if shares:
        axes.set_ylim(-0.03, 1.03)
        axes.set_yticks(np.linspace(0, 1, 6))
    plain(axes.yaxis)
    y_label(axes, f"{label}\nmean, 0 to 1" if shares else f"{label}\nmean")


def cost_axis(axes: Axes, values: Sequence[float], label: str, *, unit: str = "") -> None:
    """Set the y axis of a cost: logarithmic where it spans more than a factor of twenty."""
    known = np.array([v for v in values if np.isfinite(v)])
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    y_label(axes, label)
    if low > 0 and high > 20 * low:
        axes.set_yscale("log")
        axes.set_ylim(low / 1.4, high * 1.4)
        subs = (1.0,) if high > 200 * low else (1.0, 2.0, 5.0)
        axes.yaxis.set_major_locator(LogLocator(subs=subs))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(-0.03 * (high or 1.0), 1.08 * (high or 1.0))
    if unit:
        axes.yaxis.set_major_formatter(EngFormatter(unit=unit))
    else:
        plain(axes.yaxis)


def x_label(axes: Axes, label: str) -> None:
    """Write the label of the x axis as it is."""
    axes.set_xlabel(label, labelpad=4, **_LABEL)


def y_label(axes: Axes, label: str) -> None:
    """Write the label of the y axis as it is."""
    axes.set_ylabel(label, labelpad=4, **_LABEL)


def plain(axis: Axis) -> None:
    """Write ticks as plain numbers: 0.5, 20, 1,000."""
    axis.set_major_formatter(FuncFormatter(number))


def number(x: float, _at: int | None = None) -> str:
    """Return a number as the label of a tick.

    >>> number(20000), number(1500), number(0.25), number(3.0)
    ('20k', '1,500', '0.25', '3')
    """
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if abs(x) >= max(unit, 1e4):
            return f"{x / unit:.4g}{letter}"
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.4g}"


def short(n: int) -> str:
    """Return a count in four characters at most.

    >>> short(980), short(1536), short(15360)
    ('980', '1.5k', '15k')
    """
    if n < 1000:
        return str(n)
    return f"{n / 1000:.1f}k" if n < 9950 else f"{n / 1000:.0f}k"
