"""Does every ability of the synthetic dialogues tell strategies apart, and is none solved or dead?

    python experiments/synthetic_abilities.py [--language en] [--conversations 16]

For each ability: Recall(k=5) of every strategy, and the pair with the smallest p of an exact or
sampled sign flip test by conversation, adjusted over the pairs of the ability (Holm). Abilities
that are not about finding evidence have their own metrics, in a table of their own.
"""

from __future__ import annotations

import argparse
import itertools

import pandas as pd

import memlab as ml
from memlab.inference.sign_flip import sign_flip

STRATEGIES = {
    "last 20": "Window(turns=20)",
    "bm25": "BM25()",
    "bm25, text": "BM25(form='text')",
    "hashing": "Vector(embedder=Hashing(dimension=2048))",
    "fused": "Hybrid(legs=(BM25(), Vector(embedder=Hashing(dimension=2048))))",
}
MINILM = "Vector(embedder=MiniLM())"
METRIC = "Recall(k=5)"
OWN = ["Abstention()", "Residue()", "Leak()"]


def least_p(rows: pd.DataFrame) -> tuple[float, str]:
    """Return the smallest adjusted p over all pairs of strategies, and its pair."""
    wide = rows.set_index(["conversation", "probe", "strategy"])[METRIC].unstack("strategy")
    talks = list(wide.index.get_level_values("conversation"))
    pairs = list(itertools.combinations(wide.columns, 2))
    tests = [(sign_flip(wide[a] - wide[b], talks).p, f"{a} / {b}") for a, b in pairs]
    p, pair = min(tests)
    return min(1.0, p * len(pairs)), pair


def main() -> None:
    """Print both tables for one language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", default="en", choices=("en", "zh", "mixed"))
    parser.add_argument("--conversations", type=int, default=16)
    parser.add_argument("--minilm", action="store_true", help="MiniLM as well (minutes)")
    options = parser.parse_args()
    table = {
        "name": "synthetic",
        "language": options.language,
        "conversations": options.conversations,
    }
    chosen = STRATEGIES | ({"minilm": MINILM} if options.minilm else {})
    results = ml.evaluate(chosen, table, [METRIC, "MRR()", *OWN], budget=1000, jobs=2)
    rows = results.rows
    scored = rows[rows["answerable"] & rows[METRIC].notna()]
    lines = []
    for ability, part in scored.groupby("category"):
        means = part.groupby("strategy")[METRIC].mean()
        p, pair = least_p(part)
        solved, dead = bool((means >= 0.98).all()), bool((means <= 0.02).all())
        n = len(part) // len(chosen)
        lines.append({"ability": ability, **means.round(3), "n": n, "p": p, "pair": pair})
        lines[-1]["fault"] = "solved" if solved else "dead" if dead else ""
    print(pd.DataFrame(lines).to_string(index=False))
    print("\nMRR():")
    ranks = scored.pivot_table(index="category", columns="strategy", values="MRR()")
    print(ranks.round(3).to_string())
    special = rows[rows["category"].isin(["abstention", "deletion", "isolation"])]
    print("\nBy their own metrics:")
    print(special.groupby(["category", "strategy"])[OWN].mean().round(3).to_string())


if __name__ == "__main__":
    main()
