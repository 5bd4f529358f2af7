"""Do intervals cover the truth, and do tests keep their level, with few conversations?

    python experiments/statistics_check.py [--replicates 10000] [--seed 0]

Paired differences of known mean are drawn in G conversations of LoCoMo's sizes (G = 10: the ten
real sizes, else drawn from them). Their values and shares are those of real comparisons on
LoCoMo (Recall(k=10) at 4,000 tokens, results/locomo-full-*); conversations differ by a normal
or skewed (gamma) effect, set so that the intraclass correlation is as named. Over pairs of six
strategies the real correlations run from 0 to 0.03, the skewness of the ten means from -2 to 1.3
(half of them within 0.8; ten normal ones have one of 0.7 by chance). Every cell repeats the first
replicates with memlab's own functions and stops if they differ.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq

from memlab.inference.clusters import mean_and_error
from memlab.inference.power import power_of
from memlab.inference.sign_flip import EXACT, sign_flip
from memlab.inference.wilcoxon import wilcoxon
from memlab.stats import paired

Floats = NDArray[np.float64]
SIZES = np.array([199, 105, 193, 260, 242, 158, 190, 239, 196, 204])  # LoCoMo's probes
VALUES = np.array([-1.0, -0.4, 0.0, 0.4, 1.0])
SHARES = {
    "mirrored": (224.5, 92.5, 902, 92.5, 224.5),  # bm25 and vector, either way round
    "bm25 - vector": (85, 67, 902, 118, 364),
    "bm25 - hybrid": (57, 65, 1367, 23, 24),
}
SCENARIOS = [  # shares, intraclass correlation, skewness of the effects
    ("mirrored", 0.0, 0),
    ("mirrored", 0.02, 0),
    ("mirrored", 0.1, 0),
    ("bm25 - vector", 0.02, 0),
    ("bm25 - hybrid", 0.02, 0),
    ("bm25 - vector", 0.02, 1),
    ("bm25 - vector", 0.02, 2),
    ("bm25 - vector", 0.1, 2),
]
GROUPS = (5, 6, 10, 15, 30)
LEVELS = 2000
DRAWN = 1999
CHECKED = 3
COVER = [f"cover {x}" for x in ("CR3", "percentile", "bootstrap-t", "no clusters")]
REJECT = [f"reject {x}" for x in ("CR3", "sign flip", "Wilcoxon", "no clusters")]


@dataclass(frozen=True)
class World:
    """Where differences come from: a conversation draws one of many equally likely effects.

    So the mean of the differences is known without error. The values are cuts of a normal
    variable, whose mean is moved to give the wanted mean difference.
    """

    shares: str
    icc: float
    skew: float = 0.0
    mean: float = 0.0

    @cached_property
    def table(self) -> Floats:
        """The probability of each value given each effect, (effects, values)."""
        if self.icc == 0:
            return self._table(0.0)
        return self._table(brentq(lambda spread: self._icc(self._table(spread)) - self.icc, 0, 1))

    def _table(self, spread: float) -> Floats:
        at = (np.arange(LEVELS) + 0.5) / LEVELS
        effects = stats.pearson3.ppf(at, self.skew)  # normal without skew, exponential with 2
        shares = np.array(SHARES[self.shares])
        cuts = stats.norm.ppf(np.cumsum(shares)[:-1] / shares.sum())

        def moved(by: float) -> Floats:
            below = stats.norm.cdf(cuts - by - spread * effects[:, None])
            return np.diff(below, prepend=0.0, append=1.0, axis=1)

        return moved(brentq(lambda by: (moved(by) @ VALUES).mean() - self.mean, -3, 3))

    @staticmethod
    def _icc(table: Floats) -> float:
        expected = table.mean(axis=0)
        variance = expected @ VALUES**2 - (expected @ VALUES) ** 2
        return float((table @ VALUES).var() / variance)

    def draw(self, groups: int, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return how often each value came, (count, G, values), and the sizes (count, G)."""
        sizes = np.tile(SIZES, (count, 1)) if groups == 10 else rng.choice(SIZES, (count, groups))
        found = rng.multinomial(sizes, self.table[rng.integers(0, LEVELS, sizes.shape)])
        return found, sizes.astype(float)


