"""The table of a run for a reader: plain text, and HTML for a notebook."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab import costs
from memlab.cells import Cells, plain
from memlab.cells import html as html_table
from memlab.counters import counter_notes
from memlab.naming import spell
from memlab.parsing import parse
from memlab.protocols import Metric
from memlab.published import read_published
from memlab.rankings import Rankings
from memlab.scoring import tally
from memlab.stats import FEW, Estimate
from memlab.tables import counts, datasets, estimate, field_groups, small
from memlab.taxonomy import Tags, kinds

if TYPE_CHECKING:
    from memlab.rundata import RunData

_WIDE = 22


def shown_metrics(results: RunData) -> list[Metric]:
    """Return the metrics of the table: an answer in the context stands beside its chance."""
    names = [spell(metric) for metric in results.metrics]
    shown: list[Metric] = []
    for metric, name in zip(results.metrics, names, strict=True):
        shown.append(metric)
        if name == "AnswerInContext()" and "AnswerChance()" not in names:
            shown.append(parse("AnswerChance()"))
    return shown


def headings(metrics: Sequence[Metric]) -> list[str]:
    """Return a column heading for each metric, short where that leaves no doubt.

    The notes below the table spell them out.
    """
    names = [spell(metric) for metric in metrics]
    short = [name if len(name) <= _WIDE else _first_argument(name) for name in names]
    return [s if short.count(s) == 1 else n for s, n in zip(short, names, strict=True)]


def _first_argument(name: str) -> str:
    first, comma, _ = name.partition(", ")
    return f"{first}, …)" if comma else name


def grid(results: RunData) -> Cells:
    """Return the table's header and cells as text."""
    metrics = shown_metrics(results)
    several = len({budget for _, budget in results.groups}) > 1
    header = ["strategy", *(["budget"] if several else []), *headings(metrics)]
    header += ["tokens", "read ms", "encode ms", "write µs", "n", "failed"]
    cells = []
    for group, at in results.groups.items():
        timed, spent = costs.latency(results, group), costs.tokens(results, group)
        found = [estimate(results, metric, at) for metric in metrics]
        row = [group[0], *([_limit(group[1])] if several else []), *map(_mean_and_half, found)]
        row += [_number(spent["tokens_read"], 0), _number(timed["read_ms_p50"], 3)]
        row += [_number(timed["encode_read_ms"] or math.nan, 1)]
        row += [_number(timed["write_us_mean"], 1)]
        row += [str(found[0].n if found else len(at)), str(int(results.rankings.failed[at].sum()))]
        cells.append(row)
    for label, told in _published(results, metrics):
        cells.append([label, *(told.get(column, "–") for column in header[1:])])
    return header, cells


def grid_by(results: RunData, field: str) -> Cells:
    """Return the metrics by the values of a field, as text, with the n of the first metric.

    Values that no metric is about are left out.
    """
    metrics = shown_metrics(results)
    several = len({budget for _, budget in results.groups}) > 1
    header = [field, "strategy", *(["budget"] if several else []), *headings(metrics), "n"]
    cells = []
    for value, (strategy, budget), at in field_groups(results, field):
        found = [estimate(results, metric, at) for metric in metrics]
        if found and not any(one.n for one in found):
            continue  # no metric is about these probes
        row = [str(value), strategy, *([_limit(budget)] if several else [])]
        cells.append([*row, *map(_mean_and_half, found), str(found[0].n if found else len(at))])
    for value in dict.fromkeys(row[0] for row in cells):
        after = max(i for i, row in enumerate(cells) if row[0] == value) + 1
        cells[after:after] = [
            [value, label, *(told.get(column, "–") for column in header[2:])]
            for label, told in _published(results, metrics, field, value)
        ]
    return header, cells


def grid_macro(results: RunData, metric: Metric) -> Cells:
    """Return one metric by data set, and its mean over them, as text."""
    names = datasets(results)
    several = len({budget for _, budget in results.groups}) > 1
    header = [spell(metric), *(["budget"] if several else []), *names, "macro"]
    cells = []
    for (strategy, budget), at in results.groups.items():
        parts = [[i for i in at if results.records[i].dataset == name] for name in names]
        found = [estimate(results, metric, np.array(part, dtype=np.intp)) for part in parts]
        row = [strategy, *([_limit(budget)] if several else []), *map(_mean_and_half, found)]
        cells.append([*row, _mean_and_half(estimate(results, metric, at))])
    for name in names:
        for label, told in _published(results, [metric], "dataset", name):
            [text] = told.values()
            cells.append([label, *(text if c == name else "–" for c in header[1:])])
    return header, cells


