"""Statistics of records, which come in clusters: probes of one conversation are alike."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memlab.errors import ConfigError

FEW = 6
"""Below so many clusters an interval describes the data more than it infers."""


class Estimate(NamedTuple):
    """A mean over records with a cluster-robust interval.

    `n` records with a value in `clusters` clusters; `ignored` had none (NaN). The interval is
    NaN with fewer than two clusters, and `descriptive` with fewer than six. It is symmetric and
    not clipped, so it may reach beyond the range of the metric.
    """

    mean: float
    low: float
    high: float
    n: int
    clusters: int
    ignored: int = 0
    se: float = float("nan")
    descriptive: bool = True


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
    numbers, codes = _clean(values, clusters, level)
    ignored = len(clusters) - len(numbers)
    sizes = np.bincount(codes)
    sizes, sums = sizes[sizes > 0], np.bincount(codes, numbers)[sizes > 0]
    n, groups = len(numbers), len(sizes)
    mean = float(numbers.mean()) if n else float("nan")
    if groups < 2:
        return Estimate(mean, float("nan"), float("nan"), n, groups, ignored)
    without = (sums.sum() - sums) / (n - sizes)
    se = float(np.sqrt((groups - 1) / groups * np.sum((without - mean) ** 2)))
    half = se * t_quantile((1 + level) / 2, groups - 1)
    return Estimate(mean, mean - half, mean + half, n, groups, ignored, se, groups < FEW)


def macro_mean(parts: Sequence[Estimate], *, level: float = 0.95) -> Estimate:
    """Return the mean of the means of independent samples, such as data sets, with interval.

    Every sample weighs the same. The variance is the sum of theirs over the squared number of
    samples, the degrees of freedom Satterthwaite's: Satterthwaite, "An approximate distribution
    of estimates of variance components", Biometrics Bulletin 2 (1946). Samples without a value
    are left out; one without an interval leaves the mean without one.

    >>> small = cluster_mean([0.2, 0.6], ["a", "b"])
    >>> large = cluster_mean([0.8] * 50, list(range(50)))
    >>> round(macro_mean([small, large]).mean, 3)
    0.6
    """
    known = [part for part in parts if part.n]
    n, clusters = sum(part.n for part in known), sum(part.clusters for part in known)
    ignored = sum(part.ignored for part in parts)
    descriptive = any(part.descriptive for part in known)
    mean = sum(part.mean for part in known) / len(known) if known else float("nan")
    variances = np.array([part.se for part in known]) ** 2 / max(len(known), 1) ** 2
    total = float(variances.sum())
    if not known or not np.isfinite(total):
        return Estimate(mean, float("nan"), float("nan"), n, clusters, ignored)
    freedom = np.array([part.clusters - 1 for part in known])
    shares = float((variances**2 / freedom).sum())
    df = total**2 / shares if shares > 0 else float(freedom.sum())
    half = t_quantile((1 + level) / 2, df) * total**0.5
    return Estimate(mean, mean - half, mean + half, n, clusters, ignored, total**0.5, descriptive)


def t_quantile(p: float, df: float) -> float:
    """Return the p-quantile of Student's t with `df` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


def _clean(
    values: ArrayLike, clusters: Sequence[Hashable], level: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the values that are not NaN, and their clusters as numbers."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (len(clusters),):
        raise ConfigError(
            f"values of shape {numbers.shape} for {len(clusters)} clusters", "one cluster each"
        )
    if np.isinf(numbers).any():
        raise ConfigError("infinite values", "finite numbers, or NaN for no value")
    if not 0 < level < 1:
        raise ConfigError(f"level={level!r}", "a number between 0 and 1, as 0.95")
    seen: dict[Hashable, int] = {}
    codes = np.array([seen.setdefault(c, len(seen)) for c in clusters], dtype=np.int64)
    known = ~np.isnan(numbers)
    return numbers[known], codes[known]
