"""Results: the tables, comparisons and pictures of a run. Nothing here needs a new run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab import costs, dials, render, scaling, tables
from memlab.failures import failure_table
from memlab.naming import spell
from memlab.plots import Plots
from memlab.protocols import Metric
from memlab.rundata import RunData
from memlab.trec import write_trec

if TYPE_CHECKING:
    import pandas as pd

_NAMES = "strategy dataset conversation probe user budget category answerable".split()


class Results(RunData):
    """The records of a run with what was measured beside them.

    In a notebook it shows its table. `rows` is the tidy frame of records; `summary`, `by`,
    `failures`, `curve`, `costs`, `usage` and `to_trec` are views of it. `before` tells what an
    earlier run had done already.
    """

    @property
    def rows(self) -> pd.DataFrame:
        """One line per record: its names, its metrics, its tokens, its error, its dials."""
        import pandas as pd

        columns: dict[str, Any] = {
            name: [getattr(record, name) for record in self.records] for name in _NAMES
        }
        columns |= {spell(m): self.values(m) for m in self.metrics}
        columns |= {n: [getattr(r, n) for r in self.records] for n in ("items", "tokens", "error")}
        for dial in sorted({d for r in self.records for d in r.dials} - set(columns)):
            columns[dial] = [record.dials.get(dial) for record in self.records]
        return pd.DataFrame(columns)

    def summary(self, metrics: Sequence[Metric | str] | None = None) -> pd.DataFrame:
        """Return one line per strategy and budget: metric means with interval, and costs."""
        return tables.summary(self, self._chosen(metrics))

    def by(self, field: str, metrics: Sequence[Metric | str] | None = None) -> pd.DataFrame:
        """Return the metrics by a field or dial of the probes.

        Fields are `category`, `conversation`, `dataset`, `user` and `answerable`; dials are the
        numbers in the meta of probes, such as `distance`. A dial of more than eight values is
        cut into five ranges of like many records.

        Raises:
            ConfigError: no record has the field.
        """
        return tables.by(self, field, self._chosen(metrics))

    def failures(
        self, strategy: str | None = None, metric: Metric | str = "Recall()", below: float = 1.0
    ) -> pd.DataFrame:
        """Return probes that scored below a value, with question, evidence and what came back.

        Failed reads are listed with their error. The default asks for evidence that is
        missing from the whole context.
        """
        return failure_table(self, strategy, metric, below)

    def curve(self, metric: Metric | str = "Recall()") -> pd.DataFrame:
        """Return the metric against measured tokens per budget, with the area under it.

        `area` is the mean height over the range of tokens that all curves cover (`from_tokens`
        to `to_tokens`, logarithmic axis); NaN where they share none. A curve whose contexts were
        not cut at the largest budget goes on level.
        """
        return tables.curve(self, metric)

    def forgetting(
        self,
        metric: Metric | str = "Recall(k=10)",
        by: str = "distance",
        *,
        bins: Sequence[float] | None = None,
    ) -> pd.DataFrame:
        """Return a metric along a numeric dial of the probes, in ranges that all strategies share.

        One line per data set, strategy, budget and range: `by` is its centre, `by from` and
        `by to` its ends, `n` the probes with a value. `distance` counts the turns between
        the last evidence and the probe, `history` those said before the probe; where the data do
        not give them they are computed. Ranges of both are logarithmic, those
        of other dials equal; up to eight values stand for themselves; `bins` gives the edges.
        Probes without the dial are the line whose `by` is NaN. Fewer than six conversations
        have no interval.

        Raises:
            ConfigError: a dial without numbers or with one value, or edges that cannot work.
            RunError: distances must be computed and the data are not at hand.
        """
        return dials.forgetting(self, dials.cut(self, metric, by, bins))

    def scaling(
        self,
        metric: Metric | str = "Recall(k=10)",
        by: str = "history",
        *,
        bins: Sequence[float] | None = None,
    ) -> pd.DataFrame:
        """Return a metric, tokens, latency and bytes along a numeric dial of the probes.

        Ranges are those of `forgetting`; data sets of a joined run weigh the same in a range.

        Raises:
            ConfigError: as `forgetting`.
            RunError: as `forgetting`.
        """
        return scaling.scaling(self, dials.cut(self, metric, by, bins))

    @property
    def plot(self) -> Plots:
        """The pictures: `results.plot.forgetting()`, `results.plot.scaling()`."""
        return Plots(self)

    def costs(self) -> pd.DataFrame:
        """Return tokens, latencies (embedding apart), throughput and bytes per strategy."""
        return costs.cost_table(self)

    def usage(self) -> pd.DataFrame:
        """Return what each strategy held at the end, by kind and by age."""
        return costs.usage_table(self)

    def macro(self, metrics: Sequence[Metric | str] | None = None) -> pd.DataFrame:
        """Return each data set's mean of each metric, and the mean over data sets."""
        return tables.macro(self, self._chosen(metrics))

    def text_by(self, field: str) -> str:
        """Return the metrics by a field as a plain-text table."""
        return "\n".join(render.lines(render.grid_by(self, field), left=2))

    def counts(self) -> dict[str, Any]:
        """Return how many records were scored, excluded, failed, trivial or budget-bound."""
        return tables.counts(self)

    def to_trec(self, directory: str | Path) -> list[Path]:
        """Write one qrels file, and one run file per strategy and budget, for trec_eval."""
        return write_trec(self.records, Path(directory))

    def to_json(self, fields: Sequence[str] = ("category",)) -> dict[str, Any]:
        """Return what `memlab show --json` prints."""
        return tables.as_json(self, fields)

    def __repr__(self) -> str:
        return render.as_text(self)

    def _repr_html_(self) -> str:
        return render.as_html(self)
