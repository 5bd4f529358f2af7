"""What a comparison could have found, and how many more dialogues it takes to find less."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from numpy.typing import ArrayLike

from memlab.checking import check_whole
from memlab.errors import ConfigError
from memlab.inference.clusters import check_between
from memlab.stats import FEW, Estimate, paired, t_quantile, why

MOST = 10_000_000
"""More clusters than these are not counted out."""


class Detectable(NamedTuple):
    """The smallest true mean difference that a two-sided t test finds with the stated power.

    NaN where there is no standard error or none above 0; `note` says why.
    """

    effect: float
    se: float
    power: float
    alpha: float
    n: int
    clusters: int
    ignored: int = 0
    note: str = ""
    descriptive: bool = True


class Needed(NamedTuple):
    """Clusters it takes to find an effect: `needed`, of which `have` are there, `more` are not.

    None where that cannot be told; `note` says why.
    """

    needed: int | None
    have: int
    more: int | None
    effect: float
    power: float
    alpha: float
    n: int
    ignored: int = 0
    note: str = ""
    descriptive: bool = True


def power_of(effect: float, se: float, clusters: int, alpha: float = 0.05) -> float:
    """Return the power of a two-sided t test with G - 1 degrees of freedom.

    P(|T| > t(1 - alpha / 2)), T noncentral t with noncentrality effect / se: Cohen,
    "Statistical power analysis for the behavioral sciences" (1988), chapter 2. NaN with fewer
    than two clusters.

    Raises:
        ConfigError: an effect that is not finite, an se that is not finite and above 0,
            clusters that are no whole number, or an alpha outside (0, 1).

    >>> round(power_of(0.5, 0.2, 10), 3)
    0.606
    """
    check_between("effect", effect, -math.inf, math.inf, "0.03")
    check_between("se", se, 0, math.inf, "0.01")
    check_whole("clusters", clusters)
    check_between("alpha", alpha, 0, 1, "0.05")
    return _power(abs(effect) / se, clusters - 1.0, alpha) if clusters > 1 else float("nan")


def detectable(
    differences: ArrayLike,
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable] | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
) -> Detectable:
    """Return the smallest mean difference that data like these (n,) would show.

    `power_of` solved for the effect, with the CR3 standard error and G - 1 degrees of freedom
    (with strata, see `paired`). The error is itself an estimate: from ten clusters the true one
    may be 0.7 to 1.8 times as large (95 %, normal cluster means).

    Raises:
        ConfigError: a power outside (alpha, 1), an alpha outside (0, 1), or as `paired`.

    >>> round(detectable([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], list("abcdefghij")).effect, 2)
    3.02
    """
    from scipy.optimize import brentq

    found = _measured(differences, clusters, strata, power, alpha)
    note, effect = why(found, differences), float("nan")
    if not note:
        # Power grows with noncentrality, from alpha at 0.
        high = 1.0
        while _power(high, found.df, alpha) < power:
            high *= 2
        effect = found.se * brentq(lambda x: _power(x, found.df, alpha) - power, 0, high)
    counts = (found.n, found.clusters, found.ignored)
    return Detectable(effect, found.se, power, alpha, *counts, note, bool(found.descriptive))


def clusters_needed(
    effect: float,
    differences: ArrayLike,
    clusters: Sequence[Hashable],
    *,
    power: float = 0.8,
    alpha: float = 0.05,
) -> Needed:
    """Return how many clusters of this kind it takes to find an effect: at least six.

    More clusters shrink the CR3 standard error of the differences (n,) by sqrt(have / needed)
    and add to the degrees of freedom; more probes of the same dialogues would not.

    Raises:
        ConfigError: an effect that is 0 or not finite, or as `detectable`.

    >>> values, talks = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], list("abcdefghij")
    >>> clusters_needed(1.5, values, talks)[:3]  # se sqrt(9.1667 / G), as sd 3.0277
    (34, 10, 24)
    """
    if not math.isfinite(effect) or effect == 0:
        raise ConfigError(f"effect={effect!r}", "a finite number that is not 0")
    found = _measured(differences, clusters, None, power, alpha)
    needed, note = None, why(found, differences)
    if not note:
        ratio = abs(effect) / found.se / math.sqrt(found.clusters)
        needed = _least(ratio, power, alpha)
        note = "" if needed else f"more than {MOST:,}"
    more = None if needed is None else max(0, needed - found.clusters)
    few = bool(found.descriptive)
    settings, counts = (effect, power, alpha), (found.n, found.ignored)
    return Needed(needed, found.clusters, more, *settings, *counts, note, few)


def _least(ratio: float, power: float, alpha: float) -> int | None:
    """Return the fewest clusters that reach the power; `ratio` is the effect over one's sd."""

    def reached(groups: int) -> bool:
        return _power(ratio * math.sqrt(groups), groups - 1.0, alpha) >= power

    high = FEW
    while not reached(high):
        high *= 2
        if high > MOST:
            return None
    low = max(FEW - 1, high // 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _power(noncentrality: float, df: float, alpha: float) -> float:
    from scipy.stats import nct

    if noncentrality == 0:
        return alpha
    critical = t_quantile(1 - alpha / 2, df)
    upper = float(nct.sf(critical, df, noncentrality))
    lower = float(nct.cdf(-critical, df, noncentrality))
    return upper + (0.0 if math.isnan(lower) else lower)  # scipy has NaN for less than 1e-14


def _measured(
    differences: ArrayLike,
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable] | None,
    power: float,
    alpha: float,
) -> Estimate:
    check_between("alpha", alpha, 0, 1, "0.05")
    check_between("power", power, alpha, 1, "0.8")
    return paired(differences, clusters, strata)
