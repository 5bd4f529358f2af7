"""What costs are called, and the axis they lie on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from memlab.figures.scales import LETTER, number, x_label
from memlab.figures.style import SMALL

COSTS = {
    "tokens": ("context (tokens per read, mean)", ""),
    "read_ms": ("read, with encoding of the query (ms, p50)", ""),
    "write_us": ("write until searchable (µs per turn)", ""),
    "bytes": ("saved state (bytes per conversation)", "B"),
}
"""The label of each cost, and its unit where ticks carry one."""
_STEPS = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
_NEAR = 0.4
"""How far, in decades, 0 lies from the smallest other value of a logarithmic axis."""


def cost_axis_below(axes: Axes, cost: str, values: Sequence[float], *, inches: float) -> None:
    """Set the x axis, `inches` wide, of a cost: logarithmic where it spans more than a decade.

    On a logarithmic axis 0 has a place of its own at the left end.
    """
    label, unit = COSTS.get(cost, (cost, ""))
    x_label(axes, label)
    known = np.array([v for v in values if np.isfinite(v)])
    positive = known[known > 0]
    low, high = (positive.min(), positive.max()) if len(positive) else (1.0, 1.0)
    if high > 10 * low:
        zero = bool((known <= 0).any())
        logarithmic(axes, float(low), float(high), zero=zero, inches=inches, unit=unit)
        return
    least = float(known.min()) if len(known) else 0.0
    margin = 0.08 * (high - least) or 0.1 * high
    axes.set_xlim(least - margin, high + margin)
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    _formatted(axes, unit)


def logarithmic(
    axes: Axes, low: float, high: float, *, inches: float, zero: bool = False, unit: str = ""
) -> None:
    """Make the x axis logarithmic from `low` to `high`, with as many ticks as its width shows.

    It spans a factor of four at least, so that there are ticks.
    """
    wider = max(4 * low / high, 1.0) ** 0.5
    low, high = low if zero else low / wider, high * wider
    decades = np.log10(high / low) + (_NEAR if zero else 0)
    stretch = 10 ** max(0.05 * decades, 0.02)
    if zero:
        axes.set_xscale("symlog", linthresh=low, linscale=_NEAR)
        axes.set_xlim(-0.35 * low, high * stretch)
    else:
        axes.set_xscale("log")
        axes.set_xlim(low / stretch, high * stretch)
    ticks = _ticks(low / (1 if zero else stretch), high * stretch, 72 * inches / decades, unit)
    axes.xaxis.set_major_locator(FixedLocator([0.0, *ticks] if zero else ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    _formatted(axes, unit)


def _ticks(low: float, high: float, decade: float, unit: str) -> list[float]:
    """Return round numbers whose labels do not touch where a decade is so many points wide."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    found: list[float] = []
    for steps in _STEPS:
        every = sorted(float(m) * 10.0**e for e in powers for m in steps)
        found = [float(f"{x:.6g}") for x in every if low <= x <= high]
        if len(found) > 1 and _apart(found, decade, unit):
            return found
    while len(found) > 2 and not _apart(found, decade, unit):
        found = found[::2]
    return found


def _apart(ticks: Sequence[float], decade: float, unit: str) -> bool:
    widths = [LETTER * SMALL * (len(number(x)) + len(unit)) for x in ticks]
    gaps = np.diff(np.log10(ticks)) * decade
    return all(
        gap >= (a + b) / 2 + SMALL / 2
        for gap, a, b in zip(gaps, widths[:-1], widths[1:], strict=True)
    )


def _formatted(axes: Axes, unit: str) -> None:
    axes.xaxis.set_major_formatter(EngFormatter(unit=unit) if unit else FuncFormatter(number))
