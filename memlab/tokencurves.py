"""Metrics at equal tokens: curves over the budgets of a run, and what they give each probe."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memlab.curve import Curve, shared_range
from memlab.curve import curve as make_curve
from memlab.errors import ConfigError
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rundata import RunData
from memlab.scoring import as_metric
from memlab.stats import cluster_mean, macro_mean

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Tokens = float | tuple[float, float]
"""A number of tokens, or a range of them: the value there, or the mean height over it."""


def curves(results: RunData, metric: Metric) -> dict[tuple[str, str], Curve]:
    """Return the curve of each strategy in each data set, by data set and strategy."""
    values, rankings = results.values(metric), results.rankings
    names = np.array([record.dataset for record in results.records])
    found = {}
    for name in dict.fromkeys(names.tolist()):
        for strategy in dict.fromkeys(label for label, _ in results.groups):
            groups = [at for (label, _), at in results.groups.items() if label == strategy]
            at = np.concatenate(groups)
            at = at[names[at] == name]
            limits = rankings.budget[at]
            limits = np.where(np.isnan(limits), np.inf, limits)
            columns = (limits, rankings.tokens[at], values[at], rankings.cut[at])
            found[name, strategy] = make_curve(*columns)
    return found


def curve_table(results: RunData, metric: Metric | str) -> pd.DataFrame:
    """Return a metric against tokens, one line per data set, strategy and budget, with its area.

    `area` is the mean height over the range of tokens that all strategies share, on a
    logarithmic axis; NaN where there is no such range.
    """
    import pandas as pd

    measure = as_metric(metric)
    rows = []
    made = curves(results, measure)
    several = len({name for name, _ in made}) > 1
    for (name, strategy), drawn in made.items():
        low, high = shared_range(c for (n, _), c in made.items() if n == name and len(c.tokens))
        known = len(drawn.tokens) and 0 <= low < high < math.inf
        area = drawn.area(low, high) if known else math.nan
        for budget, tokens, value in zip(drawn.budgets, drawn.tokens, drawn.values, strict=True):
            limit = None if math.isinf(budget) else int(budget)
            row = (strategy, limit, tokens, value, area, low, high)
            rows.append((name, *row) if several else row)
    columns = ["strategy", "budget", "tokens", spell(measure), "area", "from_tokens", "to_tokens"]
    return pd.DataFrame(rows, columns=["dataset", *columns] if several else columns)


def common_range(results: RunData, metric: Metric, strategies: Iterable[str]) -> Tokens:
    """Return the widest range of tokens on which the curves of all strategies are known.

    Raises:
        ConfigError: there is none.
    """
    chosen = set(strategies)
    made = [c for (_, label), c in curves(results, metric).items() if label in chosen]
    low, high = shared_range(made)
    if not 0 <= low < high < math.inf:
        raise ConfigError(
            f"no range of tokens on which all of {sorted(chosen)} are known",
            "curves that overlap",
            "run more budgets: budget=[500, 1000, …]",
        )
    return low, high


def shares(drawn: Curve, tokens: Tokens) -> dict[float, float]:
    """Return the share of each budget in the value of a curve; NaN where it is not known."""
    weights = drawn.area_weights(*tokens) if isinstance(tokens, tuple) else drawn.weights(tokens)
    return dict(zip(drawn.budgets.tolist(), weights.tolist(), strict=True))


def mixed(results: RunData, metric: Metric, strategy: str, tokens: Tokens) -> Floats:
    """Return a strategy's values at equal tokens, in the order of its records at one budget.

    The shares of the budgets are those of its curve in the data set of the record.
    """
    values, rankings = results.values(metric), results.rankings
    made = curves(results, metric)
    groups = {b: at for (label, b), at in results.groups.items() if label == strategy}
    first = next(iter(groups.values()))
    names = [results.records[i].dataset for i in first]
    mixtures = {name: shares(made[name, strategy], tokens) for name in dict.fromkeys(names)}
    total = np.zeros(len(first))
    for at in groups.values():
        limit = float(rankings.budget[at[0]]) if len(at) else math.nan
        limit = math.inf if math.isnan(limit) else limit
        share = np.array([mixtures[name].get(limit, math.nan) for name in names])
        own = np.where(share == 0, 0.0, values[at])
        total += share * own
    return total


def at_tokens(results: RunData, tokens: float, metric: Metric | str) -> pd.DataFrame:
    """Return every strategy's metric at a number of tokens, between its budgets."""
    import pandas as pd

    measure = as_metric(metric)
    if not math.isfinite(tokens) or tokens < 0:
        raise ConfigError(f"tokens={tokens!r}", "a number of tokens, as 1000")
    made, name = curves(results, measure), spell(measure)
    rows = []
    for label in dict.fromkeys(label for label, _ in results.groups):
        at = next(at for (strategy, _), at in results.groups.items() if strategy == label)
        values = mixed(results, measure, label, tokens)
        records = [results.records[i] for i in at]
        parts = []
        for dataset in dict.fromkeys(record.dataset for record in records):
            own = [i for i, record in enumerate(records) if record.dataset == dataset]
            parts.append(cluster_mean(values[own], [records[i].conversation for i in own]))
        found = parts[0] if len(parts) == 1 else macro_mean(parts)
        row = {"strategy": label, "tokens": tokens, name: found.mean}
        row |= {f"{name} low": found.low, f"{name} high": found.high}
        row |= {"n": found.n, "clusters": found.clusters}
        rows.append(row | {"why": _why([c for (_, s), c in made.items() if s == label], tokens)})
    return pd.DataFrame(rows)


def out_of_range(
    results: RunData, metric: Metric, tokens: Tokens, strategies: Iterable[str]
) -> list[str]:
    """Return a line for each strategy that has no value at so many tokens."""
    made = curves(results, metric)
    ends = tokens if isinstance(tokens, tuple) else (tokens,)
    lines = []
    for label in dict.fromkeys(strategies):
        own = [drawn for (_, strategy), drawn in made.items() if strategy == label]
        whys = dict.fromkeys(why for end in ends if (why := _why(own, end)))
        lines += [f"no value for {label!r}: {why}" for why in whys]
    return lines


def _why(made: Iterable[Curve], tokens: float) -> str:
    """Return why a value is missing; "" where it is not."""
    for drawn in made:
        if not len(drawn.tokens):
            return "the metric has none at any budget"
        if tokens < drawn.low:
            return f"its smallest budget gave {drawn.low:.0f} tokens"
        if tokens > drawn.high:
            return f"its largest budget gave {drawn.high:.0f} tokens, and cut contexts"
    return ""
