"""Cost tables: tokens, latencies, throughput, memory use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memlab.latency import AGES, Histogram

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import Group, RunData


def latency(results: RunData, group: Group) -> dict[str, float]:
    """Return the latencies of a strategy at a budget; encoding is booked apart.

    write_us_*: one turn; flush_us: mean of one flush; searchable_us: write + flush + encoding
    per turn; maintain_us: work between sessions, per turn; turns_per_s: all of these; read_ms_*:
    one read, warm; cold_read_ms: mean of the first read of each unit; encode_write_ms and
    encode_read_ms: mean encoding per turn and per read, as if nothing were cached.
    """
    label, budget = group
    units = [u for u in results.latencies if u["strategy"] == label]
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


def tokens(results: RunData, group: Group) -> dict[str, float]:
    """Return tokens written, and the mean and total read, of a strategy at a budget."""
    written = sum(f["tokens_written"] for f in results.facts if f["strategy"] == group[0])
    read = results.rankings.tokens[results.groups[group]]
    failed = results.rankings.failed[results.groups[group]]
    return {
        "tokens_written": float(written),
        "tokens_read": _mean(read[~failed].astype(np.float64)),
        "tokens_read_total": float(read.sum()),
    }


def cost_table(results: RunData) -> pd.DataFrame:
    """Return one line per strategy and budget."""
    import pandas as pd

    rows = []
    for group in results.groups:
        facts = [f for f in results.facts if f["strategy"] == group[0]]
        encoded = [
            booked
            for f in facts
            for phase, booked in f.get("encoded", {}).items()
            if not phase.startswith("read ") or phase == f"read {group[1]}"
        ]
        sizes = [f["bytes"] for f in facts if "bytes" in f]
        rows.append(
            {
                "strategy": group[0],
                "budget": group[1],
                **tokens(results, group),
                "tokens_encoded": sum(e["tokens"] for e in encoded),
                "texts_truncated": sum(e["truncated"] for e in encoded),
                **latency(results, group),
                "bytes_saved": sum(sizes) if sizes else None,
            }
        )
    return pd.DataFrame(rows)


def usage_table(results: RunData) -> pd.DataFrame:
    """Return items and tokens held at the end, by kind and by age, summed over conversations."""
    import pandas as pd

    totals: dict[tuple[str, str, str], list[int]] = {}
    for facts in results.facts:
        for group, names in facts.get("held", {}).items():
            for name, (items, count) in names.items():
                total = totals.setdefault((facts["strategy"], group, name), [0, 0])
                total[0] += items
                total[1] += count
    order = {name: i for i, name in enumerate(AGES)}
    rows: list[dict[str, Any]] = [
        {"strategy": s, "by": group, "value": name, "items": items, "tokens": count}
        for (s, group, name), (items, count) in totals.items()
    ]
    rows.sort(key=lambda row: order.get(row["value"], -1))
    labels = [facts["strategy"] for facts in results.facts]
    rows.sort(key=lambda row: (labels.index(row["strategy"]), row["by"] == "age"))
    return pd.DataFrame(rows, columns=["strategy", "by", "value", "items", "tokens"])


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _mean(values: Sequence[float] | np.ndarray[Any, np.dtype[np.float64]]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _quantile(values: np.ndarray[Any, np.dtype[np.float64]], q: int) -> float:
    return float(np.percentile(values, q)) if len(values) else float("nan")
