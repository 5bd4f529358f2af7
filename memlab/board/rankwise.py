"""Measures of the rankings of a run: F of each context, equality with another strategy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memlab.errors import ConfigError, suggest
from memlab.probewise import Key, OfRun, Scores
from memlab.rundata import RunData
from memlab.scoring import as_metric
from memlab.types import Record


def records(results: RunData, strategy: str, budget: int | None) -> list[Record]:
    """Return the records of a strategy at a budget."""
    return [results.records[i] for i in results.groups[strategy, budget]]


def key(record: Record) -> Key:
    """Return the probe of a record."""
    return Key(record.dataset, record.conversation, record.probe)


def scores(keys: Sequence[Key], values: Sequence[float]) -> Scores:
    """Return scores of probes, or of whatever else the keys name."""
    return Scores(tuple(keys), np.array(values, dtype=np.float64))


def f_beta(results: RunData, strategy: str, budget: int | None, beta: float = 1.0) -> Scores:
    """Return the F measure of each context; recall weighs `beta` times as much as precision.

    (1 + beta^2) P R / (beta^2 P + R), over the whole context; 0 without a hit. Van Rijsbergen,
    "Information Retrieval" (1979).
    """
    run = OfRun(results)
    recall = run.scores(as_metric("Recall()"), strategy, budget)
    precision = run.scores(as_metric("Precision(k=None)"), strategy, budget).values
    below = beta**2 * precision + recall.values
    both = (1 + beta**2) * precision * recall.values
    return Scores(recall.keys, both / np.where(below == 0, 1.0, below))


def same_ranking(results: RunData, strategy: str, budget: int | None, other: str = "") -> Scores:
    """Return 1 where a strategy ranks exactly as another one, else 0.

    Raises:
        ConfigError: `other` is no strategy of the run.
    """
    if (other, budget) not in results.groups:
        labels = {label for label, _ in results.groups}
        raise ConfigError(f"other={other!r}", "a strategy of the workload", suggest(other, labels))
    theirs = {key(record): record.ranked for record in records(results, other, budget)}
    ours = records(results, strategy, budget)
    return scores(
        [key(record) for record in ours],
        [float(record.ranked == theirs[key(record)]) for record in ours],
    )
