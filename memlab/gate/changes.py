"""What is no matter of degree: what vanished from a run, what failed anew, what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from memlab.gate.snapshot import Column, Read, Snapshot
from memlab.gate.times import REFERENCE


class Lost(NamedTuple):
    """Something of the baseline that the run does not have, or a strategy's new fault."""

    kind: str
    strategy: str
    budget: int | None
    text: str


def vanished(run: Snapshot, baseline: Snapshot) -> list[Lost]:
    """Return the strategies, budgets, metrics and values that are only in the baseline."""
    return [*_groups(run, baseline), *_metrics(run, baseline), *_values(run, baseline)]


def _groups(run: Snapshot, baseline: Snapshot) -> Iterator[Lost]:
    labels = {strategy for strategy, _ in run.groups}
    gone = dict.fromkeys(s for s, _ in baseline.groups if s not in labels)
    for strategy in gone:
        yield Lost("strategy", strategy, None, "this strategy is not in the run")
    for strategy, budget in baseline.groups:
        if strategy not in gone and (strategy, budget) not in run.groups:
            yield Lost("budget", strategy, budget, "this budget is not in the run")


def _metrics(run: Snapshot, baseline: Snapshot) -> Iterator[Lost]:
    for metric in baseline.metrics:
        if metric not in run.metrics:
            yield Lost("metric", "", None, f"{metric} is not in the run")


def _values(run: Snapshot, baseline: Snapshot) -> Iterator[Lost]:
    """Yield what was measured and is measurable no more; failed reads are told elsewhere."""
    for column, before in baseline.values.items():
        if column in run.values:
            gone = ~np.isnan(before) & np.isnan(run.values[column]) & ~failures(run, column)
            if gone.any():
                text = f"{column.metric} has no value on {gone.sum()} of {len(gone)} probes now"
                yield Lost("value", column.strategy, column.budget, text)


def untimed(run: Snapshot, baseline: Snapshot) -> list[Lost]:
    """Return the strategies that were timed in the baseline and are not in the run."""
    timed = Counter(label for (label, _), times in run.times.items() if REFERENCE in times)
    labels = {strategy for strategy, _ in run.groups}
    before = dict.fromkeys(s for (s, _), times in baseline.times.items() if REFERENCE in times)
    return [
        Lost("time", label, None, "its times have no reference in the run")
        for label in before
        if label in labels and not timed[label]
    ]


def failures(snapshot: Snapshot, column: Column) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return where (n,) the reads of a column failed."""
    strategy, budget, _ = column
    reads = (Read(strategy, budget, p.conversation, p.probe) for p in snapshot.probes)
    return np.array([read in snapshot.failed for read in reads], dtype=np.bool_)


def newly_failed(run: Snapshot, baseline: Snapshot) -> list[Lost]:
    """Return, for what the baseline has, the reads and units that fail now and did not before."""
    found: dict[tuple[str, int | None, str], int] = {}
    for read, error in run.failed.items():
        known = (read.strategy, read.budget) in baseline.groups
        if known and read not in baseline.failed:
            key = (read.strategy, read.budget, error)
            found[key] = found.get(key, 0) + 1
    lost = [
        Lost("failure", strategy, budget, f"{n} reads fail that did not: {error}")
        for (strategy, budget, error), n in found.items()
    ]
    told = {(one.strategy, one.text.partition(": ")[2]) for one in lost}
    labels = {strategy for strategy, _ in baseline.groups}
    broken = Counter(
        (label, error)
        for (label, talk), error in run.broken.items()
        if label in labels and (label, talk) not in baseline.broken and (label, error) not in told
    )
    return lost + [
        Lost("failure", label, None, f"it breaks on {n} conversations, and did not: {error}")
        for (label, error), n in broken.items()
    ]


def added(run: Snapshot, baseline: Snapshot) -> list[str]:
    """Return what the run has and the baseline has not: it is not checked."""
    labels = {strategy for strategy, _ in baseline.groups}
    found = [f"strategy {s}" for s in dict.fromkeys(s for s, _ in run.groups) if s not in labels]
    found += [
        f"budget {'none' if budget is None else budget} of {strategy}"
        for strategy, budget in run.groups
        if strategy in labels and (strategy, budget) not in baseline.groups
    ]
    return found + [f"metric {m}" for m in run.metrics if m not in baseline.metrics]


def notes(run: Snapshot, baseline: Snapshot) -> Iterator[str]:
    """Yield what a reader should know of the two runs."""
    before, now = (side.about.get("strategies", {}) for side in (baseline, run))
    for label, spelt in now.items():
        if label in before and before[label] != spelt:
            yield f"{label} was {before[label]}, is {spelt}"
    for key in ("seed", "models"):
        values = [side.about.get("resolved", {}).get(key) for side in (baseline, run)]
        if values[0] != values[1]:
            yield f"{key}: {values[0]} in the baseline, {values[1]} in the run"
    if blunt := [m for m in run.metrics if "higher_is_better" not in run.about["definitions"][m]]:
        yield f"no direction stated, so more is taken for better: {', '.join(blunt)}"
    mended = sum(read not in run.failed for read in baseline.failed if read[:2] in run.groups)
    if baseline.failed:
        yield f"{len(baseline.failed)} reads failed in the baseline, {mended} of them no more"
    if added_ones := added(run, baseline):
        yield f"not in the baseline, so not checked: {', '.join(added_ones)}"
