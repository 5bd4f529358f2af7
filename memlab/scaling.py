"""Quality and cost along a dial, first of all the size of the history."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab.dials import SIZES, Cut, quality

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import RunData

Floats = NDArray[np.float64]


def scaling(results: RunData, made: Cut) -> pd.DataFrame:
    """Return a metric and costs along a dial: one line per strategy, budget and range.

    Data sets of a joined run weigh the same inside a range. Costs are those of the probes that
    the metric scores: `tokens_read` is the mean of reads that did not fail, `read_ms_p50` the
    median of warm reads (a conversation's first is `cold_read_ms_p50`), encoding apart.
    `bytes_saved` is the mean over conversations whose last probe is in the range, at their end;
    NaN where the dial is no size of the history, and for what cannot be saved.
    """
    import pandas as pd

    warm, cold = read_ms(results)
    saved = _bytes_saved(results, made)
    rows = []
    for (strategy, budget), at in results.groups.items():
        for position in range(len(made.bins)):
            chosen = at[made.index[at] == position]
            if not len(chosen):
                continue
            fine = chosen[~results.rankings.failed[chosen]]
            row: dict[str, Any] = {"strategy": strategy, "budget": budget}
            row |= made.limits(position) | quality(results, made.metric, chosen)
            row["tokens_read"] = _middle(np.mean, results.rankings.tokens[fine])
            row["read_ms_p50"] = _middle(np.median, warm[chosen])
            row["cold_read_ms_p50"] = _middle(np.median, cold[chosen])
            row["bytes_saved"] = _middle(np.mean, saved.get((strategy, position), []))
            rows.append(row)
    return pd.DataFrame(rows)


def read_ms(results: RunData) -> tuple[Floats, Floats]:
    """Return the milliseconds of warm and of cold reads: one entry per record, or NaN.

    A read that raised was not timed.
    """
    rows: dict[tuple[str, str, str], list[int]] = {}
    for i, record in enumerate(results.records):
        key = (record.strategy, record.conversation, str(record.budget))
        rows.setdefault(key, []).append(i)
    warm = np.full(len(results.records), np.nan)
    cold = warm.copy()
    for unit in results.latencies:
        for budget, times in unit["read"].items():
            at = rows.get((unit["strategy"], unit["conversation"], budget), [])
            if len(at) != len(times):
                at = [i for i in at if results.records[i].error is None]
            if times and len(at) == len(times):  # else which read failed is not known
                cold[at[0]] = times[0] / 1e6
                warm[at[1:]] = np.array(times[1:], dtype=np.float64) / 1e6
    return warm, cold


def _bytes_saved(results: RunData, made: Cut) -> dict[tuple[str, int], list[float]]:
    """Return the bytes of each conversation, by strategy and the range of its last probe."""
    last = {
        record.conversation: int(position)
        for record, position in zip(results.records, made.index, strict=True)
        if position >= 0
    }
    found: dict[tuple[str, int], list[float]] = {}
    for facts in results.facts if made.by in SIZES else ():
        if "bytes" in facts and facts["conversation"] in last:
            key = (facts["strategy"], last[facts["conversation"]])
            found.setdefault(key, []).append(facts["bytes"])
    return found


def _middle(of: Any, values: Any) -> float:  # noqa: ANN401 - numpy's functions of an array
    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    return float(of(known)) if len(known) else math.nan
