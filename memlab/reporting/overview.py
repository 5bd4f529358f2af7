"""The table of a run, and the same by a field of the probes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from memlab import costs
from memlab.protocols import Metric
from memlab.render import headings, shown_metrics
from memlab.reporting.grid import (
    Cell,
    Column,
    Grid,
    count,
    estimated,
    names,
    number,
    row_names,
    text,
)
from memlab.reporting.parts import parts, several_budgets
from memlab.rundata import Group, RunData
from memlab.scoring import definition
from memlab.tables import estimate, field_groups

MACRO = "macro"
_COSTS = (
    Column("tokens", about="mean tokens of the context that a read returned"),
    Column("read ms", about="median of warm reads, encoding of the query apart"),
    Column("read p95", about="95th percentile of warm reads, in ms"),
    Column("encode ms", about="mean encoding of a query, as if nothing were cached"),
    Column("write µs", about="mean time to write one turn"),
)
_COUNTS = (
    Column("n", about="probes that the first metric is about"),
    Column("failed", about="reads on which the strategy failed"),
)


def overview(results: RunData) -> Grid:
    """Return one line per strategy, budget and data set, and their macro-averages."""
    metrics = shown_metrics(results)
    split = parts(results)
    columns = names(several_budgets(results), len(split) > 1)
    rows = []
    for group, at in results.groups.items():
        for dataset, part in split:
            if group not in part.groups:
                continue
            cells = row_names(*group, dataset, columns)
            rows.append((*cells, *_line(part, group, metrics)))
        if len(split) > 1:
            found = [estimate(results, metric, at) for metric in metrics]
            failed = int(results.rankings.failed[at].sum())
            cells = row_names(*group, MACRO, columns)
            cells += [*map(estimated, found), *(number(math.nan) for _ in _COSTS)]
            rows.append((*cells, count(found[0].n if found else len(at)), count(failed)))
    head = (*columns, *measures(metrics), *_COSTS, *_COUNTS)
    return Grid("results", "Results", head, tuple(rows))


def _line(part: RunData, group: Group, metrics: Sequence[Metric]) -> list[Cell]:
    at = part.groups[group]
    found = [estimate(part, metric, at) for metric in metrics]
    timed, spent = costs.latency(part, group), costs.tokens(part, group)
    return [
        *map(estimated, found),
        count(spent["tokens_read"]),
        number(timed["read_ms_p50"], 3),
        number(timed["read_ms_p95"], 3),
        number(timed["encode_read_ms"] or math.nan, 1),
        number(timed["write_us_mean"], 1),
        count(found[0].n if found else len(at)),
        count(int(part.rankings.failed[at].sum())),
    ]


def measures(metrics: Sequence[Metric]) -> list[Column]:
    """Return a column for each metric, with its definition."""
    abouts = (str(definition(metric)["definition"]) for metric in metrics)
    return [Column(name, about=a) for name, a in zip(headings(metrics), abouts, strict=True)]


def by_field(results: RunData, field: str) -> Grid:
    """Return the metrics by the values of a field; values that no metric is about are left out.

    Raises:
        ConfigError: no record has the field.
    """
    results.field(field)
    metrics = shown_metrics(results)
    split = parts(results)
    columns = names(several_budgets(results), len(split) > 1, first=field)
    rows = []
    for dataset, part in split:
        places: dict[str, int] = {}
        for value, group, at in field_groups(part, field) if _has(part, field) else ():
            found = [estimate(part, metric, at) for metric in metrics]
            if not any(one.n for one in found) or not len(at):
                continue
            shown = "none" if value is None or value == "" else str(value)
            place = places.setdefault(shown, len(places))
            cells = [Cell(shown, float(place)), *row_names(*group, dataset, columns)]
            rows.append((*cells, *map(estimated, found), count(found[0].n)))
    head = (*columns, *measures(metrics), _COUNTS[0])
    return Grid(f"by-{field}", f"By {field}", head, tuple(rows))


def _has(part: RunData, field: str) -> bool:
    """Tell whether a data set knows a dial: others of the run may."""
    return hasattr(part.records[0], field) or any(field in r.dials for r in part.records)


def groups_text(labels: Sequence[str], everything: int) -> Cell:
    """Return the cell for strategies that share a line."""
    if len(labels) == everything and everything > 1:
        return text(f"all {everything}")
    return text(", ".join(dict.fromkeys(labels)))
