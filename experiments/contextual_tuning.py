"""Choose the weights of `Contextual`, each data set and conversation tested by the others.

    python experiments/contextual_tuning.py LOCOMO10_JSON BEAM_FOLDER MEMDAILY_FOLDER [--e5]

Every configuration of the grid is scored on every data set. Printed are the choice by all
three (macro-average), its score on each data set when the other two choose, on LoCoMo when nine
conversations choose for the tenth, and what each part adds. `--e5` embeds with E5 throughout.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import memlab as ml
from memlab.encoding.embedding import encode
from memlab.models import E5, MiniLM
from memlab.naming import spell
from memlab.protocols import Embedder
from memlab.run import Run
from memlab.stats import cluster_mean
from memlab.strategies import Contextual, Vector
from memlab.types import Dataset, Probe, Query, Turn

WINDOWS = (50, 100, 200)
MIXES = (0.0, 1.0, 2.0, 4.0)
GRID = {
    "window": WINDOWS,
    "surroundings": MIXES,
    "weight": (0.0, 0.8, 1.0, 1.2, 1.5, 2.0),
    "speaker": (0.0, 0.3, 0.6, 0.9),
    "episode": (0.0, 0.1, 0.25),
    "substance": (0.0, 0.1, 0.2, 0.3),
    "date": (0.0, 0.25, 0.5),
}
CUTS = {"locomo": (5, 10, 25, 50), "beam": (5, 10, 25, 50), "memdaily": (0,)}
"""Recall at these ranks, averaged; 0: as many ranks as there is evidence (R-precision)."""


class Asked(NamedTuple):
    """One probe: its parts by (window, surroundings), and the places of its evidence."""

    parts: dict[tuple[int, float], dict[str, np.ndarray]]
    evidence: np.ndarray


def replay(dataset: Dataset, embedder: Embedder) -> Iterator[list[Asked]]:
    """Yield for each conversation its answerable probes with their parts."""
    for conversation in dataset:
        turns = list(conversation.turns())
        probes = [p for p in conversation.probes() if p.answerable and p.evidence]
        leg = Vector(embedder=embedder)
        texts = sorted({text for turn in turns for text in leg.texts(turn)}, key=len)
        asked = sorted({p.text for p in probes}, key=len)
        name = spell(embedder, full=True)
        vectors = {}
        for role, some in (("document", texts), ("query", asked)):
            for start in range(0, len(some), 64):
                for text, entry in encode(embedder, some[start : start + 64], role).items():
                    vectors[name, role, text] = entry
        yield _asked(turns, probes, leg, Run(vectors=vectors))


def _asked(turns: list[Turn], probes: list[Probe], leg: Vector, run: Run) -> list[Asked]:
    memory = Contextual(dense=leg)
    memory.reset()
    memory.attach(run)
    for turn in turns:
        memory.write(turn)
    place = {turn.id: i for i, turn in enumerate(turns)}
    found = []
    for probe in probes:
        query = Query(text=probe.text, time=probe.time, user=probe.user)
        parts = {}
        for window, mix in itertools.product(WINDOWS, MIXES):
            memory.window, memory.surroundings = window, mix
            parts[window, mix] = memory.parts(query)[1]
        found.append(Asked(parts, np.array([place[e] for e in probe.evidence])))
    return found


def recalls(probes: list[Asked], grid: list[dict[str, float]], cuts: tuple[int, ...]) -> np.ndarray:
    """Return the mean recall over the cuts, shape (probes, configurations)."""
    rows = []
    for probe in probes:
        found = np.zeros(len(grid))
        for key, parts in probe.parts.items():
            at = [i for i, g in enumerate(grid) if (g["window"], g["surroundings"]) == key]
            weights = np.array([_weights(grid[i]) for i in at])
            scores = (weights @ np.array(list(parts.values()))).round(6)
            found[at] = _recall(scores, probe.evidence, cuts)
        rows.append(found)
    return np.array(rows)


def _weights(config: dict[str, float]) -> list[float]:
    """Return the weights in the order of the parts: lexical first, then dense and the clues."""
    return [1.0, *(config[name] for name in list(GRID)[2:])]


def _recall(scores: np.ndarray, evidence: np.ndarray, cuts: tuple[int, ...]) -> np.ndarray:
    own = scores[:, evidence]
    columns = np.arange(scores.shape[1])
    ranks = np.stack(
        [
            (scores > own[:, [j]]).sum(1)
            + ((scores == own[:, [j]]) & (columns < evidence[j])).sum(1)
            for j in range(len(evidence))
        ],
        axis=1,
    )
    return np.mean([(ranks < (cut or len(evidence))).mean(1) for cut in cuts], axis=0)


def told(config: dict[str, float]) -> str:
    """Return a configuration as text."""
    return ", ".join(f"{name}={value:g}" for name, value in config.items())


def main() -> None:
    """Run the search and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in CUTS:
        parser.add_argument(name)
    parser.add_argument("--e5", action="store_true")
    given = parser.parse_args()
    grid = [dict(zip(GRID, values, strict=True)) for values in itertools.product(*GRID.values())]
    scores: dict[str, list[np.ndarray]] = {}
    for name, cuts in CUTS.items():
        chosen = E5() if given.e5 or name == "memdaily" else MiniLM()
        data = ml.load(name, path=getattr(given, name))
        scores[name] = [recalls(probes, grid, cuts) for probes in replay(data, chosen) if probes]
        print(name, sum(map(len, scores[name])), "probes", flush=True)
    report(grid, scores)


