"""`memlab report`: a run as one file to send to a colleague."""

from __future__ import annotations

import argparse
from pathlib import Path

from memlab.commands.output import Commands, code_of, command, err, out, print_json


def add(commands: Commands) -> None:
    """Add the command."""
    made = command(commands, "report", "write the report of a run")
    made.add_argument("run", type=Path, help="a run folder, results/<name>-<hash8>")
    made.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help=".html (one page, no network), .md or .tex (tables)",
    )
    made.add_argument("--baseline", metavar="NAME", help="compare the others with this strategy")
    made.add_argument("--metrics", nargs="+", metavar="REPR", help="instead of the run's own")
    made.add_argument(
        "--by", nargs="+", default=["category"], metavar="FIELD", help="tables by these fields"
    )
    made.add_argument(
        "--failures",
        type=int,
        metavar="N",
        help="show at most so many (default: 2000); 0 leaves every dialogue out",
    )
    made.add_argument("--title", default="", help="instead of the name of the run")
    made.set_defaults(call=_report)


def _report(options: argparse.Namespace) -> int:
    from memlab.plan import read_metrics
    from memlab.reporting.write import FAILURES, report
    from memlab.results import Results

    chosen = read_metrics(options.metrics) if options.metrics else None
    results = Results.load(options.run, metrics=chosen)
    most = FAILURES if options.failures is None else options.failures
    made = report(
        results,
        options.output,
        options.baseline,
        by=options.by,
        failures=most,
        title=options.title,
    )
    if options.json:
        print_json(made.to_json())
    else:
        out(str(made.path))
        err(f"memlab: {made}")
    return code_of(results)
