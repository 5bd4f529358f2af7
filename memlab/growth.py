"""What the memories of a run held as the conversations grew."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memlab.stats import cluster_mean

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import RunData

SIZES = ("bytes", "items", "tokens")
ON_THE_WAY, END = "on the way", "end"
Moment = tuple[str, int]
"""Which moment of a conversation, and its number of turns: of an end, the power of two below."""


def growth(results: RunData) -> pd.DataFrame:
    """Return what the memories held: one line per data set, strategy and moment.

    `at` is `on the way` after exactly so many turns, over the conversations that go on so long;
    or `end` of conversations, those together whose lengths lie between the same powers of two,
    `turns` the mean of theirs. `bytes` is the saved state, `items` and `tokens` are what the
    strategy says it holds; each is the mean over `conversations`, with a 95 % interval between
    conversations from six of them on; NaN is what a strategy cannot tell. Runs whose records
    tell nothing of the way have the ends alone.
    """
    import pandas as pd

    groups: dict[tuple[str, str], dict[Moment, list[Mapping[str, Any]]]] = {}
    datasets = {record.conversation: record.dataset for record in results.records}
    for facts in results.facts:
        key = (datasets.get(facts["conversation"], ""), facts["strategy"])
        for moment, sizes in _moments(facts):
            groups.setdefault(key, {}).setdefault(moment, []).append(sizes)
    rows = []
    for (dataset, strategy), moments in groups.items():
        for moment in sorted(moments, key=lambda m: (m[0] == END, m[1])):
            names = {"dataset": dataset} if any(datasets.values()) else {}
            rows.append({**names, "strategy": strategy, **_row(moment, moments[moment])})
    return pd.DataFrame(rows, columns=None if rows else ["strategy", *_row(("", 0), [])])


def _moments(facts: Mapping[str, Any]) -> Iterator[tuple[Moment, Mapping[str, Any]]]:
    """Yield the moments of a unit at which it is known what the memory held."""
    for sample in facts.get("growth", ()):
        yield (ON_THE_WAY, sample["turns"]), sample
    held = facts.get("held", {}).get("kind")
    sizes: dict[str, Any] = {"bytes": facts["bytes"]} if "bytes" in facts else {}
    if held is not None:
        sizes["items"], sizes["tokens"] = (sum(n[i] for n in held.values()) for i in (0, 1))
    turns = facts.get("turns", 0)
    if sizes and turns:
        yield (END, 1 << turns.bit_length() - 1), {"turns": turns, **sizes}


def _row(moment: Moment, samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    turns = [sample["turns"] for sample in samples]
    row: dict[str, Any] = {"at": moment[0], "turns": sum(turns) / len(turns) if turns else 0.0}
    for name in SIZES:
        found = cluster_mean([s.get(name, math.nan) for s in samples], range(len(samples)))
        low, high = (math.nan, math.nan) if found.descriptive else (found.low, found.high)
        row |= {name: found.mean, f"{name} low": low, f"{name} high": high}
    return row | {"conversations": len(samples)}
