"""The tables of a run as frames and as JSON values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab import costs, counters, parameters
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rankings import Rankings
from memlab.scoring import tally
from memlab.stats import FEW, Estimate, cluster_mean, macro_mean
from memlab.taxonomy import kinds

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import Group, RunData

_RANGES = 5


def estimate(results: RunData, metric: Metric, at: NDArray[np.intp]) -> Estimate:
    """Return the mean of a metric over some records, conversations as clusters.

    Records of several data sets give the mean of the data sets' means.
    """
    by_dataset: dict[str, list[int]] = {}
    for i in at:
        by_dataset.setdefault(results.records[i].dataset, []).append(i)
    values = results.values(metric)
    parts = [
        cluster_mean(values[rows], [results.records[i].conversation for i in rows])
        for rows in by_dataset.values()
    ]
    if len(parts) == 1:
        return parts[0]
    return macro_mean(parts) if parts else cluster_mean([], [])


def datasets(results: RunData) -> list[str]:
    """Return the names of the data sets of a joined run, in order; none for a single one."""
    names = dict.fromkeys(record.dataset for record in results.records)
    return [name for name in names if name]


def small(results: RunData) -> list[str]:
    """Return the data sets, "" for a single one, with too few conversations for an interval."""
    talks: dict[str, set[str]] = {}
    for record in results.records:
        talks.setdefault(record.dataset, set()).add(record.conversation)
    return [name for name, own in talks.items() if len(own) < FEW]


def macro(results: RunData, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return one line per strategy, budget and metric: each data set's mean, and their mean."""
    import pandas as pd

    rows = []
    for (strategy, budget), at in results.groups.items():
        for metric in metrics:
            row: dict[str, Any] = {"strategy": strategy, "budget": budget, "metric": spell(metric)}
            for name in datasets(results):
                chosen = np.array([i for i in at if results.records[i].dataset == name])
                row[name] = estimate(results, metric, chosen).mean
            found = estimate(results, metric, at)
            row |= {"macro": found.mean, "low": found.low, "high": found.high}
            rows.append(row | {"n": found.n, "clusters": found.clusters})
    return pd.DataFrame(rows)


