"""Effect sizes of paired differences: how often, how clearly, in how many conversations."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from memlab.inference.clusters import ROUNDING, Clustered, clustered
from memlab.stats import FEW


class Effects(NamedTuple):
    """How differences fall, over records and over clusters.

    `superiority` is (wins + ties / 2) / n, `discordant` (wins + losses) / n, both NaN without
    pairs. `d` is the mean of the cluster means over their sd, corrected for few clusters: 0
    where all differences are 0, NaN with fewer than three clusters or where they do not vary.
    `clusters_won` and `clusters_lost` count clusters by the sign of their mean. Notes as in
    `Clustered.note`.
    """

    wins: int
    ties: int
    losses: int
    superiority: float
    discordant: float
    d: float
    clusters_won: int
    clusters_lost: int
    n: int
    clusters: int
    ignored: int = 0
    note: str = ""
    descriptive: bool = True


def effects(differences: ArrayLike, clusters: Sequence[Hashable]) -> Effects:
    """Return effect sizes of paired differences (n,): wins, ties, losses, superiority, d.

    A difference within 1e-12 of 0 is a tie. Superiority: Vargha and Delaney, "A critique and
    improvement of the CL common language effect size statistics of McGraw and Wong", Journal of
    Educational and Behavioral Statistics 25 (2000). `d` is Cohen's for pairs with clusters of
    equal weight, times gamma(m / 2) / (sqrt(m / 2) gamma((m - 1) / 2)), m = G - 1: Hedges,
    "Distribution theory for Glass's estimator of effect size and related estimators", Journal
    of Educational Statistics 6 (1981).

    Raises:
        ConfigError: differences and clusters of different length, or infinite differences.

    >>> found = effects([1.0, 0.0, 0.0, -1.0, 0.5], ["a", "a", "b", "b", "c"])
    >>> found.wins, found.ties, found.losses, found.superiority
    (2, 2, 1, 0.6)
    """
    sample = clustered(differences, clusters)
    n, nothing = sample.n, float("nan")
    wins, losses = (int(np.sum(sign * sample.values > ROUNDING)) for sign in (1, -1))
    won, lost = (int(np.sum(sign * sample.means > ROUNDING)) for sign in (1, -1))
    ties = n - wins - losses
    return Effects(
        wins,
        ties,
        losses,
        (wins + ties / 2) / n if n else nothing,
        (wins + losses) / n if n else nothing,
        _d(sample),
        won,
        lost,
        n,
        sample.groups,
        sample.ignored,
        sample.note(),
        sample.groups < FEW,
    )


def _d(sample: Clustered) -> float:
    note, df = sample.note(), sample.groups - 1
    if note == "identical":
        return 0.0
    if note or df < 2:
        return float("nan")
    gammas = math.lgamma(df / 2) - math.lgamma((df - 1) / 2)
    correction = math.exp(gammas) / math.sqrt(df / 2)
    return float(sample.means.mean() / sample.means.std(ddof=1)) * correction
