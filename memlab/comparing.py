"""From runs to comparisons: who is compared with whom, on which probes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from memlab.comparability import require_same
from memlab.comparison import COLUMNS, Comparison
from memlab.contrasts import Contrast, Entry, Method, adjusted, contrast
from memlab.errors import ConfigError, Faults
from memlab.naming import spell
from memlab.probewise import Key, OfRun, Source, check_labels, pair
from memlab.protocols import Metric
from memlab.rundata import RunData
from memlab.scoring import definition
from memlab.tables import field_values
from memlab.tokencurves import Tokens, check_tokens, common_range, out_of_range

Wanted = tuple[str, str, int | None]
"""Strategy, baseline and budget."""


def compare(
    results: RunData,
    baseline: str | None,
    metrics: Sequence[Metric],
    *,
    strategies: Sequence[str] | None = None,
    other: RunData | None = None,
    tokens: Tokens | str | None = None,
    by: str | None = None,
    budget: int | str | None = "all",
    method: Method,
) -> Comparison:
    """Compare strategies of a run with a baseline of it, or of another run."""
    method.check()
    if not metrics:
        raise ConfigError("no metric", "one at least", "give metrics=[…]")
    if by in COLUMNS:
        raise ConfigError(f"by={by!r}", "a field that is not named like a column of comparisons")
    if tokens is not None and budget != "all":
        raise ConfigError(f"tokens={tokens!r} and budget={budget!r}", "one of both")
    if other is not None:
        require_same(results.manifest, other.manifest)
    ours = OfRun(results, apart=by == "dataset")
    theirs = ours if other is None else OfRun(other, apart=by == "dataset")
    wanted = contrasts(ours, theirs, baseline, strategies, same=other is None)
    if budget != "all":
        _check_budget(budget, ours)
        wanted = [one for one in wanted if one[2] == budget]
    level: Tokens | None = _level(results, other, metrics, tokens, wanted)
    parts = _parts(results, by)
    about: list[str] = []
    if level is not None:
        wanted = list(dict.fromkeys((s, b, None) for s, b, _ in wanted))
        about = _unknown(results, other, metrics, level, wanted)
        if by not in (None, "dataset"):
            about.append(f"tokens are equal over all probes, not for each {by}")
    return build(
        ours, theirs, metrics, wanted, method, parts, field=by or "", tokens=level, about=about
    )


def contrasts(
    ours: Source,
    theirs: Source,
    baseline: str | None,
    strategies: Sequence[str] | None,
    *,
    same: bool,
) -> list[Wanted]:
    """Return the contrasts that are asked for; two runs compare namesakes by default.

    Raises:
        Faults: unknown labels, or nothing to compare.
    """
    strategies = [strategies] if isinstance(strategies, str) else strategies
    faults = check_labels(strategies or (), ours.labels)
    if baseline is not None:
        faults += check_labels([baseline], theirs.labels, "baseline")
    elif same:
        faults.append("no baseline; expected one of: " + ", ".join(ours.labels))
    chosen = list(dict.fromkeys(strategies if strategies is not None else ours.labels))
    if baseline is None:
        pairs = [(label, label) for label in chosen if label in theirs.labels]
    else:
        pairs = [(label, baseline) for label in chosen if not (same and label == baseline)]
    if not faults and not pairs:
        faults.append(f"nothing to compare with {baseline!r}; expected another strategy")
    if faults:
        raise Faults(faults, "this comparison cannot be made")
    return [(label, base, budget) for label, base in pairs for budget in ours.budgets]


def build(
    ours: Source,
    theirs: Source,
    metrics: Sequence[Metric],
    wanted: Sequence[Wanted],
    method: Method,
    parts: Sequence[tuple[Any, frozenset[Key] | None]] = ((None, None),),
    *,
    field: str = "",
    tokens: Tokens | None = None,
    about: Sequence[str] = (),
) -> Comparison:
    """Make the contrasts of each metric, which are one family, and adjust them."""
    entries: list[Entry] = []
    ways: list[str] = []
    about = [*about, *_undirected(metrics), *_failures(ours, theirs, wanted, tokens)]
    for metric in metrics:
        name = spell(metric)
        mine = {(s, b): ours.scores(metric, s, b, tokens) for s, _, b in wanted}
        rival = {(s, b): theirs.scores(metric, s, b, tokens) for _, s, b in wanted}
        places: list[tuple[Wanted, Any]] = []
        made: list[Contrast] = []
        for one in wanted:
            label, base, budget = one
            both = mine[label, budget], rival[base, budget]
            for value, keys in parts:
                shown = both if keys is None else (both[0].kept(keys), both[1].kept(keys))
                places.append((one, value))
                made.append(contrast(name, metric, pair(*shown), method))
        final, way = adjusted(made, method.adjust)
        ways.append(way)
        entries += [
            Entry(name, *one, found, value)
            for (one, value), found in zip(places, final, strict=True)
        ]
    return Comparison(entries, method, ways, field=field, tokens=tokens, about=about)


def pairs(results: RunData, metric: Metric, budget: Any, method: Method) -> Comparison:  # noqa: ANN401
    """Compare every two strategies of a run at a budget: each pair once, as one family."""
    source = OfRun(results)
    if budget == "all":
        budget = source.budgets[0] if len(source.budgets) == 1 else budget
    _check_budget(budget, source)
    if len(source.labels) < 2:
        raise ConfigError(f"one strategy, {source.labels}", "two at least")
    method.check()
    wanted = [(a, b, budget) for a, b in itertools.combinations(source.labels, 2)]
    return build(source, source, [metric], wanted, method)


def _undirected(metrics: Sequence[Metric]) -> list[str]:
    """Return a line for each metric that leaves open which way is better."""
    return [
        f"{spell(metric)} does not say which way is better: more is taken to be"
        for metric in metrics
        if "higher_is_better" not in definition(metric)
    ]


def _failures(
    ours: Source, theirs: Source, wanted: Sequence[Wanted], tokens: Tokens | None
) -> list[str]:
    """Return how many reads failed; they score what the metric states, so verdicts hide them."""
    found: dict[str, dict[int | None, tuple[int, int]]] = {}
    earlier = "" if theirs is ours else " of the baseline's run"
    for label, base, budget in wanted:
        for name, source, run in ((label, ours, ""), (base, theirs, earlier)):
            counts = found.setdefault(f"{name!r}{run}", {})
            counts[budget] = source.failed(name, budget, tokens)
    totals = {name: [sum(n) for n in zip(*c.values(), strict=True)] for name, c in found.items()}
    told = [f"{name} {failed:,} of {asked:,}" for name, (failed, asked) in totals.items() if failed]
    return [f"failed reads, which score what the metric states: {', '.join(told)}"] if told else []


def _check_budget(budget: Any, source: Source) -> None:  # noqa: ANN401
    if budget not in source.budgets:
        raise ConfigError(f"budget={budget!r}", f"one of the run's: {source.budgets}")


def _level(
    results: RunData,
    other: RunData | None,
    metrics: Sequence[Metric],
    tokens: Tokens | str | None,
    wanted: Iterable[Wanted],
) -> Tokens | None:
    if tokens is None:
        return None
    if not isinstance(tokens, str):
        return check_tokens(tokens)
    if tokens != "area":
        raise ConfigError(f"tokens={tokens!r}", "a number, a range (low, high), or 'area'")
    if len(metrics) != 1 or other is not None:
        raise ConfigError(
            "tokens='area' for several metrics or runs",
            "one metric of one run",
            "or give the range: tokens=(500, 4000)",
        )
    labels = {label for label, _, _ in wanted} | {base for _, base, _ in wanted}
    return common_range(results, metrics[0], labels)


def _unknown(
    results: RunData,
    other: RunData | None,
    metrics: Sequence[Metric],
    tokens: Tokens,
    wanted: Iterable[Wanted],
) -> list[str]:
    """Return a line for each strategy whose curve is not known at so many tokens."""
    ours, theirs = ([str(pair[side]) for pair in wanted] for side in (0, 1))
    found: list[str] = []
    for metric in metrics:
        found += out_of_range(results, metric, tokens, ours if other else [*ours, *theirs])
        found += out_of_range(other, metric, tokens, theirs) if other else []
    return list(dict.fromkeys(found))


def _parts(results: RunData, by: str | None) -> list[tuple[Any, frozenset[Key] | None]]:
    """Return the values of a field and the probes that have them."""
    if by is None:
        return [(None, None)]
    ordered, values = field_values(results, by)
    found: dict[int, set[Key]] = {id(value): set() for value in ordered}
    for record, value in zip(results.records, values, strict=True):
        found[id(value)].add(Key(record.dataset, record.conversation, record.probe))
    return [(value, frozenset(found[id(value)])) for value in ordered]
