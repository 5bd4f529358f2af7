"""The times of peers as a table, as JSON values, and as rows for a picture."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from memlab.cells import plain
from memlab.manifest import machine
from memlab.peers.measuring import Skipped, Timing
from memlab.peers.peer import Peer

if TYPE_CHECKING:
    import pandas as pd


def as_text(found: Sequence[Timing | Skipped]) -> str:
    """Return the table, ratios as peer over memlab: above 1 memlab is faster."""
    header = ["peer", "memlab", "messages", "write µs", "own", "ratio", "read ms", "own", "ratio"]
    rows = [
        [
            one.peer,
            one.counterpart.partition("(")[0],
            f"{one.size:,}",
            *(f"{value:.1f}" for value in (one.write_us, one.own_write_us)),
            _ratio(one.write_ratio),
            *(f"{value:.3f}" for value in (one.read_ms, one.own_read_ms)),
            _ratio(one.read_ratio),
            f"{one.same:.0%}{'' if one.same == 1 else ' !'}",
        ]
        for one in found
        if isinstance(one, Timing)
    ]
    skipped = [
        f"not timed: {one.peer}{f' at {one.size:,}' if one.size else ''}: {one.reason}"
        for one in found
        if isinstance(one, Skipped)
    ]
    notes = [
        "own: memlab's strategy on the same messages, with the peer's tokens as its budget",
        "ratio: peer over memlab; same: share of the texts that both return, ! where they differ",
        "not in it, for either: encoding and counting tokens, done before",
    ]
    return "\n".join([plain(([*header, "same"], rows)), "", *notes, *skipped])


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def as_json(found: Sequence[Timing | Skipped], peers: Sequence[Peer]) -> dict[str, Any]:
    """Return times, ratios, what was left out, the packages' versions and the machine."""
    times = [one for one in found if isinstance(one, Timing)]
    return {
        "times": [
            {key: _rounded(value) for key, value in one._asdict().items()}
            | {"write_ratio": _rounded(one.write_ratio), "read_ratio": _rounded(one.read_ratio)}
            for one in times
        ],
        "skipped": [one._asdict() for one in found if isinstance(one, Skipped)],
        "packages": {"python": platform.python_version()}
        | _versions(["memlab", "numpy", *(peer.package for peer in peers)]),
        "machine": machine(),
    }


def _rounded(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _versions(names: Sequence[str]) -> dict[str, str]:
    found = {}
    for name in dict.fromkeys(names):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def as_frame(found: Sequence[Timing | Skipped]) -> pd.DataFrame:
    """Return a row for each memory, size and phase, with its milliseconds."""
    import pandas as pd

    rows = []
    for one in found:
        if isinstance(one, Timing):
            own = f"memlab {one.counterpart.partition('(')[0]}"
            for name, write, read in (
                (one.peer, one.write_us, one.read_ms),
                (own, one.own_write_us, one.own_read_ms),
            ):
                rows += [(name, one.size, "write", write / 1e3), (name, one.size, "read", read)]
    table = pd.DataFrame(rows, columns=["strategy", "size", "phase", "ms"])
    return table.groupby(["phase", "strategy", "size"], sort=False, as_index=False).median()
