"""Whether a retrieval score predicts answers: record by record, question by question, overall."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab.association import Association, concordance, difference
from memlab.errors import ConfigError
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rundata import Group, RunData
from memlab.scoring import as_metric
from memlab.stats import FEW, paired

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("dataset", "level", "strategy", "budget", "statistic"),
    *("value", "low", "high", "n", "clusters", "note"),
)
_DRAWS = 2_000
_ALL, _NONE = 1.0, 0.0

Floats = NDArray[np.float64]


def prediction_table(
    results: RunData, answer: Metric | str, retrieval: Metric | str
) -> pd.DataFrame:
    """Return one line per statistic: within each strategy, within each question, overall."""
    import pandas as pd

    outcome, predictor = as_metric(answer), as_metric(retrieval)
    if getattr(outcome, "corrected", False):
        raise ConfigError(
            f"{spell(outcome)} has no values of single records", "the verdicts of the judge"
        )
    y, x = results.values(outcome).copy(), results.values(predictor)
    y[results.rankings.failed | np.isnan(x)] = np.nan
    rows = []
    for name in dict.fromkeys(record.dataset for record in results.records):
        other = np.array([record.dataset != name for record in results.records])
        ours = np.where(other, np.nan, y)
        theirs = np.where(np.isnan(ours), np.nan, x)
        found = [*_within(results, theirs, ours), _by_question(results, theirs, ours)]
        rows += [{"dataset": name, **row} for row in (*found, _overall(results, theirs, ours))]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    table["budget"] = pd.Series([row["budget"] for row in rows], dtype=object)  # None stays None
    return table if any(r.dataset for r in results.records) else table.drop(columns="dataset")


def _clusters(results: RunData, at: Sequence[int]) -> list[tuple[str, str]]:
    return [(results.records[i].dataset, results.records[i].conversation) for i in at]


def _within(results: RunData, x: Floats, y: Floats) -> Iterator[dict[str, Any]]:
    """Yield, for each strategy, AUC and how much better probes with all the evidence score."""
    for group, at in results.groups.items():
        clusters = _clusters(results, at.tolist())
        yield _row(group, "AUC", concordance(x[at], y[at], clusters))
        every, none = x[at] == _ALL, x[at] == _NONE
        found = difference(y[at], every, none, clusters)
        counts = f"{int(every.sum())} with all, {int(none.sum())} with none"
        note = f"{counts}; {found.note}" if found.note else counts
        yield _row(group, "all minus none", found._replace(note=note))


def _row(group: Group, statistic: str, found: Association) -> dict[str, Any]:
    named = {"level": "probes", "strategy": group[0], "budget": group[1]}
    return named | {"statistic": statistic} | found._asdict()


def _by_question(results: RunData, x: Floats, y: Floats) -> dict[str, Any]:
    """Compare, for the same question, the strategies that had all evidence and those with none."""
    sides: dict[tuple[str, str, str], tuple[list[float], list[float]]] = {}
    for i in np.flatnonzero((x == _ALL) | (x == _NONE)):
        record = results.records[i]
        key = (record.dataset, record.conversation, record.probe)
        sides.setdefault(key, ([], []))[0 if x[i] == _ALL else 1].append(float(y[i]))
    both = {key: sum(a) / len(a) - sum(b) / len(b) for key, (a, b) in sides.items() if a and b}
    found = paired(list(both.values()), [key[:2] for key in both])
    few = found.descriptive
    return {
        "level": "questions",
        "strategy": "",
        "budget": None,
        "statistic": "all minus none, same question",
        "value": found.mean,
        "low": math.nan if few else found.low,
        "high": math.nan if few else found.high,
        "n": found.n,
        "clusters": found.clusters,
        "note": f"fewer than {FEW} conversations: no interval" if few else "",
    }


def _overall(results: RunData, x: Floats, y: Floats) -> dict[str, Any]:
    """Compare the order of the strategies by retrieval with that by answers."""
    groups = list(results.groups.values())
    talks = _clusters(results, range(len(results.records)))
    numbers = {talk: i for i, talk in enumerate(dict.fromkeys(talks))}
    codes = np.array([numbers[talk] for talk in talks], dtype=np.intp)
    sums = np.zeros((len(numbers), 3, len(groups)))
    for g, at in enumerate(groups):
        known = at[~np.isnan(y[at])]
        for column, values in enumerate((x[known], y[known], np.ones(len(known)))):
            sums[:, column, g] = np.bincount(codes[known], values, minlength=len(numbers))
    used = sums[:, 2].any(axis=1)
    sums = sums[used]
    value, size = float(_tau(sums.sum(axis=0))), int(sums[:, 2].any(axis=0).sum())
    low, high, note = math.nan, math.nan, f"{size} strategies and budgets"
    if len(sums) < FEW:
        note += f"; fewer than {FEW} conversations: no interval"
    elif not math.isnan(value):
        low, high = _resampled(sums)
        note += "; interval: conversations resampled"
    return {
        "level": "strategies",
        "strategy": "",
        "budget": None,
        "statistic": "Kendall's tau",
        "value": value,
        "low": low,
        "high": high,
        "n": size,
        "clusters": len(sums),
        "note": note,
    }


def _tau(totals: Floats) -> Floats:
    """Return tau-b of the means of groups, from sums (…, 3, groups); NaN without an order."""
    x, y, n = np.moveaxis(totals, -2, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (_signs(column / n) for column in (x, y))
        found: Floats = np.sum(a * b, axis=(-2, -1)) / np.sqrt(
            np.sum(a**2, axis=(-2, -1)) * np.sum(b**2, axis=(-2, -1))
        )
    return found


def _signs(means: Floats) -> Floats:
    """Return which of two means is larger, for every pair; 0 where one is missing."""
    signs: Floats = np.nan_to_num(np.sign(means[..., :, None] - means[..., None, :]))
    return signs


def _resampled(sums: Floats) -> tuple[float, float]:
    generator, groups = np.random.default_rng(0), len(sums)
    counts = generator.multinomial(groups, [1 / groups] * groups, _DRAWS)
    drawn = _tau(np.tensordot(counts.astype(np.float64), sums, axes=1))
    if np.isnan(drawn).all():
        return math.nan, math.nan
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return float(low), float(high)
