"""Statistics of records, which come in clusters: probes of one conversation are alike."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memlab.errors import ConfigError

FEW = 6
"""Below so many clusters an interval describes the data more than it infers."""

EXACT = 16
"""Up to so many clusters a sign flip test takes every pattern of signs."""
DRAWS = 100_000
"""Patterns that are drawn with more clusters."""


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


def paired(
    differences: ArrayLike, clusters: Sequence[Hashable], *, level: float = 0.95
) -> Estimate:
    """Return the mean difference of pairs (n,) and its CR3 interval: see `cluster_mean`.

    Raises:
        ConfigError: as `cluster_mean`.
    """
    return cluster_mean(differences, clusters, level=level)


class SignFlip(NamedTuple):
    """A two-sided sign flip test by cluster.

    `smallest` is the least p that so many clusters allow: 2 / 2^G, G the clusters whose
    differences do not add up to 0; with drawn patterns at least 1 / (patterns + 1). `n`
    differences in `clusters` clusters, `ignored` were NaN. `note` is `identical` where all
    differences are 0, `no pairs` where there are none.
    """

    p: float
    smallest: float
    statistic: float
    n: int
    clusters: int
    patterns: int
    exact: bool
    ignored: int = 0
    note: str = ""


def sign_flip(differences: ArrayLike, clusters: Sequence[Hashable], *, seed: int = 0) -> SignFlip:
    """Test whether differences (n,) centre on 0, flipping the signs of whole clusters.

    The statistic is |sum of the differences| / n; under the null the differences of a cluster
    are as likely with the other sign. With at most 16 clusters that matter p is exact, the
    share of all sign patterns that reach the statistic; else 100,000 patterns are drawn and
    p = (1 + those that reach it) / (1 + drawn). Canay, Romano and Shaikh, "Randomization
    tests under an approximate symmetry assumption", Econometrica 85 (2017).

    Raises:
        ConfigError: differences and clusters of different length, or infinite differences.

    >>> sign_flip([0.5, 0.1, 0.2, 0.3], ["a", "a", "b", "c"]).p
    0.25
    """
    numbers, codes = _clean(differences, clusters, 0.95)
    ignored, n, groups = len(clusters) - len(numbers), len(numbers), len(np.unique(codes))
    sums: NDArray[np.float64] = np.bincount(codes, numbers).astype(np.float64)
    least = 1e-12 * float(np.abs(numbers).sum())
    sums = sums[np.abs(sums) > least]
    observed = abs(float(sums.sum()))
    statistic = observed / n if n else float("nan")
    if not len(sums):
        note = "" if numbers.any() else "identical" if n else "no pairs"
        p = 1.0 if n else float("nan")
        return SignFlip(p, p, statistic, n, groups, 1, True, ignored, note)
    smallest = 2.0 ** (1 - len(sums))
    if len(sums) <= EXACT:
        reached = float(np.mean(_all_flips(sums) >= observed - least))
        return SignFlip(reached, smallest, statistic, n, groups, 2 ** len(sums), True, ignored)
    reached = (1 + _drawn(sums, observed - least, seed)) / (1 + DRAWS)
    smallest = max(smallest, 1 / (1 + DRAWS))
    return SignFlip(reached, smallest, statistic, n, groups, DRAWS, False, ignored)


def _all_flips(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return |total| under half of the sign patterns; the others mirror them."""
    totals = sums[:1]
    for value in sums[1:]:
        totals = np.concatenate([totals + value, totals - value])
    return np.abs(totals)


def _drawn(sums: NDArray[np.float64], bound: float, seed: int) -> int:
    """Count the drawn sign patterns whose |total| reaches the bound."""
    generator, whole, count = np.random.default_rng(seed), float(sums.sum()), 0
    step = max(1, min(DRAWS, 4_000_000 // len(sums)))
    for start in range(0, DRAWS, step):
        shape = (min(step, DRAWS - start), len(sums))
        kept = generator.integers(0, 2, shape, dtype=np.int8)
        count += int(np.sum(np.abs(2.0 * (kept @ sums) - whole) >= bound))
    return count


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
