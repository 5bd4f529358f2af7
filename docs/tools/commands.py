"""The command line, from its parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from components import table

from memlab.cli import _parser
from memlab.commands import output

CODES = {
    "OK": "done; failed reads are counted in the output",
    "REGRESSION": "a regression was found, or a metric, strategy or budget vanished",
    "USAGE": "bad usage, config or data, or runs that cannot be compared; nothing half-written",
    "NOTHING": "nothing was measured, or every unit failed",
    "NO_BASELINE": "there is no baseline",
    "INTERRUPTED": "interrupted; finished units are kept, the same command goes on",
}


def commands() -> str:
    """Return every command with its arguments."""
    return "\n\n".join(t for parser in _commands(_parser()) for t in _section(parser) if t)


def codes() -> str:
    """Return the table of the exit codes, in the order of their numbers.

    Raises:
        KeyError: an exit code without a meaning here.
    """
    found = {v: k for k, v in vars(output).items() if k.isupper() and type(v) is int}
    rows = ((f"`{code}`", CODES[name]) for code, name in sorted(found.items()))
    return table(("code", "meaning"), rows)


def _commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parsers that do something, in the order of the help."""
    inner = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not inner:
        yield parser
    for action in inner:
        for sub in action.choices.values():
            yield from _commands(sub)


def _section(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"## {parser.prog}"
    yield parser.description or ""
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    yield f"```text\n{usage}\n```"
    rows = [(f"`{_name(a)}`", _meaning(a)) for a in parser._actions if a.dest != "help"]
    if rows:
        yield table(("argument", "meaning"), rows)


def _name(action: argparse.Action) -> str:
    wanted = action.metavar or ("" if action.option_strings else action.dest)
    wanted = " ".join(wanted) if isinstance(wanted, tuple) else wanted
    if action.option_strings and not wanted and action.nargs != 0:
        wanted = action.dest.upper()
    return " ".join(filter(None, (", ".join(action.option_strings), wanted)))


def _meaning(action: argparse.Action) -> str:
    given = vars(action) | {"prog": "memlab"}
    told = (action.help or "") % given
    listed = "one of " + ", ".join(f"`{c}`" for c in action.choices) if action.choices else ""
    return "; ".join(filter(None, (told.replace("<", "&lt;"), listed)))
