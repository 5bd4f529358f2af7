"""Records in clusters, as arrays, and the jackknife over clusters that all intervals share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memlab.errors import ConfigError

Floats = NDArray[np.float64]
ROUNDING = 1e-12
"""Differences that are no larger, relative to the values they come from, are rounding."""


class Clustered(NamedTuple):
    """Values (n,) that are not NaN, the cluster number of each, and sums by cluster (G,).

    Clusters are numbered as they come; those without a value are left out. `ignored` counts
    the values that were NaN.
    """

    values: Floats
    codes: NDArray[np.intp]
    sizes: Floats
    sums: Floats
    ignored: int

    @property
    def n(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def groups(self) -> int:
        """How many clusters have a value."""
        return len(self.sizes)

    @property
    def means(self) -> Floats:
        """The mean of each cluster, (G,)."""
        return self.sums / self.sizes

    @property
    def scale(self) -> float:
        """The largest absolute value, 0 if there is none."""
        return float(np.abs(self.values).max(initial=0.0))

    @property
    def flat(self) -> bool:
        """Whether all clusters have the same mean, up to rounding."""
        return self.n > 0 and float(np.ptp(self.means)) <= ROUNDING * self.scale

    def note(self) -> str:
        """Say why nothing can be inferred: no pairs, identical, one cluster, no spread."""
        if not self.n:
            return "no pairs"
        if not self.values.any():
            return "identical"
        if self.groups < 2:
            return "one cluster"
        return "no spread" if self.flat else ""


def clustered(values: ArrayLike, clusters: Sequence[Hashable]) -> Clustered:
    """Sort values (n,) into their clusters (n,), leaving out NaN.

    Raises:
        ConfigError: values and clusters of different length, or infinite values.

    >>> clustered([1.0, 0.5, float("nan"), 0.0], ["b", "a", "a", "b"]).sums.tolist()
    [1.0, 0.5]
    """
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (len(clusters),):
        raise ConfigError(
            f"values of shape {numbers.shape} for {len(clusters)} clusters", "one cluster each"
        )
    if np.isinf(numbers).any():
        raise ConfigError("infinite values", "finite numbers, or NaN for no value")
    known = ~np.isnan(numbers)
    numbers, codes = numbers[known], numbered(clusters, known)
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, numbers).astype(np.float64)
    return Clustered(numbers, codes, sizes, sums, int(len(known) - known.sum()))


def numbered(labels: Sequence[Hashable], known: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Number the labels (n,) of known entries as they come, from 0."""
    seen: dict[Hashable, int] = {}
    pairs = zip(labels, known.tolist(), strict=True)
    return np.array([seen.setdefault(x, len(seen)) for x, kept in pairs if kept], dtype=np.intp)


def jackknife(whole: Floats | float, without: Floats) -> Floats:
    """Return the CR3 standard error of estimates (...) from those without a cluster (..., G).

    sqrt((G - 1) / G * sum((estimate without cluster g - estimate) ** 2)), for two clusters or
    more: MacKinnon, Nielsen and Webb, "Fast and reliable jackknife and bootstrap methods for
    cluster-robust inference", Journal of Applied Econometrics 38 (2023).

    >>> round(float(jackknife(3.0, np.array([3.5, 3.25, 3.0, 2.75, 2.5]))), 4)  # of 1 to 5
    0.7071
    """
    groups = without.shape[-1]
    apart = without - np.asarray(whole)[..., None]
    found: Floats = np.sqrt((groups - 1) / groups * np.sum(apart**2, axis=-1))
    return found


def mean_and_error(sums: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return mean and CR3 standard error of samples given by their clusters, both (..., G).

    For two clusters or more; leading axes are samples of their own.
    """
    total, n = sums.sum(axis=-1, keepdims=True), sizes.sum(axis=-1, keepdims=True)
    mean = np.asarray((total / n)[..., 0])
    return mean, jackknife(mean, (total - sums) / (n - sizes))


def check_between(name: str, value: float, low: float, high: float, example: str) -> None:
    """Check a number that lies inside (low, high).

    Raises:
        ConfigError: it does not.
    """
    real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not real or not low < value < high:
        expected = f"a number between {low:g} and {high:g}, as {example}"
        raise ConfigError(f"{name}={value!r}", expected)
