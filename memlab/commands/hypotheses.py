"""`memlab hypotheses`: the board of claims, as measured before or measured now."""

from __future__ import annotations

import argparse
from pathlib import Path

from memlab.commands.output import NOTHING, OK, Commands, command, out, print_json


def add(commands: Commands) -> None:
    """Add the command."""
    board = command(commands, "hypotheses", "show, or measure, what is claimed of memories")
    board.add_argument("ids", nargs="*", metavar="Hnn", help="claims (default: all, a line each)")
    board.add_argument("--run", action="store_true", help="measure; finished runs are only read")
    board.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    board.add_argument("--markdown", action="store_true", help="print the page of the docs")
    board.add_argument(
        "--files",
        type=Path,
        metavar="DIR",
        help="folder of the claims (default: experiments/hypotheses of the repository)",
    )
    board.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of hypotheses.json and the runs (default: results/ of the repository)",
    )
    board.set_defaults(call=_board)


def _board(options: argparse.Namespace) -> int:
    from memlab.board.board import hypotheses
    from memlab.board.shown import full

    board = hypotheses(
        *options.ids, run=options.run, files=options.files, out=options.out, jobs=options.jobs
    )
    if options.json:
        print_json(board.to_json())
    elif options.markdown:
        out(board.to_markdown().rstrip("\n"))
    elif options.ids:
        out("\n\n".join(full(line) for line in board))
    else:
        out(repr(board))
    return NOTHING if options.run and not any(line.renewed for line in board) else OK
