"""`memlab data …`: check, fetch, make and list data sets."""

from __future__ import annotations

import argparse
from pathlib import Path

from memlab.commands.output import (
    INTERRUPTED,
    OK,
    USAGE,
    Commands,
    command,
    err,
    out,
    print_json,
)

_SHOWN = 50


def add(commands: Commands) -> None:
    """Add the commands."""
    data = commands.add_parser("data", help="work on data sets", allow_abbrev=False)
    tasks = data.add_subparsers(required=True, metavar="TASK")
    check = command(tasks, "check", "report all faults of a file")
    check.add_argument("file", type=Path, help="JSON lines, as datasets/README.md describes")
    check.set_defaults(call=_check)
    fetch = command(tasks, "fetch", "download a data set, on consent")
    fetch.add_argument("name")
    fetch.add_argument("--parts", nargs="+", default=[], metavar="PART", help="see: data list")
    fetch.add_argument("--to", type=Path, metavar="DIR", help="folder (default: the user's cache)")
    fetch.add_argument("--yes", action="store_true", help="agree to the licence, do not ask")
    fetch.set_defaults(call=_fetch)
    make = command(tasks, "make", "write synthetic dialogues")
    make.add_argument("spec", type=Path, help="a TOML file of dials, or a profile: chat, assistant")
    make.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.jsonl")
    make.add_argument("--ledger", type=Path, metavar="FILE.jsonl", help="also write the ledger")
    make.set_defaults(call=_make)
    listed = command(tasks, "list", "list what can be fetched")
    listed.set_defaults(call=_list)


def _check(options: argparse.Namespace) -> int:
    from memlab.datasets.jsonl import examine

    faults, lacking = examine(options.file)
    if options.json:
        print_json([fault._asdict() for fault in faults])
    else:
        for fault in faults[:_SHOWN]:
            out(f"{options.file}:{fault.line}: {fault.field}: {fault.message}")
        if len(faults) > _SHOWN:
            out(f"… and {len(faults) - _SHOWN} more (--json prints all)")
        err(f"{len(faults)} fault(s) in {options.file}")
    if lacking:
        err(f"memlab: {options.file}: {lacking}")
    return USAGE if faults else OK


def _fetch(options: argparse.Namespace) -> int:
    from memlab.fetching.fetch import fetch

    try:
        fetched = fetch(options.name, options.to, parts=options.parts, yes=options.yes)
    except KeyboardInterrupt:
        err("\nmemlab: interrupted; the same command goes on from here")
        return INTERRUPTED
    if options.json:
        print_json(fetched.to_json())
    else:
        out(fetched.text())
    return OK


def _make(options: argparse.Namespace) -> int:
    from memlab.datasets.synthetic import make

    made = make(options.spec, options.output, options.ledger)
    if options.json:
        print_json(made)
    else:
        out("\n".join(f"{name}: {value}" for name, value in made.items()))
    return OK


def _list(options: argparse.Namespace) -> int:
    from memlab.fetching.fetchable import fetchable, fetchable_text

    if options.json:
        print_json(fetchable())
    else:
        out(fetchable_text())
    return OK
