"""How one score of a record goes with another, with intervals by cluster."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from memlab.errors import ConfigError
from memlab.inference.clusters import Floats, jackknife, numbered
from memlab.stats import FEW, t_quantile

_CELLS = 4_000_000


class Association(NamedTuple):
    """An association over `n` records in `clusters` clusters, with its interval.

    The interval is the jackknife over clusters, t with one less than their number as degrees of
    freedom, not clipped; NaN with fewer than six clusters. `note` says why something is missing.
    """

    value: float
    low: float
    high: float
    n: int
    clusters: int
    note: str = ""


def concordance(
    predictor: ArrayLike,
    outcome: ArrayLike,
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
) -> Association:
    """Return the chance that of two records the one of better outcome has the better predictor.

    Over pairs of different outcome, equal predictors count one half: for an outcome of 0 and 1
    the area under the ROC curve. 0.5 is no association. Records where either is NaN are
    left out. Harrell, Califf, Pryor, Lee and Rosati, "Evaluating the yield of medical tests",
    JAMA 247 (1982).

    Raises:
        ConfigError: columns of different length.

    >>> concordance([1.0, 0.5, 0.0, 0.5], [1, 1, 0, 0], list("abcd")).value  # of 4 pairs 3.5
    0.875
    """
    x, y, codes = _columns(predictor, outcome, clusters)
    pairs, agreed = _pairs(x, y)
    whole = (pairs.sum() / 2, agreed.sum() / 2)
    without = []
    for code in range(codes.max(initial=-1) + 1):
        own = codes == code
        inner = [part.sum() / 2 for part in _pairs(x[own], y[own])]
        without.append(
            [
                total - part[own].sum() + within
                for total, part, within in zip(whole, (pairs, agreed), inner, strict=True)
            ]
        )
    note = "" if whole[0] else "all outcomes are equal" if len(x) else "no records"
    return _association(*whole, np.array(without).reshape(-1, 2), len(x), level, note)


def difference(
    outcome: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
) -> Association:
    """Return the mean outcome of the records in `first` minus that of those in `second`.

    Both are flags (n,); records of neither, or with outcome NaN, are left out.

    Raises:
        ConfigError: columns of different length.

    >>> difference([1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1], list("abcd")).value
    0.0
    """
    flags = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    values = np.where(flags[0] | flags[1], np.asarray(outcome, dtype=np.float64), np.nan)
    x, y, codes = _columns(np.where(flags[0], 1.0, 0.0), values, clusters)
    groups = int(codes.max(initial=-1)) + 1
    sums = [
        np.bincount(codes[x == side], y[x == side] ** power, minlength=groups)
        for side in (1, 0)
        for power in (1, 0)
    ]
    totals = np.array([part.sum() for part in sums])
    left = totals[:, None] - np.array(sums)
    note = "" if totals[1] and totals[3] else "only one of the two kinds of records"
    found = _apart(totals[:, None])[0]
    return _made(found, _apart(left), len(y), level, note)


def _columns(
    x: ArrayLike, y: ArrayLike, clusters: Sequence[Hashable]
) -> tuple[Floats, Floats, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    a, b = (np.asarray(column, dtype=np.float64) for column in (x, y))
    if a.shape != (len(clusters),) or b.shape != a.shape:
        raise ConfigError(
            f"columns of shape {a.shape}, {b.shape} and {len(clusters)} clusters", "one each"
        )
    known = ~(np.isnan(a) | np.isnan(b))
    return a[known], b[known], numbered(clusters, known)


def _pairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return for each record its pairs of different outcome, and how many agree."""
    pairs, agreed = np.zeros(len(x)), np.zeros(len(x))
    step = max(1, _CELLS // max(len(x), 1))
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        apart = np.sign(y[rows, None] - y)
        same = apart * np.sign(x[rows, None] - x)
        differ = apart != 0
        pairs[rows] = differ.sum(axis=1)
        agreed[rows] = np.where(differ, (same + 1) / 2, 0.0).sum(axis=1)
    return pairs, agreed


def _association(
    pairs: float, agreed: float, without: Floats, n: int, level: float, note: str
) -> Association:
    with np.errstate(divide="ignore", invalid="ignore"):
        left = without[:, 1] / without[:, 0]
    return _made(agreed / pairs if pairs else np.nan, left, n, level, note)


def _apart(parts: Floats) -> Floats:
    """Return mean minus mean of sums and counts (4, …); NaN where a side is empty."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = parts[0] / parts[1] - parts[2] / parts[3]
    return found


def _made(value: float, left: Floats, n: int, level: float, note: str) -> Association:
    groups, low, high = len(left), np.nan, np.nan
    if not note and groups < FEW:
        note = f"fewer than {FEW} conversations: no interval"
    elif not note and np.isnan(left).any():
        note = "rests on one conversation: no interval"
    elif not note:
        half = float(jackknife(value, left)) * t_quantile((1 + level) / 2, groups - 1)
        low, high = value - half, value + half
    return Association(float(value), float(low), float(high), n, groups, note)
