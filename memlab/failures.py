"""Where a strategy fails, and where two differ: questions and texts side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from memlab.comparability import require_same
from memlab.errors import ConfigError, Faults
from memlab.naming import spell
from memlab.probewise import check_labels
from memlab.protocols import Metric
from memlab.quotes import Quotes
from memlab.rundata import RunData
from memlab.scoring import more_is_better
from memlab.types import Record

if TYPE_CHECKING:
    import pandas as pd

_BEFORE = ("strategy", "conversation", "probe", "budget", "category")


def failure_table(
    results: RunData, strategy: str | None, metric: Metric, below: float | None
) -> pd.DataFrame:
    """Return the records that fail on a metric, worst first, with their texts."""
    import pandas as pd

    labels = list(dict.fromkeys(record.strategy for record in results.records))
    if faults := check_labels([] if strategy is None else [strategy], labels):
        raise ConfigError(faults[0])
    values = results.values(metric)
    upward = more_is_better(metric)
    limit = (1.0 if upward else 0.0) if below is None else below
    worst = np.argsort(values if upward else -values, kind="stable")
    failed = [
        int(i)
        for i in worst
        if (strategy is None or results.records[i].strategy == strategy)
        and (results.records[i].error is not None or _fails(values[i], limit, upward))
    ]
    chosen = [results.records[i] for i in failed]
    quotes = Quotes(results, chosen)
    rows = [
        {
            **{name: getattr(record, name) for name in _BEFORE},
            spell(metric): values[i],
            **quotes.asked(record),
            "retrieved": quotes.retrieved(record),
            "error": record.error,
        }
        for i, record in zip(failed, chosen, strict=True)
    ]
    columns = [*_BEFORE, spell(metric), "question", "answers", "evidence", "retrieved", "error"]
    return pd.DataFrame(rows, columns=columns)


def _fails(value: float, limit: float, upward: bool) -> bool:
    return value < limit if upward else value > limit


def diff_table(
    results: RunData,
    other: RunData | str,
    strategy: str | None,
    metric: Metric,
    least: float,
) -> pd.DataFrame:
    """Return the probes whose score differs between two runs, or two strategies of one run.

    The largest losses come first.
    """
    import pandas as pd

    rival = results if isinstance(other, str) else other
    if rival is not results:
        require_same(results.manifest, rival.manifest)
    matches = list(_matches(results, rival, strategy, other if isinstance(other, str) else None))
    ours, theirs = results.values(metric), rival.values(metric)
    gaps = [(ours[i] - theirs[j], i, j) for i, j in matches]
    upward = more_is_better(metric)
    changed = [gap for gap in gaps if abs(gap[0]) >= least and gap[0] != 0]
    changed.sort(key=lambda gap: gap[0] if upward else -gap[0])
    quotes = Quotes(results, [results.records[i] for _, i, _ in changed])
    before = Quotes(rival, [rival.records[j] for _, _, j in changed])
    name, rows = spell(metric), []
    for gap, i, j in changed:
        record, old = results.records[i], rival.records[j]
        better = (gap > 0) == upward
        row: dict[str, Any] = {field: getattr(record, field) for field in _BEFORE}
        row["against"] = old.strategy
        row |= {"change": "miss→hit" if better else "hit→miss"}
        row |= {f"{name} before": theirs[j], f"{name} after": ours[i], **quotes.asked(record)}
        row["retrieved before"] = before.retrieved(old)
        row["retrieved after"] = quotes.retrieved(record)
        rows.append(row)
    middle = ["against", "change", f"{name} before", f"{name} after"]
    texts = ["question", "answers", "evidence", "retrieved before", "retrieved after"]
    return pd.DataFrame(rows, columns=[*_BEFORE, *middle, *texts])


def _matches(
    ours: RunData, theirs: RunData, strategy: str | None, base: str | None
) -> Iterator[tuple[int, int]]:
    """Yield the positions of the same probe in both; strategies are namesakes but for `base`."""
    mine, other = ({record.strategy for record in run.records} for run in (ours, theirs))
    faults = check_labels([] if strategy is None else [strategy], sorted(mine))
    faults += check_labels([] if base is None else [base], sorted(other), "baseline")
    if base is not None and strategy is None:
        faults.append("no strategy to compare with; expected strategy=…")
    asked = mine if strategy is None else {strategy}
    if not faults and base is None and not asked & other:
        faults.append(f"no strategy in common: {sorted(mine)} and {sorted(other)}")
    if faults:
        raise Faults(faults, "these cannot be compared")

    def key(record: Record, label: str) -> tuple[Any, ...]:
        return label, record.dataset, record.conversation, record.probe, record.budget

    place = {key(r, r.strategy): j for j, r in enumerate(theirs.records)}
    for i, record in enumerate(ours.records):
        if strategy in (None, record.strategy):
            j = place.get(key(record, record.strategy if base is None else base))
            if j is not None:
                yield i, j
