"""`memlab bench peers`: memories of other projects and memlab's on the same messages."""

from __future__ import annotations

import argparse

from memlab.commands.output import NOTHING, OK, err, out, print_json
from memlab.errors import ConfigError

PEERS = "peers"
"""The name that asks for it."""

_LEAST = 10


def peers(options: argparse.Namespace) -> int:
    """Time what is installed and print its table; also draw it, if a file is named.

    Raises:
        ConfigError: sizes that are none, or options of the other benchmarks.
    """
    from memlab.peers.listed import PEERS as LISTED
    from memlab.peers.measuring import SIZES, Timing, timed
    from memlab.peers.offline import offline
    from memlab.peers.table import as_frame, as_json, as_text

    if options.against or options.save or options.latency_ratio:
        raise ConfigError(
            "--against, --save or --latency-ratio with peers",
            "none of them: peers are compared with memlab in one run, not with a baseline",
        )
    sizes = sizes_of(options.sizes) if options.sizes else SIZES
    found = []
    with offline() as refused:
        for one in timed(LISTED, sizes):
            err(
                f"{one.peer}: {f'{one.size:,} messages' if isinstance(one, Timing) else one.reason}"
            )
            found.append(one)
    for address in dict.fromkeys(refused):
        err(f"memlab: a connection was refused: {address}")
    times = [one for one in found if isinstance(one, Timing)]
    if options.plot and times:
        from memlab.figures.peers import peers as drawn

        drawn(as_frame(times)).savefig(options.plot)
    if options.json:
        print_json(as_json(found, LISTED))
    else:
        out(as_text(found))
    return OK if times else NOTHING


def sizes_of(given: str) -> list[int]:
    """Return the sizes of a list.

    >>> sizes_of("100, 1000")
    [100, 1000]

    Raises:
        ConfigError: what is no list of even numbers from 10.
    """
    try:
        found = [int(part) for part in given.split(",")]
    except ValueError:
        found = []
    if not found or any(size < _LEAST or size % 2 for size in found):
        raise ConfigError(f"--sizes {given}", f"even numbers from {_LEAST}, as 100,1000")
    return found
