"""What every command writes with: text and JSON on stdout, remarks on stderr, exit codes."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memlab.rundata import RunData

OK, REGRESSION, USAGE, NOTHING, NO_BASELINE, INTERRUPTED = 0, 1, 2, 3, 4, 130

_SIGNS = {
    "±": "+-", "–": "-", "−": "-", "·": "|", "µ": "u", "…": "...", "≥": ">=", "≤": "<=",
    "→": "->", "×": "x", "≈": "~",
}  # fmt: skip

Commands = Any
"""What argparse's `add_subparsers` returns; its class has no public name."""


def spelt_plainly(error: UnicodeError) -> tuple[str, int]:
    r"""Spell what a terminal's encoding lacks: signs in ASCII, letters as escapes.

    It is an error handler of `codecs`, so that a table neither fails nor loses a name there.

    >>> spelt_plainly(UnicodeEncodeError("ascii", "0.5 ±茶", 4, 6, "not ASCII"))
    ('+-\\u8336', 6)
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    plain = (_SIGNS.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking)
    return "".join(plain), error.end


def out(text: str) -> None:
    """Write a text and a line feed to stdout."""
    sys.stdout.write(f"{text}\n")


def err(text: str) -> None:
    """Write a text and a line feed to stderr."""
    sys.stderr.write(f"{text}\n")


def print_json(data: Any) -> None:  # noqa: ANN401
    """Write JSON to stdout; letters that its encoding lacks are escaped."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    out(json.dumps(data, ensure_ascii=not unicode, indent=1, allow_nan=False))


def code_of(results: RunData) -> int:
    """Return the exit code of a command on a run: another one where nothing was measured.

    That is where every read failed, or no probe has what any of its metrics asks about, which is
    then told.
    """
    from memlab.tables import estimate

    if results.rankings.failed.all():
        if not results.records:
            err("memlab: nothing was measured: the data hold no probe")
        return NOTHING
    each = ((metric, at) for metric in results.metrics for at in results.groups.values())
    if results.metrics and not any(estimate(results, metric, at).n for metric, at in each):
        err("memlab: nothing was measured: no probe has what the metrics ask about, as evidence")
        return NOTHING
    return OK


def command(commands: Commands, name: str, about: str) -> argparse.ArgumentParser:
    """Add a command that can print JSON."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=f"{about[0].upper()}{about[1:]}.", allow_abbrev=False
    )
    parser.add_argument("--json", action="store_true", help="print JSON on stdout")
    return parser
