"""What became of every record: the denominators as a table."""

from __future__ import annotations

from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rankings import Rankings
from memlab.render import shown_metrics
from memlab.reporting.grid import Column, Grid, count, names, row_names, text
from memlab.reporting.overview import groups_text
from memlab.reporting.parts import parts, several_budgets
from memlab.rundata import Group, RunData
from memlab.scoring import Tally, tally

_ABOUT = {
    "n": "probes that have a value",
    "excluded": "probes that the metric is not about, such as those without evidence",
    "unanswerable": "probes without an answer in the dialogue, which the metric leaves out",
    "unmeasurable": "probes without a value: items without sources, or a metric's own NaN",
    "failed": "reads on which the strategy failed; they score what the metric states",
    "trivial": "values of which k takes in every candidate",
    "budget bound": "values of which fewer than k ranks fitted the budget",
}


def counted(results: RunData) -> Grid:
    """Return what each metric counted and left out; strategies with equal counts share a line."""
    split = parts(results)
    columns = [*names(several_budgets(results), len(split) > 1, first="metric")]
    rows = []
    for dataset, part in split:
        tallies = {
            group: {spell(m): _tally(part, group, m) for m in shown_metrics(results)}
            for group in part.groups
        }
        budgets = dict.fromkeys(budget for _, budget in part.groups)
        for name in (spell(m) for m in shown_metrics(results)):
            for budget in budgets:
                alike: dict[Tally, list[str]] = {}
                for group, found in tallies.items():
                    if group[1] == budget:
                        alike.setdefault(found[name], []).append(group[0])
                total = sum(map(len, alike.values()))
                for found_tally, labels in alike.items():
                    _, *others = row_names("", budget, dataset, columns)
                    cells = [text(name), groups_text(labels, total), *others]
                    rows.append((*cells, *map(count, found_tally)))
    head = (*columns, *(Column(name, about=about) for name, about in _ABOUT.items()))
    return Grid("counts", "What was counted", head, tuple(rows))


def _tally(part: RunData, group: Group, metric: Metric) -> Tally:
    at = part.groups[group]
    rankings = Rankings.of(part.records[i] for i in at)
    return tally(metric, rankings, part.values(metric)[at])
