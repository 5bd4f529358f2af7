"""The tables of a run: frames, plain text, HTML, JSON."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab import costs
from memlab.curve import Curve, shared_range
from memlab.curve import curve as make_curve
from memlab.naming import parse
from memlab.protocols import Metric
from memlab.rankings import Rankings
from memlab.scoring import tally
from memlab.stats import FEW, Estimate, cluster_mean

if TYPE_CHECKING:
    import pandas as pd

    from memlab.results import Results

_RANGES = 5


def estimate(results: Results, metric: Metric, at: NDArray[np.intp]) -> Estimate:
    """Return the mean of a metric over some records, conversations as clusters."""
    clusters = [results.records[i].conversation for i in at]
    return cluster_mean(results.values(metric)[at], clusters)


def summary(results: Results, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return one line per strategy and budget."""
    import pandas as pd

    rows = []
    for group, at in results.groups.items():
        row: dict[str, Any] = {"strategy": group[0], "budget": group[1]}
        for metric in metrics:
            found = estimate(results, metric, at)
            name = repr(metric)
            row |= {name: found.mean, f"{name} low": found.low, f"{name} high": found.high}
            row[f"{name} n"] = found.n
        spent, timed = costs.tokens(results, group), costs.latency(results, group)
        row |= {k: spent[k] for k in ("tokens_written", "tokens_read")}
        row |= {k: timed[k] for k in ("read_ms_p50", "read_ms_p95", "encode_read_ms")}
        row["write_us_mean"] = timed["write_us_mean"]
        row |= {"n": len(at), "failed": int(results.rankings.failed[at].sum())}
        rows.append(row)
    return pd.DataFrame(rows)


