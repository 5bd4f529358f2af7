"""Results: the tables, comparisons and pictures of a run. Nothing here needs a new run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab import cells, costs, counters, dials, growth, parameters, render, scaling, tables
from memlab.comparing import compare, pairs
from memlab.comparison import Comparison
from memlab.contrasts import Adjust, Interval, Method, Test
from memlab.failures import diff_table, failure_table
from memlab.frontier import pareto
from memlab.naming import spell
from memlab.plots import Plots
from memlab.protocols import Metric
from memlab.readers import ReaderViews
from memlab.rundata import RunData
from memlab.scoring import as_metric
from memlab.tokencurves import Tokens, at_tokens, curve_table
from memlab.trec import write_trec

if TYPE_CHECKING:
    import pandas as pd

_NAMES = "strategy dataset conversation probe user budget category answerable".split()


class Results(ReaderViews):
    """The records of a run with what was measured beside them.

    In a notebook it shows its table. `rows` is the tidy frame of records; `summary`, `by`,
    `failures`, `curve`, `costs`, `counters`, `usage` and `to_trec` are views of it. `before` tells
    what an earlier run had done already.
    """

    @property
    def rows(self) -> pd.DataFrame:
        """One line per record: names, swept parameters, metrics, tokens, error, dials."""
        import pandas as pd

        columns: dict[str, Any] = {
            name: [getattr(record, name) for record in self.records] for name in _NAMES
        }
        of = [(record.strategy, record.conversation) for record in self.records]
        columns |= parameters.columns(self, of)
        columns |= {spell(m): self.values(m) for m in self.metrics}
        columns |= {n: [getattr(r, n) for r in self.records] for n in ("items", "tokens", "error")}
        for dial in sorted({d for r in self.records for d in r.dials} - set(columns)):
            columns[dial] = [record.dials.get(dial) for record in self.records]
        return pd.DataFrame(columns)

    @property
    def parameters(self) -> pd.DataFrame:
        """The parameters that differ between strategies of one class, one line per strategy.

        They are columns of `rows` and `summary` too, parts by dotted names. A strategy chosen
        for each conversation has a line for each, and in `summary` what does not vary.
        """
        return parameters.table(self)

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

    def compare(
        self,
        baseline: str | None = None,
        *,
        metrics: Sequence[Metric | str] | None = None,
        strategies: Sequence[str] | None = None,
        other: RunData | None = None,
        tokens: Tokens | str | None = None,
        by: str | None = None,
        budget: int | str | None = "all",
        test: Test = "sign flip",
        interval: Interval = "cr3",
        adjust: Adjust | None = None,
        margin: float | None = None,
        level: float = 0.95,
    ) -> Comparison:
        """Compare strategies with a baseline, probe by probe; never a rerun.

        Args:
            baseline: a label of this run, or of `other`; None compares namesakes of two runs.
            metrics: the run's by default. The contrasts of one metric are one family.
            strategies: the contrasts, named; all strategies by default.
            other: an earlier run on the same data, labels, tokenizer, budgets, definitions.
            tokens: compare at equal tokens: a number, the area over a range (low, high), or
                `"area"` over the range that all share. The run needs several budgets.
            by: a field or dial: every value is a contrast of its own.
            budget: one budget of the run; all by default. Not together with `tokens`.
            test: `sign flip` by conversation, or `wilcoxon` on conversation means.
            interval: `cr3`, or `bootstrap` (percentile, by conversation).
            adjust: `holm`, `bh`, `none`; by default Holm for up to ten contrasts of a metric,
                Benjamini-Hochberg for more, which explore.
            margin: adds tests of equivalence and non-inferiority with this margin.
            level: of the intervals; tests conclude at 1 - level.

        Raises:
            Faults: unknown labels, or nothing to compare.
            ConfigError: an option that cannot work.
            RunError: the runs cannot be compared; the keys that differ are named.
        """
        method = Method(test, interval, adjust, margin, level)
        return compare(
            self,
            baseline,
            self._chosen(metrics),
            strategies=strategies,
            other=other,
            tokens=tokens,
            by=by,
            budget=budget,
            method=method,
        )

    def pairs(
        self,
        metric: Metric | str = "Recall()",
        *,
        budget: int | str | None = "all",
        level: float = 0.95,
    ) -> Comparison:
        """Compare every two strategies on a metric, as one family.

        Raises:
            ConfigError: one strategy alone, or a budget that the run has not.
        """
        return pairs(self, as_metric(metric), budget, Method(level=level))

    def at_tokens(self, tokens: float, metric: Metric | str = "Recall()") -> pd.DataFrame:
        """Return each strategy's metric at a number of tokens, interpolated between budgets.

        NaN beyond the tokens that its contexts took, of a joined run in any of its data sets;
        the column `why` tells. A curve whose contexts were not cut at the largest budget goes
        on level.

        Raises:
            ConfigError: not a number of tokens.
        """
        return at_tokens(self, tokens, metric)

    def failures(
        self,
        strategy: str | None = None,
        metric: Metric | str = "Recall()",
        below: float | None = None,
    ) -> pd.DataFrame:
        """Return probes that failed, worst first, with question, evidence and what came back.

        A probe fails with a score below `below` (by default 1), on a metric of which less is
        better with one above it (by default 0), or if its read failed. The default asks
        for evidence that is missing from the whole context.

        Raises:
            ConfigError: an unknown strategy.
            RunError: the data are not at hand.
        """
        return failure_table(self, strategy, as_metric(metric), below)

    def diff(
        self,
        other: RunData | str,
        strategy: str | None = None,
        metric: Metric | str = "Recall()",
        *,
        least: float = 0.0,
    ) -> pd.DataFrame:
        """Return the probes that score otherwise than in another run, the largest losses first.

        Probes that have a value on one side alone are not listed; `compare` counts them.

        Args:
            other: an earlier run, whose strategies of the same label are the ones before; or
                a label of this run, with which `strategy` is compared.
            strategy: one label; all by default.
            metric: a change for the worse is `hit→miss`, one for the better `miss→hit`.
            least: the smallest difference that is listed.

        Raises:
            Faults: unknown labels, or none in common.
            RunError: the runs cannot be compared, or the data are not at hand.
        """
        return diff_table(self, other, strategy, as_metric(metric), least)

    def pareto(self, metric: Metric | str = "Recall()", cost: str = "tokens") -> pd.DataFrame:
        """Return quality and cost of each strategy and budget, and which are on the front.

        `cost` is `tokens` (of a context), `read_ms` (median, with the encoding of the query),
        `write_us` (time to searchable, per turn) or `bytes` (saved, per conversation). A point
        is on the front if none is at least as good at no more cost, by their means.

        Raises:
            ConfigError: an unknown cost.
        """
        return pareto(self, as_metric(metric), cost)

    def curve(self, metric: Metric | str = "Recall()") -> pd.DataFrame:
        """Return the metric against measured tokens per budget, with the area under it.

        `area` is the mean height over the range of tokens that all curves cover (`from_tokens`
        to `to_tokens`, logarithmic axis); NaN where they share none. A curve whose contexts were
        not cut at the largest budget goes on level.
        """
        return curve_table(self, metric)

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
        """The pictures: `results.plot.pareto()`; `print(results.plot)` lists them."""
        return Plots(self)

    def costs(self) -> pd.DataFrame:
        """Return tokens, latencies (embedding apart), throughput and bytes per strategy."""
        return costs.cost_table(self)

    def counters(self) -> pd.DataFrame:
        """Return what strategies counted themselves: page faults, hits, evictions, duplicates.

        One line per strategy, budget (None where all budgets share one memory) and counter: in all,
        per conversation, and as a share: `hits` of accesses or reads, `faults` of accesses,
        `thrash` of faults.
        """
        return counters.counter_table(self)

    def growth(self) -> pd.DataFrame:
        """Return saved bytes, items and tokens held, on the way and at the end of conversations.

        On the way is after 16, 32 and 64 turns, from there on times four. One line per data
        set, strategy and moment, with 95 % intervals from six conversations on.
        """
        return growth.growth(self)

    def usage(self) -> pd.DataFrame:
        """Return what each strategy held at the end, by kind and by age."""
        return costs.usage_table(self)

    def macro(self, metrics: Sequence[Metric | str] | None = None) -> pd.DataFrame:
        """Return each data set's mean of each metric, and the mean over data sets."""
        return tables.macro(self, self._chosen(metrics))

    def text_by(self, field: str) -> str:
        """Return the metrics by a field as a plain-text table."""
        return cells.plain(render.grid_by(self, field), left=2)

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
