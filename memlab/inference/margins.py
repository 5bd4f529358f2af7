"""Tests against a margin: two strategies are as good, or one is no worse than the other.

One-sided tests suffer most from skewed cluster effects: simulated with skewness 1 in ten clusters,
alpha .05 becomes .03 on one side and .08 on the other.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from memlab.inference.clusters import check_between
from memlab.stats import FEW, Estimate, paired, why


class Margin(NamedTuple):
    """A test of a mean difference against a margin, with the 1 - 2 alpha interval.

    `held` tells whether p <= alpha, that is whether the interval keeps within the margin; it is
    None where nothing can be concluded, which `note` explains: `no pairs`, `one cluster`, fewer
    than six clusters (in any stratum). `note` is `identical` or `no spread` where the interval
    has no width; p is then 0 or 1.
    """

    p: float
    held: bool | None
    mean: float
    low: float
    high: float
    margin: float
    alpha: float
    n: int
    clusters: int
    ignored: int = 0
    note: str = ""
    descriptive: bool = True


def equivalence(
    differences: ArrayLike,
    clusters: Sequence[Hashable],
    margin: float,
    strata: Sequence[Hashable] | None = None,
    *,
    alpha: float = 0.05,
) -> Margin:
    """Test whether the mean of differences (n,) lies within -margin to margin (TOST).

    Two one-sided t tests with the CR3 standard error and G - 1 degrees of freedom (with
    strata, see `paired`); p is the larger of theirs. Schuirmann, "A comparison of the two
    one-sided tests procedure and the power approach", Journal of Pharmacokinetics and
    Biopharmaceutics 15 (1987).

    Raises:
        ConfigError: a margin that is not finite and above 0, an alpha outside (0, 0.5), or as
            `paired`.

    >>> found = equivalence([0.0, 0.01, -0.01, 0.0, 0.01, 0.0], list("abcdef"), 0.05)
    >>> found.held, found.n, found.clusters
    (True, 6, 6)
    """
    found = _measured(differences, clusters, strata, margin, alpha)
    p = max(_below(found.mean - margin, found), _below(-found.mean - margin, found))
    return _result(differences, found, p, margin, alpha)


def non_inferiority(
    differences: ArrayLike,
    clusters: Sequence[Hashable],
    margin: float,
    strata: Sequence[Hashable] | None = None,
    *,
    alpha: float = 0.05,
    higher_is_better: bool = True,
) -> Margin:
    """Test whether the mean of differences (n,) is worse than 0 by less than the margin.

    A one-sided t test with the CR3 standard error and G - 1 degrees of freedom (with strata,
    see `paired`): the mean lies above -margin, or below the margin if lower is better.

    Raises:
        ConfigError: as `equivalence`.

    >>> non_inferiority([0.2, 0.1, 0.3, 0.2, 0.2, 0.3], list("abcdef"), 0.05).held
    True
    """
    found = _measured(differences, clusters, strata, margin, alpha)
    worse = -found.mean if higher_is_better else found.mean
    return _result(differences, found, _below(worse - margin, found), margin, alpha)


def _measured(
    differences: ArrayLike,
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable] | None,
    margin: float,
    alpha: float,
) -> Estimate:
    check_between("margin", margin, 0, math.inf, "0.02")
    check_between("alpha", alpha, 0, 0.5, "0.05")
    return paired(differences, clusters, strata, level=1 - 2 * alpha)


def _below(distance: float, found: Estimate) -> float:
    """Return the one-sided p for a mean that lies at a distance from the margin, below it."""
    from scipy.special import stdtr

    if found.se == 0:
        return 0.0 if distance < 0 else 1.0
    return float(stdtr(found.df, distance / found.se))


def _result(
    differences: ArrayLike, found: Estimate, p: float, margin: float, alpha: float
) -> Margin:
    note = why(found, differences)
    if found.n and found.descriptive:
        few = f"fewer than {FEW} clusters, descriptive only"
        note = f"{note}; {few}" if note else few
    unsure = bool(np.isnan(p)) or found.descriptive
    held = None if unsure else p <= alpha
    counts = (margin, alpha, found.n, found.clusters, found.ignored)
    return Margin(
        p, held, found.mean, found.low, found.high, *counts, note, bool(found.descriptive)
    )