def flip(sums: Floats, rng: np.random.Generator) -> Floats:
    """Return the sign flip p of each row of cluster sums (count, G)."""
    count, groups = sums.shape
    observed = np.abs(sums.sum(axis=1)) - 1e-12 * np.abs(sums).sum(axis=1)
    if groups <= EXACT:  # half of the patterns; the others mirror them
        signs = 1.0 - 2.0 * (np.arange(2 ** (groups - 1))[:, None] >> np.arange(groups) & 1)
        parts = np.array_split(signs, max(1, len(signs) // 512))
        return sum((np.abs(p @ sums.T) >= observed).sum(axis=0) for p in parts) / len(signs)
    found = []
    for rows in np.array_split(np.arange(count), max(1, count // 250)):
        signs = rng.choice([-1.0, 1.0], (DRAWN, groups))
        reached = (np.abs(signs @ sums[rows].T) >= observed[rows]).sum(axis=0)
        found.append((1 + reached) / (1 + DRAWN))
    return np.concatenate(found)


def signed_ranks(means: Floats) -> Floats:
    """Return the signed ranks of each row of cluster means; 0 has none."""
    rounded = np.round(means, 12)
    zeros = np.sum(rounded == 0, axis=1, keepdims=True)
    return np.sign(rounded) * (stats.rankdata(np.abs(rounded), axis=1) - zeros)


def percentile(sums: Floats, sizes: Floats, rng: np.random.Generator) -> Floats:
    """Return the limits of the percentile bootstrap, (2, count)."""
    groups, limits = sums.shape[1], []
    for rows in np.array_split(np.arange(len(sums)), max(1, len(sums) // 250)):
        often = rng.multinomial(groups, [1 / groups] * groups, DRAWN).astype(float)
        means = (often @ sums[rows].T) / (often @ sizes[rows].T)
        limits.append(np.quantile(means, [0.025, 0.975], axis=0))
    return np.concatenate(limits, axis=1)


def studentised(sums: Floats, sizes: Floats, rng: np.random.Generator) -> Floats:
    """Return the limits of the bootstrap-t, (2, count)."""
    groups, limits = sums.shape[1], []
    mean, error = mean_and_error(sums, sizes)
    for rows in np.array_split(np.arange(len(sums)), max(1, len(sums) // 50)):
        which = rng.integers(0, groups, (DRAWN // 2, groups))
        drawn, errors = mean_and_error(sums[rows][:, which], sizes[rows][:, which])
        apart = drawn - mean[rows, None]
        flat = errors <= 1e-12
        ratios = np.where(flat, np.copysign(1e9, apart), apart / np.where(flat, 1, errors))
        high, low = np.quantile(ratios, [0.975, 0.025], axis=1)
        limits.append(mean[rows] - np.stack([high, low]) * error[rows])
    return np.concatenate(limits, axis=1)


@dataclass(frozen=True)
class Cell:
    """Samples of a world, and how often each method is right about them."""

    world: World
    drawn: Floats
    sizes: Floats
    rng: np.random.Generator

    @classmethod
    def of(cls, world: World, groups: int, count: int, seed: Sequence[int]) -> Cell:
        rng = np.random.default_rng(seed)
        return cls(world, *world.draw(groups, count, rng), rng)

    def tests(self) -> dict[str, float]:
        """Return coverage of intervals by formula, and rejections of every test."""
        sums, n = self.drawn @ VALUES, self.sizes.sum(axis=1)
        mean, error = mean_and_error(sums, self.sizes)
        spread = np.sqrt(((self.drawn @ VALUES**2).sum(axis=1) / n - mean**2) / (n - 1))
        flipped = flip(sums, self.rng)
        ranked = flip(signed_ranks(sums / self.sizes), self.rng)
        compare(self.drawn[:CHECKED], mean, error, flipped, ranked)
        bound, apart = stats.t.ppf(0.975, sums.shape[1] - 1), np.abs(mean - self.world.mean)
        found = {
            "cover CR3": apart <= bound * error,
            "cover no clusters": apart <= 1.96 * spread,
            "reject CR3": np.abs(mean) > bound * error,
            "reject sign flip": flipped <= 0.05,
            "reject Wilcoxon": ranked <= 0.05,
            "reject no clusters": np.abs(mean) > 1.96 * spread,
        }
        return {name: float(x.mean()) for name, x in found.items()} | {"error": float(mean.std())}

    def bootstraps(self) -> dict[str, float]:
        """Return coverage of resampled intervals; bootstrap-t on a quarter of the samples."""
        sums, quarter = self.drawn @ VALUES, slice(max(1, len(self.drawn) // 4))
        limits = {
            "cover percentile": percentile(sums, self.sizes, self.rng),
            "cover bootstrap-t": studentised(sums[quarter], self.sizes[quarter], self.rng),
        }
        return {
            name: float(np.mean((low <= self.world.mean) & (self.world.mean <= high)))
            for name, (low, high) in limits.items()
        }


def compare(drawn: Floats, mean: Floats, error: Floats, flipped: Floats, ranked: Floats) -> None:
    """Stop if memlab's functions give other figures for the first replicates."""
    for row, counts in enumerate(drawn):
        values = np.concatenate([np.repeat(VALUES, cluster) for cluster in counts])
        clusters = np.repeat(np.arange(len(counts)), counts.sum(axis=1)).tolist()
        found, ours = paired(values, clusters), (mean[row], error[row])
        tests = sign_flip(values, clusters).p, wilcoxon(values, clusters).p
        close = 1e-9 if len(counts) <= EXACT else 0.06  # else 1,999 patterns, or scipy's table
        if not np.allclose((found.mean, found.se), ours, atol=1e-9) or not np.allclose(
            tests, (flipped[row], ranked[row]), rtol=0, atol=close
        ):
            raise RuntimeError(f"memlab: {found[:2]}, {tests}; here: {ours}, {flipped[row]}")


def cells(count: int, seed: int) -> Iterator[tuple[object, ...]]:
    """Yield scenario, G, and rates: without a difference, then with one of 80 % power."""
    for at, (shares, icc, skew) in enumerate(SCENARIOS):
        world = World(shares, icc, skew)
        for groups in GROUPS:
            cell = Cell.of(world, groups, count, [seed, at, groups])
            null = cell.tests() | cell.bootstraps()
            ratio = brentq(lambda x: power_of(x, 1.0, groups) - 0.8, 0.1, 9)  # noqa: B023
            other = replace(world, mean=ratio * null["error"])
            found = Cell.of(other, groups, max(1, count // 4), [seed, at, groups, 1]).tests()
            name = f"{shares}, {icc:g}" + (f", skewness {skew:g}" if skew else "")
            yield (
                name,
                groups,
                *(f"{100 * null[x]:.1f}" for x in COVER + REJECT),
                *(f"{100 * found[x]:.1f}" for x in REJECT[:3]),
            )


def main() -> None:
    """Print a table for the log, in per cent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    names = [x[7:] for x in REJECT]
    power = [f"power {x}" for x in names[:3]]
    row("shares, ICC", "G", *COVER, *(f"false {x}" for x in names), *power)
    row(*["---"] * 13)
    for cell in cells(given.replicates, given.seed):
        row(*cell)


def row(*cells: object) -> None:
    print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
