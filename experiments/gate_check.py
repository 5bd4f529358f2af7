"""How often the regression gate cries wolf, and what it finds: simulated on real values.

    python experiments/gate_check.py [--baseline results/baseline] [--replicates 4000]

The values of the probes and the times of the units are those of a baseline. Changed-but-neutral
runs: a share of the probes of either side gets the values of other probes of the same strategy,
independently, so that the two sides are exchangeable; with a correlation above 0 a conversation's
donors lie on one side of the ranking, better or worse, together. Drops: probes lose what they
found or gain the full point, with the stated net drop and share of changed probes. Times: noise
by conversation, and by strategy for the whole run, log-normal. The tests are the gate's own.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from memlab.gate.check import ALPHA
from memlab.gate.contrast import REGRESSION, judged
from memlab.gate.files import load
from memlab.gate.flips import one_sided
from memlab.gate.latency import SLOWER, slowdowns
from memlab.gate.quality import CHANGING, MAX_DROP, NEVER, direction
from memlab.gate.snapshot import Column, Snapshot
from memlab.gate.times import REFERENCE
from memlab.inference.multiple import holm
from memlab.inference.strata import balanced

Floats = NDArray[np.float64]
CORRELATIONS = (0.0, 0.005, 0.02)
CLEAR = 2.0
"""A total of fewer standard errors has p above .02, so no flips are drawn for it."""
TIMES = (
    (0.1, 0.1, 1.0),
    (0.3, 0.1, 1.0),
    (0.1, 0.1, 1.25),
    (0.1, 0.1, 2.0),
    (0.3, 0.1, 2.0),
)
"""Noise by conversation, shift by strategy and kind of call, and slowdown."""


@dataclass
class Bench:
    """A baseline, its probes as arrays, and the size of the family its gate tests."""

    base: Snapshot
    rng: np.random.Generator

    @cached_property
    def columns(self) -> list[Column]:
        return [c for c in self.base.values if c.metric not in NEVER]

    @cached_property
    def family(self) -> int:
        """Contrasts that are tested: metrics and times."""
        return len(self.columns) + len(slowdowns(self.base, self.base, SLOWER))

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        talks = list(dict.fromkeys(p.conversation for p in self.base.probes))
        places = {talk: i for i, talk in enumerate(talks)}
        return np.array([places[p.conversation] for p in self.base.probes])

    @cached_property
    def groups(self) -> int:
        return int(self.codes.max()) + 1

    def weights(self, column: Column) -> tuple[Floats, int]:
        """Return what a probe's difference adds to the total, so that total / n is the mean."""
        known = ~np.isnan(self.base.values[column])
        talks = [p.conversation for p in self.base.probes]
        names = [p.dataset for p in self.base.probes]
        ones = balanced(np.where(known, 1.0, np.nan), talks, names)
        return np.nan_to_num(ones), int(known.sum())

    def uniforms(self, correlation: float) -> Floats:
        """Return a uniform number per probe, alike within a conversation."""
        own = self.rng.standard_normal(len(self.codes))
        shared = self.rng.standard_normal(self.groups)[self.codes]
        return ndtr(np.sqrt(1 - correlation) * own + np.sqrt(correlation) * shared)


