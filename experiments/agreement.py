"""Does a synthetic profile order strategies as the real data it is fitted to do?

    python experiments/agreement.py

The configurations, the metric and the rule below were fixed before the first comparison; the
profiles are set by `memlab.describe` (experiments/profile_match.py), never by this agreement.
A pair of configurations counts if the real data separate it: its cluster-robust 95 % interval
excludes 0 (with BEAM's five chats the interval is descriptive only).
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import scipy.stats

import memlab as ml
from memlab.stats import paired

MINILM = "Vector(embedder=MiniLM(), form={form!r})"
CONFIGURATIONS = {
    # Recency
    "last 5": "Window(turns=5)",
    "last 20": "Window(turns=20)",
    "last 3 exchanges": "Window(exchanges=3)",
    "400 tokens": "TokenWindow(tokens=400)",
    # Lexical
    "bm25": "BM25()",
    "bm25, speaker": "BM25(form='speaker')",
    "bm25, text": "BM25(form='text')",
    "bm25, no stemming": "BM25(stemming=False)",
    "bm25, stop words": "BM25(stopping=False)",
    "bm25, neither": "BM25(stemming=False, stopping=False)",
    "bm25, no length": "BM25(b=0.0)",
    "bm25, full length": "BM25(b=1.0)",
    "bm25, k1 = 0.3": "BM25(k1=0.3)",
    "bm25, k1 = 5": "BM25(k1=5.0)",
    # Feature hashing
    "hashing 64": "Vector(embedder=Hashing(dimension=64))",
    "hashing 256": "Vector(embedder=Hashing(dimension=256))",
    "hashing 2048": "Vector(embedder=Hashing(dimension=2048))",
    "hashing 2048, words": "Vector(embedder=Hashing(dimension=2048, ngram=0))",
    # Dense
    "minilm, text": MINILM.format(form="text"),
    "minilm, speaker": MINILM.format(form="speaker"),
    "minilm, dated": MINILM.format(form="dated"),
    # Fusion
    "fused": "Hybrid(legs=(BM25(), Vector(embedder=MiniLM())))",
    "fused, lexical": "Hybrid(legs=(BM25(), Vector(embedder=MiniLM())), weights=(0.8, 0.2))",
    "fused, dense": "Hybrid(legs=(BM25(), Vector(embedder=MiniLM())), weights=(0.2, 0.8))",
    "fused ranks": "Hybrid(legs=(BM25(), Vector(embedder=MiniLM())), fusion='rrf')",
    "fused, hashing": "Hybrid(legs=(BM25(), Vector(embedder=Hashing(dimension=2048))))",
}
METRIC = "Recall(k=10)"
PAIRS = {
    "locomo": (
        {"name": "locomo", "path": "../shared/data/locomo/locomo10.json"},
        {"name": "synthetic", "profile": "chat"},
        2000,
    ),
    "beam": (
        {"name": "beam", "path": "../shared/data/beam/100K"},
        {"name": "synthetic", "profile": "assistant"},
        None,
    ),
}
"""Real data, the profile fitted to it, and a budget in which ten turns fit."""

Scores = Mapping[str, np.ndarray]


def measured(table: Mapping[str, str], budget: int | None) -> tuple[Scores, list[str]]:
    """Return the metric of every answerable probe by configuration, and the conversations."""
    results = ml.evaluate(CONFIGURATIONS, table, [METRIC], budget=budget, jobs=2)
    rows = results.rows
    rows = rows[rows["answerable"] & rows[METRIC].notna()]
    key = ["conversation", "probe"]
    wide = rows.set_index([*key, "strategy"])[METRIC].unstack("strategy")
    return {label: wide[label].to_numpy() for label in CONFIGURATIONS}, [c for c, _ in wide.index]


def separated(scores: Scores, clusters: Sequence[str]) -> dict[tuple[str, str], float]:
    """Return the mean difference of every pair whose interval excludes 0."""
    found = {}
    for a, b in itertools.combinations(CONFIGURATIONS, 2):
        estimate = paired(scores[a] - scores[b], clusters)
        if estimate.low > 0 or estimate.high < 0:
            found[a, b] = estimate.mean
    return found


def tau(one: Scores, other: Scores, clusters: Sequence[Sequence[str]], draws: int = 1000) -> str:
    """Return Kendall's tau of the means with a bootstrap interval over conversations."""

    def means(scores: Scores, chosen: np.ndarray) -> list[float]:
        return [float(scores[label][chosen].mean()) for label in CONFIGURATIONS]

    everything = [np.arange(len(c)) for c in clusters]
    point = scipy.stats.kendalltau(*map(means, (one, other), everything)).statistic
    random = np.random.default_rng(0)
    groups = [[np.flatnonzero(np.array(c) == g) for g in dict.fromkeys(c)] for c in clusters]
    drawn = []
    for _ in range(draws):
        chosen = [
            np.concatenate([g[i] for i in random.integers(len(g), size=len(g))]) for g in groups
        ]
        drawn.append(scipy.stats.kendalltau(*map(means, (one, other), chosen)).statistic)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{point:.2f} [{low:.2f}, {high:.2f}]"


def main() -> None:
    """Print both agreements, and how far the two real data sets agree with each other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(PAIRS), help="locomo, beam")
    names = parser.parse_args().names
    real = {}
    for name in names:
        real_table, synthetic_table, budget = PAIRS[name]
        real[name] = measured(real_table, budget)
        ours, clusters = measured(synthetic_table, budget)
        pairs = separated(*real[name])
        same = {
            pair: float((ours[pair[0]] - ours[pair[1]]).mean()) * difference > 0
            for pair, difference in pairs.items()
        }
        total = len(CONFIGURATIONS) * (len(CONFIGURATIONS) - 1) // 2
        print(f"\n{name}: {len(pairs)} of {total} pairs separated by the real data")
        print(
            f"same sign on the profile: {sum(same.values())} = {np.mean(list(same.values())):.3f}"
        )
        print(f"Kendall's tau: {tau(real[name][0], ours, [real[name][1], clusters])}")
        for label in CONFIGURATIONS:
            print(f"  {label:24} {real[name][0][label].mean():.3f} {ours[label].mean():.3f}")
        for (a, b), agrees in same.items():
            if not agrees:
                mine = (ours[a] - ours[b]).mean()
                print(f"  differs: {a} - {b}: {pairs[a, b]:+.3f} against {mine:+.3f}")
    if len(real) == 2:
        (one, first), (other, second) = real.values()
        print(f"\nreal against real: tau {tau(one, other, [first, second])}")


if __name__ == "__main__":
    main()
