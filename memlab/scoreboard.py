"""What `score` returns: metric values by query, with intervals and tests by conversation."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from memlab.errors import ConfigError, suggest
from memlab.inference.sign_flip import SignFlip, sign_flip
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rankings import Floats, Rankings
from memlab.stats import Estimate, cluster_mean, paired
from memlab.types import Record

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Comparison:
    """One run beside the baseline under one metric: mean difference, interval and test."""

    run: str
    baseline: str
    metric: str
    difference: Estimate
    test: SignFlip


class Scores:
    """Metric values of one or more runs over the queries of the qrels.

    In a notebook it shows its tables. `summary` has a row a run and metric, `comparisons` one
    for each run beside the baseline, `rows` one a query.
    """

    def __init__(
        self,
        records: Mapping[str, Sequence[Record]],
        metrics: Sequence[Metric],
        baseline: str | None,
        extra: Mapping[str, int],
        notes: Sequence[str],
    ) -> None:
        self.records = {label: tuple(rows) for label, rows in records.items()}
        self.metrics = tuple(metrics)
        self.baseline = baseline
        self.extra = dict(extra)
        self.notes = tuple(notes)
        ranked = {label: Rankings.of(rows) for label, rows in self.records.items()}
        self._values = {
            (label, spell(metric)): np.asarray(metric(found), dtype=np.float64)
            for label, found in ranked.items()
            for metric in self.metrics
        }

    @property
    def clusters(self) -> list[str]:
        """The conversation of every query, in the order of the qrels."""
        return [record.conversation for record in next(iter(self.records.values()))]

    def values(self, run: str, metric: str) -> Floats:
        """Return a run's value for every query of the qrels; NaN where it is not measured.

        Raises:
            ConfigError: an unknown run or metric.
        """
        if (run, metric) not in self._values:
            known = [f"{r}, {m}" for r, m in self._values]
            raise ConfigError(
                f"no values of {run}, {metric}", "", suggest(f"{run}, {metric}", known)
            )
        return self._values[run, metric]

    def estimate(self, run: str, metric: str) -> Estimate:
        """Return the mean over queries and its interval by conversation."""
        return cluster_mean(self.values(run, metric), self.clusters)

    def missing(self, run: str) -> int:
        """Return how many queries of the qrels the run does not have; they score the default."""
        return sum(record.error is not None for record in self.records[run])

    @cached_property
    def compared(self) -> tuple[Comparison, ...]:
        """Every other run beside the baseline, paired by query."""
        if self.baseline is None:
            return ()
        found = []
        for label in self.records:
            for name in map(spell, self.metrics) if label != self.baseline else ():
                apart = self.values(label, name) - self.values(self.baseline, name)
                interval = paired(apart, self.clusters)
                test = sign_flip(apart, self.clusters)
                found.append(Comparison(label, self.baseline, name, interval, test))
        return tuple(found)

    def summary(self) -> pd.DataFrame:
        """Return one line per run and metric: mean, interval, and what was counted."""
        import pandas as pd

        rows = []
        for label, name in self._values:
            mean = self.estimate(label, name)
            rows.append(
                {"run": label, "metric": name, "mean": mean.mean, "low": mean.low}
                | {"high": mean.high, "n": mean.n, "clusters": mean.clusters}
                | {"missing": self.missing(label), "extra": self.extra[label]}
                | {"excluded": mean.ignored}
            )
        return pd.DataFrame(rows)

    def comparisons(self) -> pd.DataFrame:
        """Return one line per run and metric beside the baseline; p is not adjusted."""
        import pandas as pd

        columns = "run baseline metric difference low high p smallest_p n clusters exact note"
        rows = [
            (c.run, c.baseline, c.metric, *c.difference[:3], *_test_cells(c.test))
            for c in self.compared
        ]
        return pd.DataFrame(rows, columns=columns.split())

    @property
    def rows(self) -> pd.DataFrame:
        """One line per run and query: its conversation, its metrics, whether it was missing."""
        import pandas as pd

        parts = []
        for label, records in self.records.items():
            table: dict[str, Any] = {
                "run": label,
                "conversation": [record.conversation for record in records],
                "query": [record.probe for record in records],
            }
            table |= {spell(m): self.values(label, spell(m)) for m in self.metrics}
            table["missing"] = [record.error is not None for record in records]
            parts.append(pd.DataFrame(table))
        return pd.concat(parts, ignore_index=True)

    def __repr__(self) -> str:
        tests = _columns(self._tests())
        return "\n".join(
            [*_columns(self._means()), "", *tests, *([""] if tests else []), *self.notes]
        )

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return "".join(map(_table, filter(None, (self._means(), self._tests())))) + notes

    def _means(self) -> list[list[str]]:
        names = [spell(metric) for metric in self.metrics]
        grid = [["run", *names, "queries", "missing", "extra"]]
        for label, records in self.records.items():
            means = [_interval(self.estimate(label, name)) for name in names]
            counts = (len(records), self.missing(label), self.extra[label])
            grid.append([label, *means, *map(str, counts)])
        return grid

    def _tests(self) -> list[list[str]]:
        if not self.compared:
            return []
        grid = [["difference", "metric", "mean", "p", "least p", "n", "clusters"]]
        for c in self.compared:
            told = [c.metric, _interval(c.difference), f"{c.test.p:.4g}", f"{c.test.smallest:.3g}"]
            counts = [str(c.test.n), str(c.test.clusters), c.test.note]
            grid.append([f"{c.run} − {c.baseline}", *told, *counts])
        return grid


def _test_cells(test: SignFlip) -> tuple[Any, ...]:
    return test.p, test.smallest, test.n, test.clusters, test.exact, test.note


def _interval(found: Estimate) -> str:
    half = (found.high - found.low) / 2
    few = np.isnan(half) or found.descriptive
    return f"{found.mean:.3f}" + ("" if few else f" ±{half:.3f}")


def _columns(grid: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, the first column to the left, the others to the right."""
    widths = [
        max(len(row[i]) for row in grid if i < len(row))
        for i in range(max(map(len, grid), default=0))
    ]
    lines = []
    for row in grid:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=False)]
        lines.append("  ".join([row[0].ljust(widths[0]), *cells]).rstrip())
    return lines


def _table(grid: Sequence[Sequence[str]]) -> str:
    rows = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in grid)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