def report(grid: list[dict[str, float]], scores: dict[str, list[np.ndarray]]) -> None:
    """Print the choice, its transfer, and what each part adds."""
    means = {name: np.concatenate(found).mean(0) for name, found in scores.items()}
    macro = np.mean(list(means.values()), axis=0)
    order = np.argsort(-macro, kind="stable")
    print(f"\n{len(grid)} configurations; the ten best by macro-average, and on each data set")
    for i in order[:10]:
        print(
            f"{macro[i]:.4f}", {n: round(float(m[i]), 4) for n, m in means.items()}, told(grid[i])
        )
    print("\nleft out | chosen by the other two | its score there | best possible there")
    for left in means:
        others = np.mean([m for n, m in means.items() if n != left], axis=0)
        i = int(np.argmax(others))
        print(f"{left:9} | {told(grid[i])} | {means[left][i]:.4f} | {means[left].max():.4f}")
    found, picked = [], []
    for held, part in enumerate(scores["locomo"]):
        rest = np.concatenate([p for j, p in enumerate(scores["locomo"]) if j != held]).mean(0)
        picked.append(int(np.argmax(rest)))
        found.append(part[:, picked[-1]])
    print(f"\nLoCoMo, nine conversations choose for the tenth: {np.concatenate(found).mean():.4f}")
    for i in sorted(set(picked)):
        held = [number for number, one in enumerate(picked) if one == i]
        print(f"  for conversations {held}, counted from 0: {told(grid[i])}")
    ablate(grid, scores, int(order[0]))


def ablate(grid: list[dict[str, float]], scores: dict[str, list[np.ndarray]], best: int) -> None:
    """Print what each part adds to the choice, with an interval over conversations."""
    print("\npart left out of the choice: loss [95 %], conversations as clusters")
    for name in GRID:
        if name == "window":
            continue
        bare = grid.index({**grid[best], name: 0.0})
        cells = []
        for data, parts in scores.items():
            loss = np.concatenate([p[:, best] - p[:, bare] for p in parts])
            units = np.repeat(np.arange(len(parts)), [len(p) for p in parts])
            found = cluster_mean(loss, units)
            cells.append(f"{data} {found.mean:+.4f} [{found.low:+.4f}, {found.high:+.4f}]")
        print(f"{name:13}", " | ".join(cells))


if __name__ == "__main__":
    main()
