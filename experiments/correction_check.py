"""Do means of an imperfect judge, corrected with an audit, cover the truth?

    python experiments/correction_check.py [--replicates 2500] [--seed 0]

Labels of G conversations of LoCoMo's sizes, by the functions that memlab exports. The judge alone
and the audited labels alone stand beside them.
"""

from __future__ import annotations

import argparse

import numpy as np
from statistics_check import GROUPS, SIZES, row

from memlab.inference.correction import corrected_mean, rogan_gladen
from memlab.stats import cluster_mean


def judged(groups: int, count: int, rng: np.random.Generator) -> dict[str, tuple[float, ...]]:
    """Return coverage, width and mean of estimates: judge alone, audit alone, corrected.

    True answers: 65 % on average, intraclass correlation 0.02 (beta-binomial); the judge has
    sensitivity 0.92 and specificity 0.8; one record in ten is audited.
    """
    share, icc, rows = 0.65, 0.02, []
    a, b = (x * (1 - icc) / icc for x in (share, 1 - share))
    for _ in range(count):
        sizes = SIZES if groups == 10 else rng.choice(SIZES, groups)
        codes = np.repeat(np.arange(groups), sizes)
        true = rng.random(len(codes)) < rng.beta(a, b, groups)[codes]
        labels = np.where(rng.random(len(codes)) < np.where(true, 0.92, 0.2), 1.0, 0.0)
        audited = np.where(rng.random(len(codes)) < 0.1, true, np.nan)
        clusters = codes.tolist()
        estimates = (
            cluster_mean(labels, clusters),
            cluster_mean(audited, clusters),
            corrected_mean(labels, audited, clusters),
            corrected_mean(labels, audited, clusters, tune=False),
            rogan_gladen(labels, audited, clusters),
        )
        rows.append([(e.low <= share <= e.high, e.high - e.low, e.mean) for e in estimates])
    names = ["judge alone", "audit alone", "corrected", "corrected, lambda 1", "Rogan-Gladen"]
    figures = np.array(rows, dtype=float).mean(axis=0).tolist()
    return {name: tuple(found) for name, found in zip(names, figures, strict=True)}


def main() -> None:
    """Print a table for the log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    row("G", "estimate", "coverage", "width", "mean (truth 0.65)")
    row(*["---"] * 5)
    for groups in GROUPS:
        rng = np.random.default_rng([given.seed, groups])
        for name, found in judged(groups, given.replicates, rng).items():
            row(groups, name, f"{100 * found[0]:.1f}", *(f"{x:.3f}" for x in found[1:]))


if __name__ == "__main__":
    main()
