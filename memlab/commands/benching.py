"""`memlab bench`: the benchmarks of the repository, against those that were committed."""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memlab.checking import check_number
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
from memlab.commands.peering import PEERS, peers
from memlab.errors import ConfigError, MissingExtra

if TYPE_CHECKING:
    from memlab.gate.benches import Bench, Benches

BENCHES = Path("tests", "benchmarks")
SLOW = "100000"
"""Benchmarks with so many turns, or ten times as many, are run when they are named."""
SLOWEST = "1000000"
_PASSED, _FAILED = 0, 1
_STDERR = 2  # the file: what pytest says is progress


def add(commands: Commands) -> None:
    """Add the command."""
    bench = command(commands, "bench", "run the benchmarks of memlab's repository")
    bench.add_argument(
        "name",
        nargs="?",
        help=f"some, as pytest -k chooses (default: all of fewer than {SLOW} turns); "
        f"{PEERS}: memories of other projects beside memlab's",
    )
    bench.add_argument("--sizes", metavar="N,N", help="of peers: messages (100,1000,10000)")
    bench.add_argument("--plot", type=Path, metavar="FILE", help="of peers: times by messages")
    bench.add_argument("--against", type=Path, metavar="FILE", help="default: the committed file")
    bench.add_argument("--save", action="store_true", help="make them the baseline")
    bench.add_argument("--latency-ratio", type=float, metavar="R", help="slowdown that counts")
    bench.set_defaults(call=_bench)


def _bench(options: argparse.Namespace) -> int:
    if options.name == PEERS:
        return peers(options)
    if options.sizes or options.plot:
        raise ConfigError("--sizes or --plot without peers", "memlab bench peers --plot FILE")
    return _own(options)


def _own(options: argparse.Namespace) -> int:
    from memlab.gate.benches import DISTURBED, Benches, compared
    from memlab.gate.contrast import REGRESSION as SLOWER

    if options.latency_ratio is not None:
        check_number("--latency-ratio", options.latency_ratio, 1.0)
    root = checkout()
    file: Path = options.against or root / BENCHES / "baseline.json"
    if not options.save and not file.is_file():
        err(f"memlab: there is no baseline {file}; make one: memlab bench --save")
        return NO_BASELINE
    before = Benches.read(file) if file.is_file() else None
    chosen = selection(options.name)
    now, failed = measured(root, ["-k", chosen])
    if failed:
        err("memlab: some benchmarks failed, as told above; none of the others is compared")
        return REGRESSION
    if not now.ratios:
        return NOTHING
    if options.save or before is None:
        again, _ = measured(root, ["-k", chosen])  # a baseline by bad luck would hide slowdowns
        now = now.better(again)
        now.save(file, into=before if options.name else None)
        err(f"memlab: {len(now.ratios)} benchmarks saved in {file}")
        if disturbed := sum(now.disturbed(name) for name in now.ratios):
            err(f"memlab: others had the processor during {disturbed} of them; better save again")
        return OK
    limit = options.latency_ratio or now.limit(before)
    found = compared(now, before, limit, whole=options.name is None)
    if slower := [one.name for one in found if one.verdict in (SLOWER, DISTURBED)]:
        err(f"memlab: {len(slower)} are slower, and run again")
        again, _ = measured(root, [], [str(BENCHES / name) for name in slower])
        now = now.better(again)
        found = compared(now, before, limit, whole=options.name is None)
    return _told(found, limit, now, before, options)


def _told(
    found: Sequence[Bench],
    limit: float,
    now: Benches,
    before: Benches,
    options: argparse.Namespace,
) -> int:
    from memlab.gate.benches import table

    wrong = [one for one in found if one.verdict in ("regression", "vanished")]
    if options.json:
        rows = [
            {"name": one.name, "verdict": one.verdict}
            | {key: _known(getattr(one, key)) for key in ("baseline", "run", "change")}
            for one in found
        ]
        print_json({"ok": not wrong, "limit": limit, "benchmarks": rows})
    else:
        out(f"{table(found)}\n\ntimes in units of the reference; a slowdown counts from {limit:g}")
        if now.machine != before.machine:
            out(f"another machine: {dict(before.machine)} then, {dict(now.machine)} now")
    return REGRESSION if wrong else OK


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def checkout() -> Path:
    """Return the root of memlab's repository, whose tests hold the benchmarks.

    Raises:
        ConfigError: memlab was installed without it.
        MissingExtra: pytest-benchmark is not installed.
    """
    root = Path(__file__).resolve().parents[2]
    if not (root / BENCHES).is_dir():
        raise ConfigError(
            f"there is no {BENCHES} beside the installed memlab",
            "a checkout of its repository",
            'clone it, and there: pip install -e ".[dev]"',
        )
    if importlib.util.find_spec("pytest_benchmark") is None:
        raise MissingExtra.of("memlab bench", "dev")
    return root


def selection(name: str | None) -> str:
    """Return what pytest -k gets; the longest streams must be named.

    >>> selection(None), selection("stream"), selection("1000000")
    ('not 100000', '(stream) and not 1000000', '1000000')
    """
    if name is None:
        return f"not {SLOW}"
    return name if SLOWEST in name else f"({name}) and not {SLOWEST}"


def measured(
    root: Path, chosen: Sequence[str], tests: Sequence[str] = (str(BENCHES),)
) -> tuple[Benches, bool]:
    """Run benchmarks with the running interpreter, its output on stderr; tell if any failed.

    Raises:
        ConfigError: no benchmark has such a name, or pytest cannot run.
    """
    from memlab.gate.benches import Benches

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "benchmarks.json"
        options = ["--benchmark-only", f"--benchmark-json={file}", "-p", "no:cacheprovider", "-q"]
        options += ["-W", "default::pytest_benchmark.logger.PytestBenchmarkWarning"]
        done = subprocess.run(  # noqa: S603 - this interpreter and our own tests
            [sys.executable, "-m", "pytest", *tests, *options, *chosen],
            cwd=root,
            stdout=_STDERR,
            check=False,
        )
        if done.returncode not in (_PASSED, _FAILED):
            raise ConfigError(
                f"pytest ran no benchmark and ended with {done.returncode}",
                "part of the name of one",
                f"pytest {BENCHES} --collect-only -q lists them",
            )
        found = json.loads(file.read_text("utf-8")) if file.is_file() else None
        failed = done.returncode == _FAILED
        return Benches.of(found) if found else Benches({}, {}), failed
