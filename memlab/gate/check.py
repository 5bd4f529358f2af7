"""Check a run against a baseline: what got worse, by more than chance and by enough to matter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memlab.checking import check_flag, check_number
from memlab.comparability import differing, short
from memlab.errors import ConfigError, RunError, suggest
from memlab.gate.changes import Lost, newly_failed, notes, untimed, vanished
from memlab.gate.contrast import BLIND, REGRESSION, Contrast, Measured, judged
from memlab.gate.files import load
from memlab.gate.latency import SLOWER, SLOWER_ELSEWHERE, slowdowns
from memlab.gate.outcome import Check
from memlab.gate.quality import MAX_DROP, NEVER, drops
from memlab.gate.snapshot import Snapshot
from memlab.gate.times import REFERENCE
from memlab.inference.clusters import check_between
from memlab.protocols import Metric
from memlab.rundata import RunData

ALPHA = 0.01
"""The chance that an unchanged run is called a regression, over the whole gate."""


def check(
    results: RunData,
    baseline: RunData | Snapshot | str | Path,
    *,
    max_drop: float | Mapping[str, float] = MAX_DROP,
    metrics: Sequence[Metric | str] | None = None,
    alpha: float = ALPHA,
    quality: bool = True,
    latency: bool = True,
    latency_ratio: float | None = None,
) -> Check:
    """Say whether a run is worse than a baseline.

    Quality, for each strategy, budget and metric: the mean of the paired differences by probe is
    a regression if it is worse by at least `max_drop` and the one-sided sign flip test by
    conversation says so after Holm. A limit of 0 allows no probe to get worse and needs no test;
    `Leak()` and `Residue()` have it by default.

    Time: writes, reads, flushes and upkeep as ratios to the reference that each run measured.
    It is a regression if the median conversation got slower by more than `latency_ratio`,
    tested by signs and in the same family. Encoding is not part of it.

    Besides: reads that fail and did not, and whatever the baseline has and the run has not.

    Args:
        results: the run.
        baseline: another run, or the folder of a baseline or of a run.
        max_drop: the smallest change for the worse that counts; or a table by metric, in which
            "" stands for all others.
        metrics: those to compare, by default those each side names.
        alpha: family-wise error rate of the whole gate.
        quality: False leaves metrics and failures out, as after a change that is meant.
        latency: False leaves times out.
        latency_ratio: by default 1.5, and 2.5 where the machines or Pythons differ.

    Raises:
        BaselineMissing: there is none in the folder.
        ConfigError: a limit or an error rate that cannot work, or a metric nobody knows.
        RunError: the runs cannot be compared: data, labels, tokenizer or definitions differ.

    >>> from memlab.runner import evaluate
    >>> run = evaluate({"bm25": "BM25()"}, "quickstart", ["MRR()"], budget=200)
    >>> check(run, run, latency=False).ok
    True
    """
    _check_settings(alpha, latency_ratio, quality=quality, latency=latency)
    now, before = Snapshot.of(results, metrics), _snapshot(baseline, metrics)
    _comparable(now, before)
    measured: list[Measured] = []
    lost: list[Lost] = []
    told = [*notes(now, before), *_left_out(quality=quality, latency=latency)]
    if quality:
        measured += drops(now, before, _limits(max_drop, before))
        lost += [*vanished(now, before), *newly_failed(now, before)]
    if latency:
        measured += _slower(now, before, latency_ratio, told)
        lost += untimed(now, before)
    contrasts = judged(measured, alpha)
    if not lost and not any(one.verdict == REGRESSION for one in contrasts):
        _can_see(contrasts, alpha)
    return Check(now.name, before.name, contrasts, lost, told, alpha, now.reads(), len(now.failed))


def _slower(
    now: Snapshot, before: Snapshot, latency_ratio: float | None, told: list[str]
) -> list[Measured]:
    """Return the comparisons of times; what must be known of them is added to `told`."""
    elsewhere = _elsewhere(now, before)
    ratio = latency_ratio or (SLOWER_ELSEWHERE if elsewhere else SLOWER)
    told += _about_times(now, before, elsewhere)
    return slowdowns(now, before, ratio)


def _left_out(*, quality: bool, latency: bool) -> list[str]:
    parts = {"quality": quality, "times": latency}
    return [f"left out: {part}" for part, taken in parts.items() if not taken]


def _check_settings(
    alpha: float, latency_ratio: float | None, *, quality: bool, latency: bool
) -> None:
    check_between("alpha", alpha, 0, 0.5, "0.01")
    check_flag("quality", quality)
    check_flag("latency", latency)
    if not (quality or latency):
        raise ConfigError("quality=False and latency=False", "something to check")
    if latency_ratio is not None:
        check_number("latency_ratio", latency_ratio, 1.0)


def _can_see(contrasts: Sequence[Contrast], alpha: float) -> None:
    """Refuse a check of quality that could not fail."""
    tested = [one for one in contrasts if one.part == "quality" and one.limit]
    if tested and all(one.verdict == BLIND for one in tested):
        tests = sum(one.limit > 0 for one in contrasts)
        needed = math.ceil(math.log2(tests / alpha))
        raise RunError(
            f"{tested[0].clusters} conversations and {tests} contrasts: no regression could "
            f"reach an error rate of {alpha:g}",
            f"at least {needed} conversations",
            "check fewer metrics or strategies, or raise alpha",
        )


def _snapshot(
    given: RunData | Snapshot | str | Path, metrics: Sequence[Metric | str] | None
) -> Snapshot:
    if isinstance(given, RunData):
        return Snapshot.of(given, metrics)
    if isinstance(given, Snapshot):
        return given if metrics is None else given.only(metrics)
    return load(given, metrics)


def _comparable(run: Snapshot, baseline: Snapshot) -> None:
    found: dict[str, Any] = differing(baseline.about, run.about)
    if {b for _, b in run.groups} & {b for _, b in baseline.groups}:
        found.pop("budget", None)  # those that vanished are told by name
    if not found and list(run.probes) != list(baseline.probes):
        found["probes"] = (len(baseline.probes), len(run.probes))
    if found:
        told = "; ".join(f"{key}: {short(a)}, now {short(b)}" for key, (a, b) in found.items())
        raise RunError(
            f"{run.name} cannot be compared with the baseline {baseline.name}; they differ in "
            f"{told}",
            "the same data, labels, tokenizer, evidence rule, definitions, and a shared budget",
            "if this change is meant, make a new baseline: memlab check RUN --against BASE --save",
        )


def _limits(max_drop: float | Mapping[str, float], baseline: Snapshot) -> dict[str, float]:
    """Return the minimum effect of each metric."""
    given = dict(max_drop) if isinstance(max_drop, Mapping) else {"": max_drop}
    for metric, limit in given.items():
        if metric and metric not in baseline.metrics:
            hint = suggest(metric, baseline.metrics)
            raise ConfigError(f"max_drop for {metric!r}, which the baseline has not", "", hint)
        check_number(f"max_drop of {metric}" if metric else "max_drop", limit)
    general = given.get("", MAX_DROP)
    return {m: given.get(m, NEVER.get(m, general)) for m in baseline.metrics}


def _elsewhere(run: Snapshot, baseline: Snapshot) -> list[str]:
    """Return what times depend on and differs: processor, its number, Python, numpy."""

    def kind(side: Snapshot) -> dict[str, Any]:
        machine, packages = side.about.get("machine", {}), side.about.get("packages", {})
        named = {key: machine.get(key) for key in ("cpu", "processor", "cpus")}
        python = ".".join(str(side.about.get("python", "")).split(".")[:2])
        return named | {"Python": python, "numpy": packages.get("numpy")}

    now, before = kind(run), kind(baseline)
    return [f"{key} {before[key]}, now {now[key]}" for key in now if now[key] != before[key]]


def _about_times(run: Snapshot, baseline: Snapshot, elsewhere: Sequence[str]) -> list[str]:
    """Return how far the times of two runs can be compared."""
    import statistics

    found = []
    for side, name in ((baseline, "the baseline"), (run, "the run")):
        known = [times[REFERENCE] for times in side.times.values() if REFERENCE in times]
        if not known:
            found.append(f"{name} has no reference: times are not compared")
            continue
        found.append(f"reference in {name}: {statistics.median(known) / 1e6:.3f} ms")
        if (jobs := side.about.get("jobs", 1)) > 1:
            found.append(f"{name} was measured with {jobs} units side by side")
        if resumed := side.about.get("units", {}).get("resumed"):
            found.append(f"{resumed} units of {name} were measured before it was interrupted")
    if elsewhere:
        found.append(f"another machine, so a wider limit on times: {'; '.join(elsewhere)}")
    return found
