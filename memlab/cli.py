"""The command line: thin, machine-readable with --json, progress on stderr."""

from __future__ import annotations

import argparse
import io
import json
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memlab.errors import MemlabError

OK, USAGE, NOTHING, INTERRUPTED = 0, 2, 3, 130

_SHOWN = 50


def _out(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _err(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    0: done (failed units are counted in the output); 2: bad usage, config or data;
    3: nothing was measured, or every unit failed.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a table must not fail on an ASCII terminal
    options = _parser().parse_args(arguments)
    sys.path.insert(0, str(Path.cwd()))  # as `python -m memlab` does: your own classes are found
    try:
        code: int = options.call(options)
    except MemlabError as error:
        _err(f"memlab: {error}")
        return USAGE
    except KeyboardInterrupt as stop:
        kept = "; ".join(getattr(stop, "__notes__", []))
        _err(f"memlab: interrupted; {kept or 'nothing was kept'}; run again")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return OK
    except Exception:  # noqa: BLE001 - exit code 1 means "regression found", never a crash
        traceback.print_exc()
        _err("memlab: this should not have happened; please report it")
        return USAGE
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="memlab",
        description="Compare memory strategies of conversational agents.",
        epilog="Exit codes: 0 done, 2 bad usage, config or data, 3 nothing was measured.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run an experiment file", allow_abbrev=False)
    run.add_argument("config", type=Path, help="a TOML file: evaluate's parameters are its keys")
    run.add_argument(
        "--out",
        type=Path,
        help="folder for <name>-<hash8>/ (default: results/ at the root of the file's repository)",
    )
    run.add_argument("--jobs", type=int, help="processes (default: the file's, else 1)")
    run.add_argument("--fresh", action="store_true", help="do not resume; start again")
    run.set_defaults(call=_run)

    listing = commands.add_parser("list", help="list components", allow_abbrev=False)
    listing.add_argument("kind", choices=("strategies", "metrics", "datasets", "models"))
    listing.set_defaults(call=_list)

    show = commands.add_parser("show", help="show the table of a run", allow_abbrev=False)
    show.add_argument("run", type=Path, help="a run folder, results/<name>-<hash8>")
    show.add_argument("--metrics", nargs="+", metavar="REPR", help='such as "Recall(k=10)"')
    show.add_argument("--by", nargs="+", default=[], metavar="FIELD", help="such as category")
    show.set_defaults(call=_show)

    for command in (run, listing, show, *_data_parsers(commands)):
        command.add_argument("--json", action="store_true", help="print JSON on stdout")
    return parser


def _data_parsers(commands: Any) -> list[argparse.ArgumentParser]:  # noqa: ANN401
    data = commands.add_parser("data", help="work on data sets", allow_abbrev=False)
    tasks = data.add_subparsers(required=True, metavar="TASK")
    check = tasks.add_parser("check", help="report all faults of a file", allow_abbrev=False)
    check.add_argument("file", type=Path, help="JSON lines, as datasets/README.md describes")
    check.set_defaults(call=_data_check)
    fetch = tasks.add_parser("fetch", help="download a data set, on consent", allow_abbrev=False)
    fetch.add_argument("name")
    fetch.add_argument("--parts", nargs="+", default=[], metavar="PART", help="see: data list")
    fetch.add_argument("--to", type=Path, metavar="DIR", help="folder (default: the user's cache)")
    fetch.add_argument("--yes", action="store_true", help="agree to the licence, do not ask")
    fetch.set_defaults(call=_data_fetch)
    make = tasks.add_parser("make", help="write synthetic dialogues", allow_abbrev=False)
    make.add_argument("spec", type=Path, help="a TOML file of dials, or a profile: chat, assistant")
    make.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.jsonl")
    make.add_argument("--ledger", type=Path, metavar="FILE.jsonl", help="also write the ledger")
    make.set_defaults(call=_data_make)
    listed = tasks.add_parser("list", help="list what can be fetched", allow_abbrev=False)
    listed.set_defaults(call=_data_list)
    return [check, fetch, make, listed]


def _version() -> str:
    from importlib.metadata import version

    return f"memlab {version('memlab')}"


def _print(data: Any) -> None:  # noqa: ANN401
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    _out(json.dumps(data, ensure_ascii=not unicode, indent=1, allow_nan=False))


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
        _print(results.to_json())
    else:
        _out(f"{results!r}\n\nsaved in {results.path}")
    if done := results.before:
        _err(f"memlab: {done} (--fresh runs all again)")
    for fault in _faults(results.records):
        _err(f"memlab: {fault}")
    nothing = not results.records or all(r.error is not None for r in results.records)
    return NOTHING if nothing else OK


def _faults(records: Sequence[Any]) -> list[str]:
    """Return one line for each distinct error of a strategy."""
    seen: dict[tuple[str, str], int] = {}
    for record in records:
        if record.error is not None:
            key = (record.strategy, record.error)
            seen[key] = seen.get(key, 0) + 1
    return [f"{label} failed on {n} reads: {error}" for (label, error), n in seen.items()]


def _list(options: argparse.Namespace) -> int:
    from memlab.catalogue import catalogue

    rows = catalogue(options.kind)
    if options.json:
        _print(rows)
    else:
        for row in rows:
            given = (f"{k}={v}" if v else k for k, v in row["parameters"].items())
            _out(f"{row['name']}({', '.join(given)})\n    {row['about']}")
    return OK


def _show(options: argparse.Namespace) -> int:
    from memlab.plan import read_metrics
    from memlab.results import Results

    chosen = read_metrics(options.metrics) if options.metrics else None
    results = Results.load(options.run, metrics=chosen)
    if options.json:
        _print(results.to_json(options.by or ("category",)))
    else:
        _out(repr(results))
        for field in options.by:
            _out(f"\n{results.text_by(field)}")
    return OK if results.records else NOTHING


def _data_check(options: argparse.Namespace) -> int:
    from memlab.datasets.jsonl import check

    faults = check(options.file)
    if options.json:
        _print([fault._asdict() for fault in faults])
    else:
        for fault in faults[:_SHOWN]:
            _out(f"{options.file}:{fault.line}: {fault.field}: {fault.message}")
        if len(faults) > _SHOWN:
            _out(f"… and {len(faults) - _SHOWN} more (--json prints all)")
        _err(f"{len(faults)} fault(s) in {options.file}")
    return USAGE if faults else OK


def _data_fetch(options: argparse.Namespace) -> int:
    from memlab.fetching.fetch import fetch

    try:
        fetched = fetch(options.name, options.to, parts=options.parts, yes=options.yes)
    except KeyboardInterrupt:
        _err("\nmemlab: interrupted; the same command goes on from here")
        return INTERRUPTED
    if options.json:
        _print(fetched.to_json())
    else:
        _out(fetched.text())
    return OK


def _data_make(options: argparse.Namespace) -> int:
    from memlab.datasets.synthetic import make

    made = make(options.spec, options.output, options.ledger)
    if options.json:
        _print(made)
    else:
        _out("\n".join(f"{name}: {value}" for name, value in made.items()))
    return OK


def _data_list(options: argparse.Namespace) -> int:
    from memlab.fetching.fetchable import fetchable, fetchable_text

    if options.json:
        _print(fetchable())
    else:
        _out(fetchable_text())
    return OK
