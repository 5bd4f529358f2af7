"""Cost tables: tokens, latencies, throughput, memory use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab.latency import AGES, Histogram

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import Group, RunData


def latency(results: RunData, group: Group) -> dict[str, float]:
    """Return the latencies of a strategy at a budget; encoding is booked apart.

    write_us_*: one turn; flush_us: mean of one flush; searchable_us: write + flush + encoding
    per turn; maintain_us: work between sessions, per turn; turns_per_s: all of these; read_ms_*:
    one read, warm; cold_read_ms: mean of the first read of each unit; encode_write_ms and
    encode_read_ms: mean encoding per turn and per read, as if nothing were cached. Of a joined
    run: the mean of the data sets.
    """
    label, budget = group
    units = [u for u in results.latencies if u["strategy"] == label]
    return _over_datasets([_timed(part, budget) for part in _split(results, units).values()])


def tokens(results: RunData, group: Group) -> dict[str, float]:
    """Return tokens written, and the mean and total read, of a strategy at a budget.

    Of a joined run: totals over the data sets, and the mean of their means.
    """
    facts = [f for f in results.facts if f["strategy"] == group[0]]
    at = results.groups[group]
    names = np.array([results.records[i].dataset for i in at])
    parts = [_spent(results, facts, at[names == name]) for name in dict.fromkeys(names.tolist())]
    whole = _spent(results, facts, at)
    return whole | {"tokens_read": _over_datasets(parts)["tokens_read"]}


def _timed(units: Sequence[Mapping[str, Any]], budget: int | None) -> dict[str, float]:
    writes = Histogram().merge(Histogram.from_json(u["write"]) for u in units)
    lists = [list(u["read"].get(str(budget), [])) for u in units]
    cold = np.array([reads[0] for reads in lists if reads], dtype=np.float64) / 1e6
    warm = np.array([ns for reads in lists for ns in reads[1:]], dtype=np.float64) / 1e6
    flush_ns = sum(u["flush"]["total"] for u in units)
    reading = f"read {budget}"
    encode_write = sum(
        ns for u in units for p, ns in u["encode"].items() if not p.startswith("read ")
    )
    maintain_ns = sum(u["maintain"] for u in units)
    encode_read = sum(u["encode"].get(reading, 0) for u in units)
    reads = sum(len(ns) for ns in lists)
    spent = writes.total + flush_ns + encode_write
    return {
        "write_us_mean": writes.mean() / 1e3,
        **{f"write_us_p{q}": writes.quantile(q / 100) / 1e3 for q in (50, 95, 99)},
        "flush_us": _ratio(flush_ns, sum(u["flush"]["count"] for u in units)) / 1e3,
        "searchable_us": _ratio(spent, writes.count) / 1e3,
        "maintain_us": _ratio(maintain_ns, writes.count) / 1e3,
        "turns_per_s": _ratio(writes.count * 1e9, spent + maintain_ns),
        "read_ms_mean": _mean(warm),
        **{f"read_ms_p{q}": _quantile(warm, q) for q in (50, 95, 99)},
        "cold_read_ms": _mean(cold),
        "encode_write_ms": _ratio(encode_write, writes.count) / 1e6,
        "encode_read_ms": _ratio(encode_read, reads) / 1e6,
    }


def _spent(
    results: RunData, facts: Sequence[Mapping[str, Any]], at: NDArray[np.intp]
) -> dict[str, float]:
    read, failed = results.rankings.tokens[at], results.rankings.failed[at]
    return {
        "tokens_written": float(sum(f["tokens_written"] for f in facts)),
        "tokens_read": _mean(read[~failed].astype(np.float64)),
        "tokens_read_total": float(read.sum()),
    }


def _split(
    results: RunData, units: Iterable[Mapping[str, Any]]
) -> dict[str, list[Mapping[str, Any]]]:
    """Return units or facts by the data set of their conversation; "" where there is one."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for unit in units:
        found.setdefault(results.homes.get(unit["conversation"], ""), []).append(unit)
    return found


def _over_datasets(parts: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each number over the data sets that have it."""
    if len(parts) == 1:
        return parts[0]
    found = {}
    for name in parts[0] if parts else _timed([], None):
        known = [part[name] for part in parts if not np.isnan(part[name])]
        found[name] = _mean(known)
    return found


def cost_table(results: RunData) -> pd.DataFrame:
    """Return one line per strategy and budget, and per data set of a joined run."""
    import pandas as pd

    rows = []
    for group, positions in results.groups.items():
        label, budget = group
        of = np.array([results.records[i].dataset for i in positions])
        units = _split(results, (u for u in results.latencies if u["strategy"] == label))
        facts = _split(results, (f for f in results.facts if f["strategy"] == label))
        for name in dict.fromkeys(of.tolist()):
            row: dict[str, Any] = {"strategy": label, "budget": budget}
            row |= {"dataset": name} if name else {}
            row |= _spent(results, facts.get(name, []), positions[of == name])
            row |= _encoded(facts.get(name, []), budget)
            row |= _timed(units.get(name, []), budget)
            sizes = [f["bytes"] for f in facts.get(name, []) if "bytes" in f]
            rows.append(row | {"bytes_saved": sum(sizes) if sizes else None})
    return pd.DataFrame(rows)


def _encoded(facts: Sequence[Mapping[str, Any]], budget: int | None) -> dict[str, int]:
    encoded = [
        booked
        for f in facts
        for phase, booked in f.get("encoded", {}).items()
        if not phase.startswith("read ") or phase == f"read {budget}"
    ]
    return {
        "tokens_encoded": sum(e["tokens"] for e in encoded),
        "texts_truncated": sum(e["truncated"] for e in encoded),
    }


def usage_table(results: RunData) -> pd.DataFrame:
    """Return items and tokens held at the end, by kind and by age, summed over conversations.

    One block per data set of a joined run.
    """
    import pandas as pd

    totals: dict[tuple[str, str, str, str], list[int]] = {}
    for facts in results.facts:
        home = results.homes.get(facts["conversation"], "")
        for group, names in facts.get("held", {}).items():
            for name, (items, count) in names.items():
                key = (facts["strategy"], home, group, name)
                total = totals.setdefault(key, [0, 0])
                total[0] += items
                total[1] += count
    order = {name: i for i, name in enumerate(AGES)}
    labels = list(dict.fromkeys(facts["strategy"] for facts in results.facts))
    homes = list(dict.fromkeys(home for _, home, _, _ in totals))
    rows: list[dict[str, Any]] = [
        {"strategy": s, "dataset": home, "by": group, "value": name, "items": i, "tokens": n}
        for (s, home, group, name), (i, n) in totals.items()
    ]
    rows.sort(key=lambda row: order.get(row["value"], -1))
    rows.sort(
        key=lambda r: (labels.index(r["strategy"]), homes.index(r["dataset"]), r["by"] == "age")
    )
    columns = ["strategy", "dataset", "by", "value", "items", "tokens"]
    if homes in ([], [""]):
        columns.remove("dataset")
    return pd.DataFrame(rows, columns=columns)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _mean(values: Sequence[float] | np.ndarray[Any, np.dtype[np.float64]]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _quantile(values: np.ndarray[Any, np.dtype[np.float64]], q: int) -> float:
    return float(np.percentile(values, q)) if len(values) else float("nan")