def _published(
    results: RunData, metrics: Sequence[Metric], field: str = "", value: str = ""
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield label and cells, by column heading, of what others report of these probes."""
    columns = {spell(m): heading for m, heading in zip(metrics, headings(metrics), strict=True)}
    for one in read_published(results.manifest.get("published", [])):
        if one.fits(field, value):
            told = {columns[m]: f"{v:.3f}" for m, v in one.values.items() if m in columns}
            if told:
                yield f"{one.label} (published)", told


def _blocks(results: RunData) -> list[Cells]:
    """Return the tables of a run: for several data sets, one for each metric before the costs."""
    if len(datasets(results)) < 2:
        return [grid(results)]
    return [*(grid_macro(results, metric) for metric in shown_metrics(results)), grid(results)]


def _limit(budget: int | None) -> str:
    return "none" if budget is None else str(budget)


def _mean_and_half(found: Estimate) -> str:
    if math.isnan(found.mean):
        return "–"
    half = (found.high - found.low) / 2
    if math.isnan(half) or found.descriptive:
        return f"{found.mean:.3f}"
    return f"{found.mean:.3f} ±{half:.3f}"


def _number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def caption(results: RunData) -> list[str]:
    """Return the lines around the table: what was run, and what must be known to read it."""
    about = results.manifest
    budgets = list(dict.fromkeys(b for _, b in results.groups)) or about["resolved"]["budget"]
    asked = len({record.conversation for record in results.records})
    clusters = asked or about["dataset"]["conversations"]  # without a probe there is no record
    probes = len(next(iter(results.groups.values()), ()))
    limits = "no limit on" if budgets == [None] else f"budget {', '.join(map(_limit, budgets))}"
    many = "s" if clusters != 1 else ""
    head = (
        f"{about['name']}-{about['hash8']} · {probes} probes in {clusters} conversation{many} · "
        f"{limits} tokens ({about['resolved']['tokenizer']}) · "
        f"seed {about['resolved']['seed']} · memlab {about['packages']['memlab']}"
    )
    return [head, *_notes(results)]


def _notes(results: RunData) -> Iterator[str]:
    if len(datasets(results)) > 1:
        yield "macro, and the last table: every data set weighs the same (interval: Satterthwaite)"
    few = small(results)
    names = f" of {', '.join(few)}, nor of the macro" if any(few) else ""
    none = f"; none{names}: fewer than {FEW} conversations" if few else ""
    yield f"±: half of a 95 % interval, conversations as clusters (CR3, t){none}"
    yield from _kinds(results)
    yield from counter_notes(results)
    yield from _denominators(results)
    yield from _flags(results)
    yield from _data_notes(results)
    jobs = results.manifest.get("jobs", 1)
    side = f", measured with {jobs} units side by side" if jobs > 1 else ""
    beside = read_published(results.manifest.get("published", []))
    for source in dict.fromkeys(f"{one.label}: {one.source}" for one in beside):
        yield f"published, not measured here: {source}"
    yield f"read ms: median of warm reads, encoding apart (mean, as if uncached){side}"
    if results.manifest.get("dataset", {}).get("vectors_shipped"):
        yield "encode ms: as measured when the vectors that come with the data were made"


def _kinds(results: RunData) -> Iterator[str]:
    """Yield the strategies of each kind: how long, where, what and how they keep."""
    alike: dict[Tags, list[str]] = {}
    known = kinds(results.manifest)
    for label in dict.fromkeys(label for label, _ in results.groups):
        if label in known:
            alike.setdefault(known[label], []).append(label)
    if alike:
        told = "; ".join(f"{', '.join(labels)}: {tags}" for tags, labels in alike.items())
        yield f"kinds (duration, storage, content, access): {told}"


def _denominators(results: RunData) -> Iterator[str]:
    """Yield, for metrics with the same denominator, how many probes are in and out of it."""
    first: NDArray[np.intp] | None = next(iter(results.groups.values()), None)
    if first is None:
        return
    rankings = Rankings.of(results.records[i] for i in first)
    alike: dict[tuple[int, int, int], list[str]] = {}
    for metric in shown_metrics(results):
        found = tally(metric, rankings)
        key = (found.n, found.excluded, found.unanswerable)
        alike.setdefault(key, []).append(spell(metric))
    for (n, excluded, unanswerable), names in alike.items():
        yield (
            f"{', '.join(names)}: n = {n}; left out: {unanswerable} unanswerable, "
            f"{excluded} without what the metric asks about"
        )


def _flags(results: RunData) -> Iterator[str]:
    totals = {"trivial": 0, "budget_bound": 0, "unmeasurable": 0}
    for metrics in counts(results).values():
        for counted in metrics.values():
            for name in totals:
                totals[name] += counted[name]
    texts = {
        "trivial": "trivial: k takes in every candidate on",
        "budget_bound": "budget-bound: fewer than k ranks fitted on",
        "unmeasurable": "no value: items without sources, or a metric's own NaN, on",
    }
    yield from (f"{texts[name]} {total} values" for name, total in totals.items() if total)


def _data_notes(results: RunData) -> Iterator[str]:
    data: dict[str, Any] = results.manifest.get("dataset", {})
    if results.manifest.get("coverage"):
        yield f"coverage: {results.manifest['coverage']}"
    defects = {action: sum(kinds.values()) for action, kinds in data.get("defects", {}).items()}
    if defects:
        yield "data: " + ", ".join(f"{n} defects {action}" for action, n in defects.items())
    if data.get("dangling"):
        yield f"data: {data['dangling']} evidence ids name no turn said before their probe"
    ignored: Counter[str] = Counter()
    for facts in results.facts:
        ignored[facts["strategy"]] += facts.get("forget_ignored", 0)
    for label in [label for label, n in ignored.items() if n]:
        yield f"deletion: {ignored[label]} requests went to {label!r}, which cannot forget"
    cut: Counter[str] = Counter()
    for facts in results.facts:
        booked = facts.get("encoded", {}).values()
        cut[facts["strategy"]] += max((one["truncated"] for one in booked), default=0)
    for label in [label for label, n in cut.items() if n]:
        yield f"truncated: {cut[label]} texts are longer than the embedder of {label!r} reads"
    derived = dict.fromkeys(f["strategy"] for f in results.facts if f.get("derived_items"))
    if derived:
        yield (
            f"derived items ({', '.join(derived)}): recall counts what they point to, not how much "
            "of it they say; read it beside AnswerInContext"
        )
    yield from _fault_notes(results)


def _fault_notes(results: RunData) -> Iterator[str]:
    """Yield what went wrong, a line for each strategy and kind of fault."""
    failed = Counter((r.strategy, r.error) for r in results.records if r.error is not None)
    yield from (f"failed: {label!r} on {n} reads: {error}" for (label, error), n in failed.items())
    told = {(label, error) for label, error in failed}
    broken = [f for f in results.facts if "error" in f and (f["strategy"], f["error"]) not in told]
    for facts in broken:
        yield f"{facts['strategy']!r} broke on {facts['conversation']!r}: {facts['error']}"
    for verdict, text in (("leak", "another user's turns"), ("residue", "forgotten turns")):
        bad = Counter(r.strategy for r in results.records if r.verdicts.get(verdict))
        yield from (
            f"{verdict}: {label!r} returned {text} on {n} reads" for label, n in bad.items()
        )
    for label in dict.fromkeys(r.strategy for r in results.records if r.rejected):
        own = [r for r in results.records if r.strategy == label]
        rejected, ranks = sum(len(r.rejected) for r in own), sum(len(r.ranked) for r in own)
        yield f"claims: {rejected} of {ranks} sources of {label!r} are not borne out by its texts"


def as_text(results: RunData) -> str:
    """Return the table in plain text."""
    head, *notes = caption(results)
    shown = (line for block in _blocks(results) for line in (plain(block), ""))
    return "\n".join([head, "", *shown, *notes])


def as_html(results: RunData) -> str:
    """Return the table as HTML for a notebook."""
    head, *notes = (html.escape(line) for line in caption(results))
    tables = "".join(html_table(block) for block in _blocks(results))
    return f"<div>{head}</div>{tables}<small>{'<br>'.join(notes)}</small>"
