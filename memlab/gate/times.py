"""The times of a unit of work, without the slowest calls, beside its reference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memlab.latency import Histogram
from memlab.reference import typical

REFERENCE = "reference"
KEPT = 0.9
"""Share of the calls that a mean is taken over: without the slowest tenth.

Another process, or a collection of garbage, makes single calls a hundred times as slow.
"""


def unit_times(unit: Mapping[str, Any]) -> dict[str, float]:
    """Return the times of a unit in nanoseconds: `reference`, `write`, `read <budget>` and more.

    Writes and reads are means without the slowest tenth; the cold first read is left out where
    there are others. `flush` is the mean of all flushes and `maintain` that of all upkeep per
    write, where a strategy does any. Encoding is booked apart and not part of any. What was
    not measured is not there.

    >>> unit_times({"write": {"total": 30, "buckets": [[10, 3]]}, "read": {"200": [90, 40, 60]}})
    {'write': 10.0, 'read 200': 50.0}
    """
    found = {REFERENCE: typical(**unit.get(REFERENCE, {"before": (), "after": ()}))}
    writes = Histogram.from_json(unit["write"])
    found["write"] = kept_mean(*writes.distribution())
    for budget, reads in unit["read"].items():
        warm = reads[1:] or reads
        found[f"read {budget}"] = kept_mean(warm, [1] * len(warm))
    flush, upkeep = unit.get("flush", {}), unit.get("maintain", 0)
    if flush.get("total"):
        found["flush"] = flush["total"] / flush["count"]
    if upkeep and writes.buckets:
        found["maintain"] = upkeep / writes.count
    return {name: value for name, value in found.items() if not math.isnan(value)}


def kept_mean(values: Sequence[float], counts: Sequence[int]) -> float:
    """Return the mean of values, each there so many times, without the slowest tenth.

    At least one call is kept; NaN without any.

    >>> kept_mean([1.0, 2.0, 50.0], [5, 4, 1])
    1.4444444444444444
    """
    size = np.asarray(values, dtype=np.float64)
    order = np.argsort(size, kind="stable")
    before = np.concatenate([[0], np.cumsum(np.asarray(counts)[order])])
    most = math.ceil(KEPT * float(before[-1]))
    if not most:
        return math.nan
    weights = np.diff(np.minimum(before, most))
    return float(size[order] @ weights / most)