def by(results: Results, field: str, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return one line per value of a field, strategy and budget."""
    import pandas as pd

    values = _ranges(results.field(field))
    rows = []
    for value in sorted(set(values), key=_in_order):
        for (strategy, budget), at in results.groups.items():
            chosen = np.array([i for i in at if values[i] == value], dtype=np.intp)
            row: dict[str, Any] = {field: value, "strategy": strategy, "budget": budget}
            for metric in metrics:
                found = estimate(results, metric, chosen)
                row |= {repr(metric): found.mean, f"{metric!r} low": found.low}
                row |= {f"{metric!r} high": found.high, f"{metric!r} n": found.n}
            rows.append(row | {"n": len(chosen)})
    return pd.DataFrame(rows)


def _in_order(value: Any) -> tuple[bool, float, str]:  # noqa: ANN401
    """Sort numbers and ranges by size, texts by text, and None last."""
    size = getattr(value, "left", value)
    numeric = isinstance(size, int | float)
    return value is None, float(size) if numeric else math.inf, str(value)


def _ranges(values: Sequence[Any]) -> list[Any]:
    """Cut the numbers of a dial into ranges where it has many values."""
    import pandas as pd

    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(set(numbers)) <= 8:
        return list(values)
    edges = pd.qcut(pd.Series(values, dtype="float64"), _RANGES, duplicates="drop")
    return [None if pd.isna(value) else value for value in edges]


def curve(results: Results, metric: Metric | str) -> pd.DataFrame:
    """Return a metric against tokens, one line per strategy and budget, with its area.

    `area` is the mean height over the range of tokens that all strategies share, on a
    logarithmic axis; NaN where there is no such range.
    """
    import pandas as pd

    measure: Metric = parse(metric) if isinstance(metric, str) else metric
    curves = _curves(results, measure)
    low, high = shared_range(curves.values())
    rows = []
    for strategy, made in curves.items():
        area = made.area(low, high) if 0 <= low < high < math.inf else math.nan
        for budget, tokens, value in zip(made.budgets, made.tokens, made.values, strict=True):
            limit = None if math.isinf(budget) else int(budget)
            rows.append((strategy, limit, tokens, value, area, low, high))
    names = ["strategy", "budget", "tokens", repr(measure), "area", "from_tokens", "to_tokens"]
    return pd.DataFrame(rows, columns=names)


def _curves(results: Results, metric: Metric) -> dict[str, Curve]:
    values, rankings = results.values(metric), results.rankings
    found = {}
    for strategy in dict.fromkeys(label for label, _ in results.groups):
        at = np.concatenate([a for (label, _), a in results.groups.items() if label == strategy])
        limits = rankings.budget[at]
        limits = np.where(np.isnan(limits), np.inf, limits)
        found[strategy] = make_curve(limits, rankings.tokens[at], values[at], rankings.cut[at])
    return found


def counts(results: Results) -> dict[str, Any]:
    """Return, for each strategy and budget and each metric, what became of its records."""
    found: dict[str, Any] = {}
    for (strategy, budget), at in results.groups.items():
        rankings = Rankings.of(results.records[i] for i in at)
        found[_key(results, strategy, budget)] = {
            repr(m): tally(m, rankings, results.values(m)[at])._asdict() for m in results.metrics
        }
    return found


def _key(results: Results, strategy: str, budget: int | None) -> str:
    several = len({b for _, b in results.groups}) > 1
    return f"{strategy} @{'none' if budget is None else budget}" if several else strategy


def as_json(results: Results, fields: Sequence[str]) -> dict[str, Any]:
    """Return the table as JSON values: NaN becomes None."""
    strategies, split = {}, {}
    for group, at in results.groups.items():
        timed, spent = costs.latency(results, group), costs.tokens(results, group)
        strategies[_key(results, *group)] = {
            "metrics": _means(results, at),
            "tokens": {"written": spent["tokens_written"], "read": spent["tokens_read"]},
            "read_ms": {q: timed[f"read_ms_{q}"] for q in ("p50", "p95", "p99")},
            "write_us": {q: timed[f"write_us_{q}"] for q in ("p50", "p95", "p99")},
            "encode_ms": {"write": timed["encode_write_ms"], "read": timed["encode_read_ms"]},
            "failed": int(results.rankings.failed[at].sum()),
        }
    for field in fields:
        values = _ranges(results.field(field))
        split[field] = {
            str(value): {
                _key(results, *group): _means(
                    results, np.array([i for i in at if values[i] == value], dtype=np.intp)
                )
                for group, at in results.groups.items()
            }
            for value in sorted(set(values), key=_in_order)
        }
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


def _means(results: Results, at: NDArray[np.intp]) -> dict[str, dict[str, float]]:
    found = {repr(metric): estimate(results, metric, at) for metric in results.metrics}
    return {
        name: {"mean": e.mean, "low": e.low, "high": e.high, "n": e.n} for name, e in found.items()
    }


def _excluded(results: Results, at: NDArray[np.intp]) -> int:
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


def grid(results: Results) -> tuple[list[str], list[list[str]]]:
    """Return the table's header and cells as text."""
    several = len({budget for _, budget in results.groups}) > 1
    header = ["strategy", *(["budget"] if several else []), *map(repr, results.metrics)]
    header += ["tokens", "read ms", "encode ms", "write µs", "n", "failed"]
    cells = []
    for group, at in results.groups.items():
        timed, spent = costs.latency(results, group), costs.tokens(results, group)
        found = [estimate(results, metric, at) for metric in results.metrics]
        row = [group[0], *([_limit(group[1])] if several else []), *map(_mean_and_half, found)]
        row += [_number(spent["tokens_read"], 0), _number(timed["read_ms_p50"], 3)]
        row += [_number(timed["encode_read_ms"] or math.nan, 1)]
        row += [_number(timed["write_us_mean"], 1)]
        row += [str(found[0].n if found else len(at)), str(int(results.rankings.failed[at].sum()))]
        cells.append(row)
    return header, cells


def _limit(budget: int | None) -> str:
    return "none" if budget is None else str(budget)


def _mean_and_half(found: Estimate) -> str:
    if math.isnan(found.mean):
        return "–"
    half = (found.high - found.low) / 2
    shown = f"{found.mean:.3f}"
    return shown if math.isnan(half) else f"{shown} ±{half:.3f}"


def _number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def caption(results: Results) -> list[str]:
    """Return the lines around the table: what was run, and what must be known to read it."""
    about = results.manifest
    budgets = list(dict.fromkeys(budget for _, budget in results.groups))
    clusters = len({record.conversation for record in results.records})
    probes = len(next(iter(results.groups.values()), ()))
    head = (
        f"{about['name']}-{about['hash8']} · {probes} probes in {clusters} conversations · "
        f"budget {', '.join(map(_limit, budgets))} tokens ({about['resolved']['tokenizer']}) · "
        f"seed {about['resolved']['seed']} · memlab {about['packages']['memlab']}"
    )
    return [head, *_notes(results, clusters)]


def _notes(results: Results, clusters: int) -> Iterable[str]:
    few = f"; fewer than {FEW} conversations: descriptive only" if clusters < FEW else ""
    yield f"±: half of a 95 % interval, conversations as clusters (CR3, t){few}"
    yield from _denominators(results)
    yield from _flags(results)
    jobs = results.manifest.get("jobs", 1)
    side = f", measured with {jobs} units side by side" if jobs > 1 else ""
    yield f"read ms: median of warm reads, encoding apart (mean, as if uncached){side}"


def _denominators(results: Results) -> Iterable[str]:
    """Yield, for metrics with the same denominator, how many probes are in and out of it."""
    first = next(iter(results.groups.values()), None)
    if first is None:
        return
    rankings = Rankings.of(results.records[i] for i in first)
    alike: dict[tuple[int, int, int], list[str]] = {}
    for metric in results.metrics:
        found = tally(metric, rankings)
        key = (found.n, found.excluded, found.unanswerable)
        alike.setdefault(key, []).append(repr(metric))
    for (n, excluded, unanswerable), names in alike.items():
        yield (
            f"{', '.join(names)}: n = {n}; left out: {unanswerable} unanswerable, "
            f"{excluded} without what the metric asks about"
        )


def _flags(results: Results) -> Iterable[str]:
    totals = {"trivial": 0, "budget_bound": 0, "unmeasurable": 0}
    for metrics in counts(results).values():
        for counted in metrics.values():
            for name in totals:
                totals[name] += counted[name]
    if totals["trivial"]:
        yield f"trivial: k takes in every candidate on {totals['trivial']} values"
    if totals["budget_bound"]:
        yield f"budget-bound: fewer than k ranks fitted on {totals['budget_bound']} values"
    if totals["unmeasurable"]:
        yield f"not measurable: items without sources on {totals['unmeasurable']} values"
    ignored = sum(f.get("forget_ignored", 0) for f in results.facts)
    if ignored:
        yield f"deletion: {ignored} requests went to strategies that cannot forget"


def as_text(results: Results) -> str:
    """Return the table in plain text."""
    header, cells = grid(results)
    widths = [max(len(row[i]) for row in [header, *cells]) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        first = row[0].ljust(widths[0])
        rest = (cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))
        return "  ".join([first, *rest]).rstrip()

    head, *notes = caption(results)
    return "\n".join([head, "", line(header), *map(line, cells), "", *notes])


def as_html(results: Results) -> str:
    """Return the table as HTML for a notebook."""
    header, cells = grid(results)
    head, *notes = (html.escape(line) for line in caption(results))

    def row(tag: str, values: Sequence[str]) -> str:
        style = 'style="text-align:{}"'
        aligned = (style.format("left" if i == 0 else "right") for i in range(len(values)))
        return "".join(
            f"<{tag} {side}>{html.escape(value)}</{tag}>"
            for side, value in zip(aligned, values, strict=True)
        )

    body = "".join(f"<tr>{row('td', values)}</tr>" for values in cells)
    return (
        f"<table><caption style='text-align:left'>{head}</caption>"
        f"<thead><tr>{row('th', header)}</tr></thead><tbody>{body}</tbody></table>"
        f"<small>{'<br>'.join(notes)}</small>"
    )