def summary(results: RunData, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return one line per strategy and budget."""
    import pandas as pd

    rows = []
    known = kinds(results.manifest)
    swept = parameters.columns(results, [(label, None) for label, _ in results.groups])
    for number, (group, at) in enumerate(results.groups.items()):
        row: dict[str, Any] = {"strategy": group[0], "budget": group[1]}
        row |= {name: values[number] for name, values in swept.items()}
        for metric in metrics:
            found = estimate(results, metric, at)
            name = spell(metric)
            row |= {name: found.mean, f"{name} low": found.low, f"{name} high": found.high}
            row[f"{name} n"] = found.n
        spent, timed = costs.tokens(results, group), costs.latency(results, group)
        row |= {k: spent[k] for k in ("tokens_written", "tokens_read")}
        row |= {k: timed[k] for k in ("read_ms_p50", "read_ms_p95", "encode_read_ms")}
        row["write_us_mean"] = timed["write_us_mean"]
        row |= {"n": len(at), "failed": int(results.rankings.failed[at].sum())}
        row |= known[group[0]]._asdict() if group[0] in known else {}
        rows.append(row)
    return pd.DataFrame(rows)


def field_values(results: RunData, field: str) -> tuple[list[Any], list[Any]]:
    """Return the distinct values of a field in order, and the value of every record.

    A dial of many values is cut into ranges.
    """
    values = _ranges(results.field(field))
    distinct = {_typed(value): value for value in values}
    return sorted(distinct.values(), key=_in_order), [distinct[_typed(v)] for v in values]


def field_groups(results: RunData, field: str) -> Iterator[tuple[Any, Group, NDArray[np.intp]]]:
    """Yield each value of a field with each strategy and budget, and the records of both."""
    ordered, values = field_values(results, field)
    kinds = [_typed(value) for value in values]
    for value in ordered:
        for group, at in results.groups.items():
            chosen = [i for i in at if kinds[i] == _typed(value)]
            yield value, group, np.array(chosen, dtype=np.intp)


def by(results: RunData, field: str, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return one line per value of a field, strategy and budget."""
    import pandas as pd

    rows = []
    for value, (strategy, budget), at in field_groups(results, field):
        row: dict[str, Any] = {field: value, "strategy": strategy, "budget": budget}
        for metric in metrics:
            found, name = estimate(results, metric, at), spell(metric)
            row |= {name: found.mean, f"{name} low": found.low, f"{name} high": found.high}
            row[f"{name} n"] = found.n
        rows.append(row | {"n": len(at)})
    return pd.DataFrame(rows)


@dataclass(frozen=True, slots=True)
class Range:
    """A range of a dial, from its least to its largest value in the data."""

    low: float
    high: float

    def __str__(self) -> str:
        ends = dict.fromkeys((f"{self.low:g}", f"{self.high:g}"))
        return "–".join(ends)

    __repr__ = __str__


def _typed(value: Any) -> tuple[str, Any]:  # noqa: ANN401
    """Keep True apart from 1, which Python calls equal."""
    return type(value).__name__, value


def _in_order(value: Any) -> tuple[bool, float, str]:  # noqa: ANN401
    """Sort numbers and ranges by size, texts by text, and None last."""
    size = value.low if isinstance(value, Range) else value
    numeric = isinstance(size, int | float)
    return value is None, float(size) if numeric else math.inf, str(value)


def _ranges(values: Sequence[Any]) -> list[Any]:
    """Cut the numbers of a dial into ranges where it has many values."""
    import pandas as pd

    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    others = [v for v in values if v is not None and _typed(v)[0] not in ("int", "float")]
    if others or len(set(numbers)) <= 8:
        return list(values)
    column = pd.Series(values, dtype="float64")
    part = pd.qcut(column, _RANGES, duplicates="drop", labels=False)
    ends = column.groupby(part).agg(["min", "max"])
    made = {i: Range(float(low), float(high)) for i, low, high in ends.itertuples()}
    return [None if pd.isna(i) else made[i] for i in part]


def counts(results: RunData) -> dict[str, Any]:
    """Return, for each strategy and budget and each metric, what became of its records."""
    found: dict[str, Any] = {}
    for (strategy, budget), at in results.groups.items():
        rankings = Rankings.of(results.records[i] for i in at)
        found[_key(results, strategy, budget)] = {
            spell(m): tally(m, rankings, results.values(m)[at])._asdict() for m in results.metrics
        }
    return found


def _key(results: RunData, strategy: str, budget: int | None) -> str:
    several = len({b for _, b in results.groups}) > 1
    return f"{strategy} @{'none' if budget is None else budget}" if several else strategy


def as_json(results: RunData, fields: Sequence[str]) -> dict[str, Any]:
    """Return the table as JSON values: NaN becomes None."""
    strategies: dict[str, Any] = {}
    split: dict[str, Any] = {}
    counted = counters.counted(results)
    for group, at in results.groups.items():
        timed, spent = costs.latency(results, group), costs.tokens(results, group)
        strategies[_key(results, *group)] = {
            "metrics": _means(results, at),
            "tokens": {"written": spent["tokens_written"], "read": spent["tokens_read"]},
            "read_ms": {q: timed[f"read_ms_{q}"] for q in ("p50", "p95", "p99")},
            "write_us": {q: timed[f"write_us_{q}"] for q in ("p50", "p95", "p99")},
            "encode_ms": {"write": timed["encode_write_ms"], "read": timed["encode_read_ms"]},
            "failed": int(results.rankings.failed[at].sum()),
            "counters": counters.totals(counted, *group),
        }
    for field in fields:
        split[field] = {}
        for value, group, at in field_groups(results, field):
            split[field].setdefault(str(value), {})[_key(results, *group)] = _means(results, at)
    first = next(iter(results.groups.values()), np.array([], dtype=np.intp))
    found: dict[str, Any] = _plain(
        {
            "run": f"{results.manifest['name']}-{results.manifest['hash8']}",
            "n": len(first),
            "excluded": _excluded(results, first),
            "failed": int(results.rankings.failed.sum()),
            "strategies": strategies,
            "by": split,
        }
    )
    return found


def _means(results: RunData, at: NDArray[np.intp]) -> dict[str, dict[str, float]]:
    found = {spell(metric): estimate(results, metric, at) for metric in results.metrics}
    return {
        name: {"mean": e.mean, "low": e.low, "high": e.high, "n": e.n} for name, e in found.items()
    }


def _excluded(results: RunData, at: NDArray[np.intp]) -> int:
    """Return how many probes the first metric leaves out of its denominator."""
    if not results.metrics or not len(at):
        return 0
    counted = tally(results.metrics[0], Rankings.of(results.records[i] for i in at))
    return counted.excluded + counted.unanswerable


def _plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
