"""`memlab check`: the regression gate."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memlab.commands.output import (
    NO_BASELINE,
    NOTHING,
    OK,
    REGRESSION,
    Commands,
    command,
    err,
    out,
    print_json,
)
from memlab.drafts import drafted
from memlab.errors import ConfigError

if TYPE_CHECKING:
    from memlab.gate.outcome import Check
    from memlab.rundata import RunData

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The environment variable that names the summary of a CI job's step."""


def add(commands: Commands) -> None:
    """Add the command."""
    check = command(commands, "check", "check a run against a baseline")
    check.add_argument("run", type=Path, help="a run folder, results/<name>-<hash8>")
    check.add_argument(
        "--against", type=Path, required=True, metavar="BASE", help="a baseline, or a run folder"
    )
    check.add_argument("--save", action="store_true", help="make RUN the baseline, check nothing")
    check.add_argument(
        "--max-drop",
        nargs="+",
        default=[],
        metavar="X",
        help='least drop that counts: 0.01 (default), or by metric, as "MRR()=0.02"; 0: any',
    )
    check.add_argument("--metrics", nargs="+", metavar="REPR", help="default: the run's")
    check.add_argument("--alpha", type=float, metavar="P", help="family-wise errors (0.01)")
    check.add_argument(
        "--latency-ratio", type=float, metavar="R", help="slowdown that counts (1.5; elsewhere 2.5)"
    )
    left_out = check.add_mutually_exclusive_group()
    left_out.add_argument("--no-latency", action="store_true", help="leave times out")
    left_out.add_argument("--no-quality", action="store_true", help="check times alone")
    check.add_argument("--junit", type=Path, metavar="FILE", help="also write JUnit XML")
    check.set_defaults(call=_check)


def _check(options: argparse.Namespace) -> int:
    from memlab.gate.check import ALPHA, check
    from memlab.gate.files import BaselineMissing
    from memlab.plan import read_metrics
    from memlab.results import Results

    drop = max_drop(options.max_drop)
    chosen = read_metrics(options.metrics) if options.metrics else None
    results = Results.load(options.run, metrics=chosen)
    if options.save:
        return _save(results, options)
    try:
        found = check(
            results,
            options.against,
            max_drop=drop,
            metrics=chosen,
            alpha=ALPHA if options.alpha is None else options.alpha,
            quality=not options.no_quality,
            latency=not options.no_latency,
            latency_ratio=options.latency_ratio,
        )
    except BaselineMissing as missing:
        err(f"memlab: {missing}")
        return NO_BASELINE
    return _told(found, options)


def max_drop(given: Sequence[str]) -> dict[str, float]:
    """Read limits: a number for all metrics, under "", and `METRIC=X` for some.

    Raises:
        ConfigError: neither.

    >>> max_drop(["0.02", "Recall(k=5)=0.05"])
    {'': 0.02, 'Recall(k=5)': 0.05}
    """
    found: dict[str, float] = {}
    for text in given:
        metric, _, number = text.rpartition("=")
        try:
            found[metric] = float(number)
        except ValueError:
            raise ConfigError(
                f"--max-drop {text}", 'a number, or a metric and a number, as "MRR()=0.02"'
            ) from None
    return found


def _save(results: RunData, options: argparse.Namespace) -> int:
    from memlab.gate.files import save
    from memlab.gate.snapshot import Snapshot

    snapshot = Snapshot.of(results)
    if len(snapshot.failed) >= snapshot.reads():
        err("memlab: nothing was measured, so this run makes no baseline")
        return NOTHING
    written = save(snapshot, options.against)
    if options.json:
        print_json({"baseline": str(options.against), "run": snapshot.name, "bytes": written})
    else:
        sizes = ", ".join(f"{name} {size:,} bytes" for name, size in written.items())
        out(f"{snapshot.name} is the baseline in {options.against}: {sizes}")
    if snapshot.failed:
        err(f"memlab: {len(snapshot.failed)} reads of this run failed, and may fail again")
    return OK


def _append(file: Path, text: str) -> None:
    try:
        with file.open("a", encoding="utf-8") as summary:
            summary.write(text)
    except OSError as error:
        told = f"{file}, which {SUMMARY} names, cannot be written: {error.strerror}"
        raise ConfigError(told, "a file in a folder to write in") from error


def _told(found: Check, options: argparse.Namespace) -> int:
    """Print what was found, write what was asked for, and return the exit code."""
    if options.junit is not None:
        with drafted(options.junit) as draft:
            draft.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(found.to_junit(), encoding="utf-8")
    if summary := os.environ.get(SUMMARY):
        _append(Path(summary), found.to_markdown())
    if options.json:
        print_json(found.to_json())
    else:
        out(repr(found))
    if not found.measured:
        return NOTHING
    return OK if found.ok else REGRESSION
