"""`memlab list` and `memlab show`: components, and the table of a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from memlab.commands.output import OK, Commands, code_of, command, out, print_json


def add(commands: Commands) -> None:
    """Add the commands."""
    listing = command(commands, "list", "list components")
    listing.add_argument("kind", choices=("strategies", "metrics", "datasets", "models"))
    listing.set_defaults(call=_list)

    show = command(commands, "show", "show the table of a run")
    show.add_argument("run", type=Path, help="a run folder, results/<name>-<hash8>")
    show.add_argument("--metrics", nargs="+", metavar="REPR", help='such as "Recall(k=10)"')
    show.add_argument("--by", nargs="+", default=[], metavar="FIELD", help="such as category")
    show.set_defaults(call=_show)


def _list(options: argparse.Namespace) -> int:
    from memlab.catalogue import catalogue

    rows = catalogue(options.kind)
    if options.json:
        print_json(rows)
    else:
        for row in rows:
            given = (f"{k}={v}" if v else k for k, v in row["parameters"].items())
            out(f"{row['name']}({', '.join(given)})\n    {row['about']}")
    return OK


def _show(options: argparse.Namespace) -> int:
    from memlab.plan import read_metrics
    from memlab.results import Results

    chosen = read_metrics(options.metrics) if options.metrics else None
    results = Results.load(options.run, metrics=chosen)
    for field in options.by:
        results.field(field)  # a wrong name is told before anything is printed
    if options.json:
        print_json(results.to_json(options.by or ("category",)))
    else:
        out(repr(results))
        for field in options.by:
            out(f"\n{results.text_by(field)}")
    return code_of(results)