def verdicts(sums: Floats, n: Floats, family: int) -> NDArray[np.bool_]:
    """Return which of (replicates, G, contrasts) the gate calls a regression.

    Contrasts of the family that are not there are unchanged: their p is 1.
    """
    replicates, groups, columns = sums.shape
    flat = sums.transpose(1, 0, 2).reshape(groups, -1)
    total, error = flat.sum(axis=0), np.sqrt((flat**2).sum(axis=0))
    p = np.ones(flat.shape[1])
    at = np.flatnonzero(total < -CLEAR * error)
    for part in np.array_split(at, max(1, len(at) // 500)):
        p[part] = one_sided(flat[:, part]).worse
    grid = np.ones((replicates, family))
    grid[:, :columns] = p.reshape(replicates, columns)
    adjusted = np.array([holm(row)[:columns] for row in grid])
    drop = -total.reshape(replicates, columns) / n
    found: NDArray[np.bool_] = (adjusted <= ALPHA) & (drop >= MAX_DROP)
    return found


def neutral(bench: Bench, replicates: int, correlation: float, share: float) -> dict[str, float]:
    """Return the family-wise rate of false alarms on changed-but-neutral runs, and what changed."""
    weights = {c: bench.weights(c) for c in bench.columns}
    n = np.array([weights[c][1] for c in bench.columns], dtype=np.float64)
    donors = {group: _Donors(bench, group, share) for group in bench.base.groups}
    alarms, changed = 0, []
    for count in _parts(replicates, 50):
        sums = np.zeros((count, bench.groups, len(bench.columns)))
        for r in range(count):
            sides = {g: [d.drawn(correlation) for _ in range(2)] for g, d in donors.items()}
            for i, column in enumerate(bench.columns):
                values = bench.base.values[column]
                first, second = (values[s] for s in sides[column.strategy, column.budget])
                gain = np.nan_to_num(second - first) * direction(bench.base, column.metric)
                sums[r, :, i] = np.bincount(bench.codes, gain * weights[column][0])
                changed.append((gain[weights[column][0] > 0] != 0).mean())
        alarms += int(verdicts(sums, n, bench.family).any(axis=1).sum())
    return {"false alarms": alarms / replicates, "probes changed": float(np.mean(changed))}


class _Donors:
    """Gives a share of the probes the values of others, so that about `share` come out changed."""

    def __init__(self, bench: Bench, group: tuple[str, int | None], share: float) -> None:
        self.bench = bench
        own = [c for c in bench.columns if (c.strategy, c.budget) == group]
        keys = [np.nan_to_num(bench.base.values[c]) for c in own]
        # Donors have values under the same metrics, so that none appears or vanishes.
        kinds = np.array([~np.isnan(bench.base.values[c]) for c in own]).T
        _, self.kind = np.unique(kinds, axis=0, return_inverse=True)
        self.order = np.lexsort([*keys, self.kind])
        self.start = np.searchsorted(self.kind[self.order], np.arange(self.kind.max() + 1))
        self.size = np.bincount(self.kind)
        values = bench.base.values[own[0]]
        counts = np.unique(values[~np.isnan(values)], return_counts=True)[1]
        differ = 1 - float(np.sum((counts / counts.sum()) ** 2))  # two random probes
        # A pair differs if either side was redrawn and the values differ: 1 - (1 - q)^2.
        self.q = 1 - np.sqrt(max(0.0, 1 - share / max(differ, 1e-9)))

    def drawn(self, correlation: float) -> NDArray[np.intp]:
        """Return for each probe the one whose values it takes, mostly itself."""
        place = (self.bench.uniforms(correlation) * self.size[self.kind]).astype(np.intp)
        taken = self.order[self.start[self.kind] + place]
        redrawn = self.bench.rng.random(len(taken)) < self.q
        return np.where(redrawn, taken, np.arange(len(taken)))


def dropped(
    bench: Bench, column: Column, replicates: int, correlation: float, drop: float, share: float
) -> tuple[float, float]:
    """Return how often a drop of one column is found, the others unchanged, and its design effect.

    The effect is the median over replicates of that of `design_effect`; NaN, NaN where the values
    are too low or too high for such a change.
    """
    values, (weights, n) = np.nan_to_num(bench.base.values[column]), bench.weights(column)
    weighed = weights / weights.sum()
    lost, gained = (share + drop) / 2, (share - drop) / 2
    # The mean of what is lost is `lost`: every probe with a value is as likely to lose it.
    rates = lost / float(weighed @ values), gained / float(weighed @ (1 - values))
    if max(rates) >= 1:
        return float("nan"), float("nan")
    sums, effects = np.zeros((replicates, bench.groups, 1)), []
    for r in range(replicates):
        u = bench.uniforms(correlation)
        gain = np.where(u < rates[0], -values, 0.0) + np.where(u > 1 - rates[1], 1 - values, 0.0)
        sums[r, :, 0] = np.bincount(bench.codes, gain * weights)
        known = np.where(weights > 0, gain, np.nan)
        effects.append(design_effect(np.zeros_like(known), known, bench.codes))
    found = float(verdicts(sums, np.array([float(n)]), bench.family).mean())
    return found, float(np.median(effects))


def design_effect(first: Floats, second: Floats, codes: NDArray[np.intp]) -> float:
    """Return how many times the variance by conversation is that of independent probes."""
    gain = (second - first)[~np.isnan(second - first)]
    apart = gain - gain.mean()
    by_talk = np.bincount(codes[~np.isnan(second - first)], apart)
    return float((by_talk**2).sum() / (apart**2).sum())


def timed(bench: Bench, replicates: int, noise: float, shift: float, factor: float) -> float:
    """Return how often the gate finds a strategy slower that is `factor` times as slow.

    `noise` by conversation and `shift` by strategy and kind of call are standard deviations of
    log times. With a factor of 1 it is the rate of false alarms over all strategies.
    """
    labels = list(dict.fromkeys(label for label, _ in bench.base.groups))
    slow, found = labels[-1], 0
    alpha = ALPHA * len(slowdowns(bench.base, bench.base, SLOWER)) / bench.family
    for _ in range(replicates):
        names = sorted({name for known in bench.base.times.values() for name in known})
        common = {(x, y): bench.rng.normal(0, shift) for x in labels for y in names}
        times = {
            (label, talk): {
                name: ns
                if name == REFERENCE
                else ns
                * (factor if label == slow else 1)
                * float(np.exp(common[label, name] + bench.rng.normal(0, noise)))
                for name, ns in known.items()
            }
            for (label, talk), known in bench.base.times.items()
        }
        told = judged(slowdowns(replace(bench.base, times=times), bench.base, SLOWER), alpha)
        wrong = {one.strategy for one in told if one.verdict == REGRESSION}
        found += slow in wrong if factor != 1 else bool(wrong)
    return found / replicates


def _parts(total: int, most: int) -> Iterator[int]:
    for start in range(0, total, most):
        yield min(most, total - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--baseline", type=Path, default=root / "results" / "baseline")
    parser.add_argument("--replicates", type=int, default=4000)
    options = parser.parse_args()
    bench = Bench(load(options.baseline), np.random.default_rng(0))
    print(f"{len(bench.base.probes)} probes, {bench.groups} conversations, {bench.family} tests")
    print("\nchanged-but-neutral runs: family-wise false alarms, share of probes changed")
    for correlation in (0.0, 0.05, 0.2):
        told = neutral(bench, options.replicates, correlation, CHANGING)
        shown = ", ".join(f"{name} {value:.4f}" for name, value in told.items())
        print(f"  correlation {correlation:.2f}: {shown}", flush=True)
    show_drops(bench, options.replicates // 2)
    print("\ntimes, log-normal noise by conversation and by strategy and call: found")
    for noise, shift, factor in TIMES:
        rate = timed(bench, options.replicates // 4, noise, shift, factor)
        told_noise = f"noise {noise:.2f}, shift {shift:.2f}"
        print(f"  {told_noise}, {factor:g} × as slow: {rate:.4f}", flush=True)


def show_drops(bench: Bench, replicates: int) -> None:
    print("\na drop of 0.03 with 20 % of the probes changed: found (design effect)")
    print(f"  at correlations of {', '.join(map(str, CORRELATIONS))}; nan: there is less to lose")
    for column in (c for c in bench.columns if c.metric != "StaleHit()"):
        told = [dropped(bench, column, replicates, c, 0.03, CHANGING) for c in CORRELATIONS]
        shown = "  ".join(f"{found:.3f} ({effect:.2f})" for found, effect in told)
        print(f"  {column.strategy:14} {column.metric:13} {shown}", flush=True)
    print("\ndesign effects between the strategies: how alike real changes are in a conversation")
    recall = [c for c in bench.columns if c.metric == "Recall(k=10)"]
    for one, two in itertools.combinations(recall, 2):
        effect = design_effect(bench.base.values[one], bench.base.values[two], bench.codes)
        print(f"  {one.strategy} to {two.strategy}: {effect:.2f}")


if __name__ == "__main__":
    main()
