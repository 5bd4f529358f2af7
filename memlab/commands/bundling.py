"""`memlab bundle` and `memlab verify`: a run as an archive, and whether it is what it says."""

from __future__ import annotations

import argparse
from pathlib import Path

from memlab.commands.output import OK, USAGE, Commands, command, err, out, print_json


def add(commands: Commands) -> None:
    """Add the commands."""
    bundle = command(commands, "bundle", "write a run into an archive for reviewers")
    bundle.add_argument("run", type=Path, help="a run folder, results/<name>-<hash8>")
    bundle.add_argument("-o", "--output", type=Path, metavar="FILE.zip", help="default: RUN.zip")
    bundle.add_argument(
        "--with-data", action="store_true", help="put the data in, where their licence allows it"
    )
    bundle.set_defaults(call=_bundle)

    verify = command(commands, "verify", "check a bundle: hashes, scores, and the run itself")
    verify.add_argument("file", type=Path, help="an archive that `memlab bundle` wrote")
    verify.add_argument("--rerun", action="store_true", help="run it again and compare records")
    verify.add_argument("--data", type=Path, metavar="PATH", help="data that are not in it")
    verify.add_argument(
        "--trust", action="store_true", help="import what it names beyond memlab's own"
    )
    verify.add_argument(
        "--max-bytes", type=int, metavar="N", help="what it may hold, unpacked (default: 512 MiB)"
    )
    verify.set_defaults(call=_verify)


def _bundle(options: argparse.Namespace) -> int:
    from memlab.paper.archive import sha256
    from memlab.paper.bundle import bundle

    path = bundle(options.run, options.output, with_data=options.with_data)
    made = {"file": str(path), "sha256": sha256(path), "bytes": path.stat().st_size}
    if options.json:
        print_json(made)
    else:
        out("\n".join(f"{name}: {value}" for name, value in made.items()))
        err("memlab: verified; publish the sha256 beside the archive")
    return OK


def _verify(options: argparse.Namespace) -> int:
    from memlab.paper.archive import MOST_BYTES
    from memlab.paper.verify import verify

    found = verify(
        options.file,
        rerun=options.rerun,
        data=options.data,
        trust=options.trust,
        most_bytes=MOST_BYTES if options.max_bytes is None else options.max_bytes,
    )
    if options.json:
        print_json(found.to_json())
    else:
        out(str(found))
    return OK if found.ok else USAGE
