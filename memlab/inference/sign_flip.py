"""The sign flip test by cluster, exact with few clusters: the test of every comparison."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from memlab.inference.clusters import Floats, clustered
from memlab.inference.strata import balanced
from memlab.stats import FEW

EXACT = 16
"""Up to so many clusters a sign flip test takes every pattern of signs."""
DRAWS = 100_000
"""Patterns that are drawn with more clusters."""


class SignFlip(NamedTuple):
    """A two-sided sign flip test by cluster.

    `smallest` is the least p that so many clusters allow: 2 / 2^G, G the clusters whose
    differences do not add up to 0; with drawn patterns at least 1 / (patterns + 1). `n`
    differences in `clusters` clusters, `ignored` were NaN. `note` is `identical` where all
    differences are 0, `no pairs` where there are none. It is `descriptive` with fewer than six
    clusters, which cannot give p <= .05.
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
    descriptive: bool = True


def sign_flip(
    differences: ArrayLike,
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
) -> SignFlip:
    """Test whether differences (n,) centre on 0, flipping the signs of whole clusters.

    The statistic is |sum of the differences| / n; under the null the differences of a cluster
    are as likely with the other sign. With strata (n,), the data sets of a joined run, it is
    |mean of the strata's mean differences|. With at most 16 clusters that matter p is exact, the
    share of all sign patterns that reach the statistic; else 100,000 patterns are drawn and
    p = (1 + those that reach it) / (1 + drawn). Canay, Romano and Shaikh, "Randomization
    tests under an approximate symmetry assumption", Econometrica 85 (2017).

    Raises:
        ConfigError: differences and clusters of different length, infinite differences, strata
            of another length, or a cluster in two strata.

    >>> sign_flip([0.5, 0.1, 0.2, 0.3], ["a", "a", "b", "c"]).p
    0.25
    """
    if strata is not None:
        differences = balanced(differences, clusters, strata)
    sample = clustered(differences, clusters)
    n, groups, few = sample.n, sample.groups, sample.groups < FEW
    least = 1e-12 * float(np.abs(sample.values).sum())
    sums = sample.sums[np.abs(sample.sums) > least]
    observed = abs(float(sums.sum()))
    statistic = observed / n if n else float("nan")
    if not len(sums):
        note = "" if sample.values.any() else "identical" if n else "no pairs"
        p = 1.0 if n else float("nan")
        return SignFlip(p, p, statistic, n, groups, 1, True, sample.ignored, note, few)
    exact = len(sums) <= EXACT
    patterns = 2 ** len(sums) if exact else DRAWS
    smallest = 2.0 ** (1 - len(sums))
    if exact:
        p = share_reaching(sums, observed - least)
    else:
        p = (1 + _drawn(sums, observed - least, seed)) / (1 + DRAWS)
        smallest = max(smallest, 1 / (1 + DRAWS))
    return SignFlip(p, smallest, statistic, n, groups, patterns, exact, sample.ignored, "", few)


def share_reaching(sums: Floats, bound: float) -> float:
    """Return the share of all sign patterns of sums (G,) whose |total| reaches the bound."""
    totals = sums[:1]  # under half of the patterns; the others mirror them
    for value in sums[1:]:
        totals = np.concatenate([totals + value, totals - value])
    return float(np.mean(np.abs(totals) >= bound))


def _drawn(sums: Floats, bound: float, seed: int) -> int:
    """Count the drawn sign patterns whose |total| reaches the bound."""
    generator, whole, count = np.random.default_rng(seed), float(sums.sum()), 0
    step = max(1, min(DRAWS, 4_000_000 // len(sums)))
    for start in range(0, DRAWS, step):
        shape = (min(step, DRAWS - start), len(sums))
        kept = generator.integers(0, 2, shape, dtype=np.int8)
        count += int(np.sum(np.abs(2.0 * (kept @ sums) - whole) >= bound))
    return count
