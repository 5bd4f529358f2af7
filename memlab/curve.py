"""Quality against measured tokens: the comparison that is fair to items of any kind.

A strategy run at several budgets gives one point per budget: the mean tokens its contexts took
and the mean of a metric. Between points the curve is straight over log(1 + tokens). Budgets
double, and so do the steps of a tokens axis that matter; over plain tokens the last step would
be half of any area. For the same reason codecs are compared over log rates (Bjøntegaard,
"Calculation of average PSNR differences between RD-curves", ITU-T VCEG-M33, 2001).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memlab.errors import ConfigError

Floats = NDArray[np.float64]
Scale = Literal["log", "linear"]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Points of a strategy, one per budget, by tokens ascending: arrays of equal shape (p,).

    `saturated`: no context of the largest budget was cut, so more tokens would change nothing
    and the curve goes on level. Values are as measured, never smoothed: a metric may fall.
    """

    budgets: Floats
    tokens: Floats
    values: Floats
    saturated: bool = False

    @property
    def low(self) -> float:
        """The fewest tokens at which the curve is known; NaN for an empty curve."""
        return float(self.tokens[0]) if len(self.tokens) else float("nan")

    @property
    def high(self) -> float:
        """The most tokens at which the curve is known; infinity if saturated."""
        if not len(self.tokens):
            return float("nan")
        return float("inf") if self.saturated else float(self.tokens[-1])

    def weights(self, tokens: float, *, scale: Scale = "log") -> Floats:
        """Return the share (p,) of each budget in the value at `tokens`; NaN out of range.

        The same shares mix the values of a single probe, for paired comparisons at equal
        tokens: the mean of the mixed values is the value of the curve.
        """
        if not self.low <= tokens <= self.high:
            return np.full(len(self.tokens), np.nan)
        nodes = np.unique(self.tokens)
        upper = min(int(np.searchsorted(nodes, tokens)), len(nodes) - 1)
        shares = np.zeros(len(nodes))
        if upper == 0 or tokens >= nodes[-1]:
            shares[upper] = 1.0
        else:
            at, left, right = _axis(np.array([tokens, *nodes[upper - 1 : upper + 1]]), scale)
            shares[upper] = (at - left) / (right - left)
            shares[upper - 1] = 1.0 - shares[upper]
        node = np.searchsorted(nodes, self.tokens)
        return shares[node] / np.bincount(node)[node]

    def at(self, tokens: float, *, scale: Scale = "log") -> float:
        """Return the value at `tokens`, between the nearest budgets; NaN out of range.

        Points of equal tokens count with their mean.
        """
        if not len(self.tokens):
            return float("nan")
        return float(self.weights(tokens, scale=scale) @ self.values)

    def area(self, low: float, high: float, *, scale: Scale = "log") -> float:
        """Return the mean height between `low` and `high` tokens, in units of the metric.

        The area under the straight pieces, divided by the range; NaN where the curve is not
        known on the whole range.

        Raises:
            ConfigError: an empty range or an unknown scale.
        """
        weights = self.area_weights(low, high, scale=scale)
        return float(weights @ self.values) if len(self.values) else float("nan")

    def area_weights(self, low: float, high: float, *, scale: Scale = "log") -> Floats:
        """Return the share (p,) of each budget in the area between `low` and `high`: see `area`.

        Raises:
            ConfigError: an empty range or an unknown scale.
        """
        if not 0 <= low < high < float("inf"):
            raise ConfigError(f"token range {low!r} to {high!r}", "0 <= low < high < infinity")
        inner = self.tokens[(self.tokens > low) & (self.tokens < high)]
        knots = np.array([low, *np.unique(inner), high])
        steps = np.diff(_axis(knots, scale))
        share = (np.pad(steps, (1, 0)) + np.pad(steps, (0, 1))) / (2 * steps.sum())
        weights: Floats = share @ np.array([self.weights(float(x), scale=scale) for x in knots])
        return weights


def curve(budgets: ArrayLike, tokens: ArrayLike, values: ArrayLike, cut: ArrayLike) -> Curve:
    """Make the curve of one strategy from its records: arrays (n,), one entry per record.

    `budgets` holds infinity for no limit. Records without a value (NaN) are left out of both
    means; a failure with a value counts, with the 0 tokens it used. `cut` tells where the
    budget ended a context.

    Raises:
        ConfigError: columns of different length.

    >>> made = curve([10, 10, 20, 20], [8, 10, 16, 18], [0, 1, 1, 1], [True] * 4)
    >>> made.tokens.tolist(), made.values.tolist()
    ([9.0, 17.0], [0.5, 1.0])
    """
    columns = [np.asarray(c, dtype=np.float64) for c in (budgets, tokens, values, cut)]
    if len({c.shape for c in columns}) > 1 or columns[0].ndim != 1:
        raise ConfigError(
            f"columns of shapes {[c.shape for c in columns]}", "one entry per record in each"
        )
    limit, spent, value, ended = (c[~np.isnan(columns[2])] for c in columns)
    levels, which = np.unique(limit, return_inverse=True)
    if not len(levels):
        return Curve(levels, levels, levels)
    counts = np.bincount(which)
    means = [np.bincount(which, column) / counts for column in (spent, value)]
    order = np.argsort(means[0], kind="stable")
    saturated = not ended[limit == levels[-1]].any()
    return Curve(levels[order], means[0][order], means[1][order], bool(saturated))


def shared_range(curves: Iterable[Curve]) -> tuple[float, float]:
    """Return the widest token range on which every curve is known, for areas to compare.

    Where all are saturated the range ends at the largest of their last points. An empty range
    (low > high), or NaN, tells that there is none.
    """
    known = list(curves)
    if not known or any(not len(c.tokens) for c in known):
        return float("nan"), float("nan")
    high = min(c.high for c in known)
    if high == float("inf"):
        high = max(float(c.tokens[-1]) for c in known)
    return max(c.low for c in known), high


def _axis(tokens: Floats, scale: Scale) -> Floats:
    if scale not in ("log", "linear"):
        raise ConfigError(f"scale={scale!r}", "'log' or 'linear'")
    return np.log1p(tokens) if scale == "log" else tokens
