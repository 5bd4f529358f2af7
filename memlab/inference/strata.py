"""Data sets of a joined run as strata: each weighs the same, whatever its size."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memlab.errors import ConfigError
from memlab.inference.clusters import Floats, numbered


def split(
    values: ArrayLike, clusters: Sequence[Hashable], strata: Sequence[Hashable]
) -> list[NDArray[np.intp]]:
    """Return the positions of each stratum's values (n,), strata as they come.

    Raises:
        ConfigError: strata of another length than the values, or a cluster in two of them.
    """
    n = len(np.asarray(values))
    if len(strata) != n or len(clusters) != n:
        found = f"{n} values, {len(clusters)} clusters and {len(strata)} strata"
        raise ConfigError(found, "one cluster and one stratum each")
    home: dict[Hashable, Hashable] = {}
    torn = [c for c, s in zip(clusters, strata, strict=True) if home.setdefault(c, s) != s]
    if torn:
        raise ConfigError(
            f"clusters in two strata: {', '.join(map(repr, dict.fromkeys(torn)))}",
            "every cluster in one stratum",
            "name clusters <data set>/<conversation>",
        )
    codes = numbered(strata, np.ones(n, dtype=bool))
    return [np.flatnonzero(codes == s) for s in range(len(set(codes.tolist())))]


def balanced(values: ArrayLike, clusters: Sequence[Hashable], strata: Sequence[Hashable]) -> Floats:
    """Return values (n,) scaled so that their mean is the mean of the strata's means.

    Strata without a value are left out.

    Raises:
        ConfigError: as `split`.

    >>> scaled = balanced([1.0, 0.0, 0.0, 0.5], ["a", "a", "b", "c"], ["x", "x", "x", "y"])
    >>> round(float(scaled.mean()), 4)  # (1/3 + 1/2) / 2
    0.4167
    """
    numbers = np.array(values, dtype=np.float64)
    parts = split(numbers, clusters, strata)
    counts = [int(np.sum(~np.isnan(numbers[at]))) for at in parts]
    n, filled = sum(counts), sum(count > 0 for count in counts)
    for at, count in zip(parts, counts, strict=True):
        numbers[at] *= n / (filled * count) if count else 1.0
    return numbers
