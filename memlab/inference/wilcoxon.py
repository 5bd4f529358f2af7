"""Wilcoxon's signed rank test on cluster means, a named alternative to the sign flip test."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from memlab.inference.clusters import ROUNDING, Clustered, Floats, clustered
from memlab.inference.sign_flip import EXACT, share_reaching
from memlab.stats import FEW

_TABLED = 50


class Wilcoxon(NamedTuple):
    """A two-sided signed rank test on cluster means.

    `statistic` is the sum of the ranks of positive means, `zeros` the clusters left out because
    their mean is 0, `smallest` the p of the same means all to one side, the least these ranks
    allow. Other fields and notes as in `SignFlip`.
    """

    p: float
    smallest: float
    statistic: float
    n: int
    clusters: int
    zeros: int
    exact: bool
    ignored: int = 0
    note: str = ""
    descriptive: bool = True


def wilcoxon(differences: ArrayLike, clusters: Sequence[Hashable]) -> Wilcoxon:
    """Test whether the cluster means of differences (n,) centre on 0, by their ranks.

    Clusters weigh the same, whatever their size. Means of 0 are left out, as Wilcoxon did,
    equal ones share their mean rank. Exact, ties included, with at most 16 clusters that
    matter, and up to 50 without ties; else the normal approximation with correction for ties
    and continuity. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1
    (1945).

    Raises:
        ConfigError: differences and clusters of different length, or infinite differences.

    >>> wilcoxon([0.5, 0.1, 0.2, 0.3], ["a", "a", "b", "c"]).p
    0.25
    """
    sample = clustered(differences, clusters)
    means = _told_apart(sample)
    zeros, means = int(np.sum(means == 0)), means[means != 0]
    note, few = ("" if sample.values.any() else sample.note()), sample.groups < FEW
    counts = (sample.n, sample.groups, zeros)
    if not len(means):
        p = 1.0 if sample.n else float("nan")
        statistic = 0.0 if sample.n else float("nan")
        return Wilcoxon(p, p, statistic, *counts, True, sample.ignored, note, few)
    ties = len(np.unique(np.abs(means))) < len(means)
    exact = len(means) <= EXACT or (len(means) <= _TABLED and not ties)
    p, statistic = _test(means)
    smallest = _test(np.abs(means))[0]
    return Wilcoxon(p, smallest, statistic, *counts, exact, sample.ignored, note, few)


def _told_apart(sample: Clustered) -> Floats:
    """Return the cluster means in units of the largest value, rid of what is only rounding."""
    scale = sample.scale or 1.0
    rounded: Floats = np.round(sample.means / scale, round(-np.log10(ROUNDING)))
    return rounded


def _test(means: Floats) -> tuple[float, float]:
    """Return p and the sum of positive ranks."""
    from scipy import stats

    ranks = stats.rankdata(np.abs(means))
    positive = float(ranks[means > 0].sum())
    if len(means) <= EXACT:
        signed = np.sign(means) * ranks  # halves at most: sums and comparisons are exact
        return share_reaching(signed, abs(float(signed.sum()))), positive
    return float(stats.wilcoxon(means, correction=True).pvalue), positive
