"""Metrics at equal tokens: curves over the budgets of a run, and what they give each probe."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab.curve import Curve, shared_range
from memlab.curve import curve as make_curve
from memlab.errors import ConfigError
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rundata import RunData
from memlab.scoring import as_metric
from memlab.stats import Estimate, cluster_mean, macro_mean

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Tokens = float | tuple[float, float]
"""A number of tokens, or a range of them: the value there, or the mean height over it."""


def curves(results: RunData, metric: Metric) -> dict[tuple[str, str], Curve]:
    """Return the curve of each strategy in each data set, by data set and strategy."""
    values, rankings = results.values(metric), results.rankings
    names = np.array([record.dataset for record in results.records])
    found: dict[tuple[str, str], Curve] = {}
    for name in dict.fromkeys(names.tolist()):
        for strategy in dict.fromkeys(label for label, _ in results.groups):
            groups = [at for (label, _), at in results.groups.items() if label == strategy]
            at = np.concatenate(groups)
            at = at[names[at] == name]
            limits, ended = rankings.budget[at], rankings.cut[at]
            most = limits == limits.max(initial=0)
            if rankings.failed[at][most].all():  # nothing is known of what more tokens give
                ended = ended | most
            found[name, strategy] = make_curve(limits, rankings.tokens[at], values[at], ended)
    return found


def check_tokens(tokens: Any) -> Tokens:  # noqa: ANN401 - it is what is checked
    """Return a number of tokens, or a range of them as a pair.

    Raises:
        ConfigError: neither.

    >>> check_tokens(1000), check_tokens([500, 4000])
    (1000.0, (500.0, 4000.0))
    """
    ends = tokens if isinstance(tokens, tuple | list) else [tokens]
    real = all(isinstance(e, int | float | np.number) and not isinstance(e, bool) for e in ends)
    if real and all(0 <= e < math.inf for e in ends):
        if ends is not tokens:
            return float(ends[0])
        if len(ends) == 2 and ends[0] < ends[1]:
            return float(ends[0]), float(ends[1])
    raise ConfigError(f"tokens={tokens!r}", "a number, as 1000, or a range, as (500, 4000)")


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

    Data sets on which the metric has no value for any of them do not matter.

    Raises:
        ConfigError: there is none.
    """
    chosen = set(strategies)
    made = {key: c for key, c in curves(results, metric).items() if key[1] in chosen}
    measured = {name for (name, _), drawn in made.items() if len(drawn.tokens)}
    low, high = shared_range(drawn for (name, _), drawn in made.items() if name in measured)
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

    The shares of the budgets are those of its curve in the data set of the record; a budget
    that has no value in it has none.

    Raises:
        ConfigError: the budgets were asked other probes, or in another order.
    """
    values, rankings = results.values(metric), results.rankings
    made = curves(results, metric)
    groups = [at for (label, _), at in results.groups.items() if label == strategy]
    names = [results.records[i].dataset for i in groups[0]]
    mixtures = {name: shares(made[name, strategy], tokens) for name in dict.fromkeys(names)}
    total = np.where([bool(mixtures[name]) for name in names], 0.0, math.nan)
    asked = _asked(results, groups[0])
    for at in groups:
        if _asked(results, at) != asked:
            raise ConfigError(
                f"budgets of {strategy!r} with other probes", "the same, in one order"
            )
        limit = float(rankings.budget[at[0]])
        share = np.array([mixtures[name].get(limit, 0.0) for name in names])
        own = np.where(share == 0, 0.0, values[at])
        total += share * own
    return total


def _asked(results: RunData, at: NDArray[np.intp]) -> list[tuple[str, str, str]]:
    records = (results.records[i] for i in at)
    return [(record.dataset, record.conversation, record.probe) for record in records]


def at_tokens(results: RunData, tokens: float, metric: Metric | str) -> pd.DataFrame:
    """Return every strategy's metric at a number of tokens, between its budgets.

    Of a joined run the mean over its data sets, NaN where it is not known in one of them.
    """
    import pandas as pd

    measure, wanted = as_metric(metric), check_tokens(tokens)
    if isinstance(wanted, tuple):
        raise ConfigError(f"tokens={tokens!r}", "a number of tokens, as 1000")
    made, name = curves(results, measure), spell(measure)
    rows = []
    for label in dict.fromkeys(label for label, _ in results.groups):
        reasons = _reasons(made, label, (wanted,))
        found = cluster_mean([], []) if reasons else _mean(results, measure, label, wanted)
        if not found.n and not reasons:
            reasons = ["no probe has a value at both budgets around it"]
        row = {"strategy": label, "tokens": tokens, name: found.mean}
        row |= {f"{name} low": found.low, f"{name} high": found.high}
        row |= {"n": found.n, "clusters": found.clusters}
        rows.append(row | {"why": "; ".join(reasons)})
    return pd.DataFrame(rows)


def _mean(results: RunData, metric: Metric, strategy: str, tokens: float) -> Estimate:
    at = next(at for (label, _), at in results.groups.items() if label == strategy)
    values = mixed(results, metric, strategy, tokens)
    records = [results.records[i] for i in at]
    parts = []
    for dataset in dict.fromkeys(record.dataset for record in records):
        own = [i for i, record in enumerate(records) if record.dataset == dataset]
        parts.append(cluster_mean(values[own], [records[i].conversation for i in own]))
    return parts[0] if len(parts) == 1 else macro_mean(parts)


def out_of_range(
    results: RunData, metric: Metric, tokens: Tokens, strategies: Iterable[str]
) -> list[str]:
    """Return a line for each strategy that has no value at so many tokens."""
    made = curves(results, metric)
    ends = tokens if isinstance(tokens, tuple) else (tokens,)
    return [
        f"no value for {label!r}: {why}"
        for label in dict.fromkeys(strategies)
        for why in _reasons(made, label, ends)
    ]


def _reasons(
    made: Mapping[tuple[str, str], Curve], strategy: str, tokens: Sequence[float]
) -> list[str]:
    """Return why a value is missing, in which data set; a data set without any does not count."""
    several = len({name for name, _ in made}) > 1
    measured = {name for (name, _), drawn in made.items() if len(drawn.tokens)}
    found: dict[str, None] = {}
    for (name, label), drawn in made.items():
        if label == strategy and (name in measured or not measured):
            whys = (why for one in tokens if (why := _why(drawn, one)))
            found |= dict.fromkeys(f"in {name} {why}" if several else why for why in whys)
    return list(found)


def _why(drawn: Curve, tokens: float) -> str:
    """Return why a value is missing; "" where it is not."""
    if not len(drawn.tokens):
        return "the metric has none at any budget"
    if tokens < drawn.low:
        return f"its smallest budget gave {drawn.low:.0f} tokens"
    if tokens > drawn.high:
        return f"its largest budget gave {drawn.high:.0f} tokens, and cut contexts or failed"
    return ""
