"""Statistics of records, which come in clusters: probes of one conversation are alike."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from memlab.inference.clusters import check_between, clustered, mean_and_error
from memlab.inference.strata import split

FEW = 6
"""Below so many clusters an interval describes the data more than it infers."""


class Estimate(NamedTuple):
    """A mean over records with a cluster-robust interval.

    `n` records with a value in `clusters` clusters; `ignored` had none (NaN). The interval is
    NaN with fewer than two clusters, and `descriptive` with fewer than six. It is symmetric and
    not clipped, so it may reach beyond the range of the metric. `se` is its standard error,
    `df` the degrees of freedom of its t.
    """

    mean: float
    low: float
    high: float
    n: int
    clusters: int
    ignored: int = 0
    se: float = float("nan")
    descriptive: bool = True
    df: float = float("nan")


def cluster_mean(
    values: ArrayLike, clusters: Sequence[Hashable], *, level: float = 0.95
) -> Estimate:
    """Return the mean of values (n,) and its CR3 interval, given the cluster of each value.

    Every record weighs the same. The variance is the jackknife over clusters,
    (G - 1) / G * sum((mean without cluster g - mean) ** 2), the interval t with G - 1 degrees
    of freedom: MacKinnon, Nielsen and Webb, "Fast and reliable jackknife and bootstrap methods
    for cluster-robust inference", Journal of Applied Econometrics 38 (2023).

    Raises:
        ConfigError: values and clusters of different length, infinite values, or a level
            outside (0, 1).

    >>> cluster_mean([1.0, 0.0, float("nan"), 0.5], ["a", "a", "a", "b"]).mean
    0.5
    """
    check_between("level", level, 0, 1, "0.95")
    sample = clustered(values, clusters)
    n, groups, ignored = sample.n, sample.groups, sample.ignored
    mean = float(sample.values.mean()) if n else float("nan")
    if groups < 2:
        return Estimate(mean, float("nan"), float("nan"), n, groups, ignored)
    se = 0.0 if sample.flat else float(mean_and_error(sample.sums, sample.sizes)[1])
    half, few = se * t_quantile((1 + level) / 2, groups - 1), groups < FEW
    return Estimate(mean, mean - half, mean + half, n, groups, ignored, se, few, groups - 1.0)


def macro_mean(parts: Sequence[Estimate], *, level: float = 0.95) -> Estimate:
    """Return the mean of the means of independent samples, such as data sets, with interval.

    Every sample weighs the same. The variance is the sum of theirs over the squared number of
    samples, the degrees of freedom Satterthwaite's: Satterthwaite, "An approximate distribution
    of estimates of variance components", Biometrics Bulletin 2 (1946). Samples without a value
    are left out; one without an interval leaves the mean without one.

    Raises:
        ConfigError: a level outside (0, 1).

    >>> small = cluster_mean([0.2, 0.6], ["a", "b"])
    >>> large = cluster_mean([0.8] * 50, list(range(50)))
    >>> round(macro_mean([small, large]).mean, 3)
    0.6
    """
    check_between("level", level, 0, 1, "0.95")
    known = [part for part in parts if part.n]
    n, clusters = sum(part.n for part in known), sum(part.clusters for part in known)
    ignored = sum(part.ignored for part in parts)
    descriptive = any(part.descriptive for part in known)
    mean = sum(part.mean for part in known) / len(known) if known else float("nan")
    variances = np.array([part.se for part in known]) ** 2 / max(len(known), 1) ** 2
    total = float(variances.sum())
    if not known or not np.isfinite(total):
        return Estimate(mean, float("nan"), float("nan"), n, clusters, ignored)
    freedom = np.array([part.df for part in known])
    shares = float((variances**2 / freedom).sum())
    df = total**2 / shares if shares > 0 else float(freedom.sum())
    se, half = total**0.5, t_quantile((1 + level) / 2, df) * total**0.5
    return Estimate(mean, mean - half, mean + half, n, clusters, ignored, se, descriptive, df)


def paired(
    differences: ArrayLike,
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
) -> Estimate:
    """Return the mean difference of pairs (n,) and its CR3 interval: see `cluster_mean`.

    With strata (n,), the data sets of a joined run, it is the mean of their mean differences:
    see `macro_mean`.

    Raises:
        ConfigError: as `cluster_mean`, strata of another length, or a cluster in two strata.

    >>> clusters, strata = ["a", "a", "b", "c", "d"], ["x", "x", "x", "y", "y"]
    >>> paired([1.0, 0.0, 0.5, 0.0, 0.0], clusters).mean
    0.3
    >>> paired([1.0, 0.0, 0.5, 0.0, 0.0], clusters, strata).mean
    0.25
    """
    if strata is None:
        return cluster_mean(differences, clusters, level=level)
    values = np.asarray(differences, dtype=np.float64)
    parts = [
        cluster_mean(values[at], [clusters[i] for i in at], level=level)
        for at in split(values, clusters, strata)
    ]
    return parts[0] if len(parts) == 1 else macro_mean(parts, level=level)


def why(found: Estimate, differences: ArrayLike) -> str:
    """Say why an estimate of differences has no standard error, or one of 0; else nothing."""
    if not found.n:
        return "no pairs"
    if not np.nan_to_num(np.asarray(differences, dtype=np.float64)).any():
        return "identical"
    if np.isnan(found.se):
        return "one cluster" if found.clusters == 1 else "a stratum of one cluster"
    return "" if found.se else "no spread"


def t_quantile(p: float, df: float) -> float:
    """Return the p-quantile of Student's t with `df` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, p))
