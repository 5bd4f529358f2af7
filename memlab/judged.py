"""What a judge says and what an audit makes of it, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memlab.inference.correction import corrected_mean, rogan_gladen
from memlab.parsing import parse
from memlab.rundata import RunData
from memlab.verdictnames import audit_key

if TYPE_CHECKING:
    import pandas as pd


def judge_table(results: RunData, name: str) -> pd.DataFrame:
    """Return one line per strategy, budget and data set: raw, corrected, the judge's errors."""
    import pandas as pd

    metric = parse(f"Judged(name={name!r})")
    values, failed = results.values(metric), results.rankings.failed
    audited = results.rankings.verdict(audit_key(name))
    rows: list[dict[str, Any]] = []
    for (strategy, budget), at in results.groups.items():
        parts: dict[str, list[int]] = {}
        for i in at:
            parts.setdefault(results.records[i].dataset, []).append(int(i))
        for dataset, part in parts.items():
            counted = [i for i in part if not (failed[i] or np.isnan(values[i]))]
            clusters = [results.records[i].conversation for i in counted]
            row: dict[str, Any] = {"strategy": strategy, "budget": budget, "dataset": dataset}
            row |= {"n": len(counted), "failed": int(failed[part].sum())}
            rows.append(row | _line(values[counted], audited[counted], clusters))
    table = pd.DataFrame(rows)
    return table if any(r.dataset for r in results.records) else table.drop(columns="dataset")


def _line(
    judged: np.ndarray[Any, np.dtype[np.float64]],
    audited: np.ndarray[Any, np.dtype[np.float64]],
    clusters: list[str],
) -> dict[str, Any]:
    found = corrected_mean(judged, audited, clusters)
    known = ~np.isnan(audited)
    row: dict[str, Any] = {
        "raw": found.raw,
        "corrected": found.mean,
        "low": found.low,
        "high": found.high,
        "audited": found.audited,
        "clusters": found.clusters,
        "audited_clusters": found.audited_clusters,
        "agreement": float(np.mean(judged[known] == audited[known])) if known.any() else np.nan,
        "sensitivity": np.nan,
        "specificity": np.nan,
        "by_rates": np.nan,
        "note": found.note,
    }
    if np.isin(judged, (0, 1)).all() and np.isin(audited[known], (0, 1)).all():
        rates = rogan_gladen(judged, audited, clusters)
        row |= {"sensitivity": rates.sensitivity, "specificity": rates.specificity}
        row["by_rates"] = rates.mean
    if found.descriptive and found.audited:
        row["note"] = row["note"] or "fewer than 6 audited conversations: interval descriptive"
    return row
