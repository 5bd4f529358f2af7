"""`memlab run`: an experiment file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memlab.commands.output import Commands, code_of, command, err, out, print_json


def add(commands: Commands) -> None:
    """Add the command."""
    run = command(commands, "run", "run an experiment file")
    run.add_argument("config", type=Path, help="a TOML file: evaluate's parameters are its keys")
    run.add_argument(
        "--out",
        type=Path,
        help="folder for <name>-<hash8>/ (default: results/ at the root of the file's repository)",
    )
    run.add_argument("--jobs", type=int, help="processes (default: the file's, else 1)")
    run.add_argument(
        "--fresh",
        action="store_true",
        help="start again; a finished run stays until the new one is",
    )
    run.set_defaults(call=_run)


def _run(options: argparse.Namespace) -> int:
    from memlab.config import read_config
    from memlab.runner import evaluate

    sys.path.insert(0, str(options.config.resolve().parent))
    config = read_config(options.config)
    if options.out is not None:
        config["out"] = options.out
    if options.jobs is not None:
        config["jobs"] = options.jobs
    if options.fresh:
        config["resume"] = False
    results = evaluate(
        config.pop("strategies"), config.pop("dataset"), config.pop("metrics"), **config
    )
    if options.json:
        print_json(results.to_json())
    else:
        out(f"{results!r}\n\nsaved in {results.path}")
    if done := results.before:
        err(f"memlab: {done} (--fresh runs all again)")
    for fault in _faults(results.records):
        err(f"memlab: {fault}")
    return code_of(results)


def _faults(records: Sequence[Any]) -> list[str]:
    """Return one line for each distinct error of a strategy."""
    seen: dict[tuple[str, str], int] = {}
    for record in records:
        if record.error is not None:
            key = (record.strategy, record.error)
            seen[key] = seen.get(key, 0) + 1
    return [f"{label} failed on {n} reads: {error}" for (label, error), n in seen.items()]
