"""The command line: thin, machine-readable with --json, progress on stderr."""

from __future__ import annotations

import argparse
import codecs
import io
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from memlab.commands.benching import add as benching
from memlab.commands.bundling import add as bundling
from memlab.commands.checking import add as checking
from memlab.commands.comparing import add as comparing
from memlab.commands.data import add as data
from memlab.commands.hypotheses import add as hypotheses
from memlab.commands.output import INTERRUPTED, OK, USAGE, err, spelt_plainly
from memlab.commands.reporting import add as reporting
from memlab.commands.running import add as running
from memlab.commands.showing import add as showing
from memlab.errors import MemlabError

_COMMANDS = (running, showing, comparing, checking, benching, reporting, hypotheses, bundling, data)
"""In the order of the help."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    0: done (failed units are counted in the output); 1: a regression; 2: bad usage, config or
    data, or runs that cannot be compared; 3: nothing was measured, or every unit failed;
    4: no baseline; 130: interrupted.
    """
    codecs.register_error("memlab", spelt_plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="memlab")
    options = _parser().parse_args(arguments)
    sys.path.append(str(Path.cwd()))  # your own classes are found, and shadow no package
    try:
        code: int = options.call(options)
    except MemlabError as error:
        err(f"memlab: {error}")
        return USAGE
    except KeyboardInterrupt as stop:
        kept = "; ".join(getattr(stop, "__notes__", []))
        err(f"memlab: interrupted; {kept or 'nothing was kept'}; run again")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return OK
    except Exception:  # noqa: BLE001 - exit code 1 means "regression found", never a crash
        traceback.print_exc()
        err("memlab: this should not have happened; please report it")
        return USAGE
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="memlab",
        description="Compare memory strategies of conversational agents.",
        epilog="Exit codes: 0 done, 1 regression found, 2 bad usage, config or data, or runs that "
        "cannot be compared, 3 nothing was measured, 4 baseline missing, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in _COMMANDS:
        add(commands)
    return parser


def _version() -> str:
    from importlib.metadata import version

    return f"memlab {version('memlab')}"
