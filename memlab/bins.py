"""Ranges of a dial that all strategies share, so that their curves can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memlab.errors import ConfigError

FEW = 8
"""Up to so many distinct values stand for themselves."""
MOST = 10
"""No dial is cut into more ranges."""
LEAST = 10
"""A range with fewer probes joins its neighbour; a quarter of them if there are below forty."""

_LADDERS = (
    (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
    (1.0, 1.5, 2.0, 3.0, 5.0, 7.0),
    (1.0, 2.0, 5.0),
    (1.0, 3.0),
    (1.0,),
)
_STEPS = (1.0, 2.0, 2.5, 5.0)
Floats = NDArray[np.float64]


class Bin(NamedTuple):
    """A range of a dial and its centre.

    Of whole numbers both ends are in it; else `high` is not, except in the last range.
    """

    low: float
    high: float
    centre: float


def make_bins(
    values: ArrayLike, *, log: bool, edges: Sequence[float] | None = None
) -> tuple[Bin, ...]:
    """Cut the values of a dial (n,), one per probe, into ranges that hold some of them.

    Few distinct values stand for themselves. Logarithmic ranges, of values from 0, have round
    ends (1, 2, 5, 10, …) and are clipped to the values, others have equal widths; both are as
    fine as `MOST` allows. Then ranges with fewer than `LEAST` probes are joined. `log` also
    decides the centre: the arithmetic one, or the geometric one of 1 + x, so that 0 has a
    place. `edges` are taken as they are.

    Raises:
        ConfigError: edges that do not rise, or do not take in every value.

    >>> [tuple(b) for b in make_bins([3, 5, 8, 12], log=False, edges=[0, 5, 15])]
    [(0.0, 4.0, 2.0), (5.0, 15.0, 10.0)]
    """
    numbers = np.sort(np.asarray(values, dtype=np.float64))
    distinct = np.unique(numbers)
    whole = _whole(distinct)
    if edges is not None:
        given = _checked(edges, distinct)
        whole = whole and _whole(given)
        return _ranges(given, numbers, 1, whole=whole, log=log, closed=True)
    if len(distinct) <= FEW:
        return tuple(Bin(*[float(value)] * 3) for value in distinct)
    chosen = distinct
    for chosen in _ladders(distinct, whole) if log else _widths(distinct, whole):
        if len(np.unique(_cells(chosen, distinct))) <= MOST:
            break
    least = min(LEAST, len(numbers) // 4)
    found = _ranges(chosen, numbers, least, whole=whole, log=log)
    return _clipped(found, distinct) if log else found


def place(bins: Sequence[Bin], values: ArrayLike) -> NDArray[np.intp]:
    """Return for each value (n,) the position of its range; NaN gives -1."""
    numbers = np.asarray(values, dtype=np.float64)
    at = np.searchsorted([one.low for one in bins], numbers, side="right") - 1
    return np.where(np.isnan(numbers), -1, np.maximum(at, 0))


def _whole(values: Floats) -> bool:
    return bool((values == np.floor(values)).all())


def _checked(edges: Sequence[float], distinct: Floats) -> Floats:
    given = np.asarray(edges, dtype=np.float64)
    rising = given.ndim == 1 and len(given) > 1 and bool((np.diff(given) > 0).all())
    if not rising or not np.isfinite(given).all():
        raise ConfigError(f"bins={list(edges)!r}", "at least two finite edges that rise")
    if distinct[0] < given[0] or distinct[-1] > given[-1]:
        raise ConfigError(
            f"bins from {given[0]:g} to {given[-1]:g}",
            f"edges that take in every value, {distinct[0]:g} to {distinct[-1]:g}",
        )
    return given


def _ladders(distinct: Floats, whole: bool) -> Iterable[Floats]:
    """Yield round edges for a logarithmic axis, the finest first."""
    positive = distinct[distinct > 0]
    first, last = (int(np.floor(np.log10(x))) for x in (positive[0], positive[-1]))
    for ladder in _LADDERS:
        edges = np.array([m * 10.0**e for e in range(first, last + 2) for m in ladder])
        edges = np.unique(np.ceil(edges)) if whole else edges
        start = max(int(np.searchsorted(edges, positive[0], side="right")) - 1, 0)
        end = int(np.searchsorted(edges, positive[-1], side="right")) + 1
        zero = [0.0] if distinct[0] < edges[start] else []
        yield np.array([*zero, *edges[start:end]])


def _widths(distinct: Floats, whole: bool) -> Iterable[Floats]:
    """Yield edges of equal widths, the finest first."""
    low, high = float(distinct[0]), float(distinct[-1])
    first = int(np.floor(np.log10((high - low) / MOST)))
    for width in (m * 10.0**e for e in (first, first + 1) for m in _STEPS):
        if whole and width != np.floor(width):
            continue
        start = int(np.floor(low / width + 1e-9))
        end = int(np.ceil(high / width - 1e-9))
        end += int(whole and end * width <= high)
        yield np.round(np.arange(start, end + 1) * width, 12)


def _ranges(
    edges: Floats, numbers: Floats, least: int, *, whole: bool, log: bool, closed: bool = False
) -> tuple[Bin, ...]:
    """Return the ranges between edges that hold at least so many of the sorted numbers."""
    end = len(edges) - 2
    cells = _cells(edges, numbers)
    counts = np.bincount(cells, minlength=len(edges) - 1)
    found = []
    for first, last in _joined(counts, least):
        low, high = float(edges[first]), float(edges[last + 1])
        if whole and not (closed and last == end):
            high -= 1  # both ends are in a range
        found.append(Bin(low, high, _centre(low, high, log)))
    return tuple(found)


def _cells(edges: Floats, numbers: Floats) -> NDArray[np.intp]:
    """Return between which edges each number lies; the last edge belongs to the last cell."""
    return np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)


def _joined(counts: NDArray[np.intp], least: int) -> list[tuple[int, int]]:
    """Return runs of cells with at least so many numbers; what is left over joins the last."""
    runs: list[tuple[int, int]] = []
    start, total = -1, 0
    for cell in np.flatnonzero(counts):
        start = int(cell) if start < 0 else start
        total += int(counts[cell])
        if total >= least:
            runs.append((start, int(cell)))
            start, total = -1, 0
    if start >= 0:
        first = runs.pop()[0] if runs else start
        runs.append((first, int(np.flatnonzero(counts)[-1])))
    return runs


def _clipped(bins: Sequence[Bin], distinct: Floats) -> tuple[Bin, ...]:
    """Let the first and the last range end where the values do."""
    ends = [(max(b.low, float(distinct[0])), min(b.high, float(distinct[-1]))) for b in bins]
    return tuple(Bin(low, high, _centre(low, high, log=True)) for low, high in ends)


def _centre(low: float, high: float, log: bool) -> float:
    if log:
        return float(np.sqrt((1 + low) * (1 + high)) - 1)
    return (low + high) / 2
