"""The pictures of a run: `results.plot`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memlab import captions
from memlab.categories import categories
from memlab.curveplots import CurvePlots
from memlab.dials import quality
from memlab.errors import ConfigError
from memlab.frontier import beaten_by
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.scoring import as_metric, more_is_better
from memlab.timings import Spread, spread

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_CELLS = (
    "blue: the row is better; orange: the column is; below: probes that the row wins–loses",
    "bold on full colour: separated; grey on pale: not, or too few conversations to tell",
)


class Plots(CurvePlots):
    """Draws what the tables of a run hold; every method returns a matplotlib Figure.

    A notebook shows the figure; `savefig("name.pdf")` writes it. `strategies` chooses and
    orders what is drawn; ranges and counts stay those of the whole run.
    """

    def __repr__(self) -> str:
        names = [name for name in dir(self) if not name.startswith("_")]
        return f"<pictures: {', '.join(names)}>"

    def pareto(
        self,
        metric: Metric | str = "Recall()",
        cost: str = "tokens",
        *,
        strategies: Sequence[str] | None = None,
    ) -> Figure:
        """Draw `Results.pareto`: quality against cost, with the front of the best.

        `cost` is `tokens`, `read_ms`, `write_us` or `bytes`. The front is that of the
        strategies shown.

        Raises:
            ConfigError: an unknown cost or strategy, a metric without a value, or a cost that
                no strategy has.
        """
        from memlab.figures.pareto import pareto

        measure, run = as_metric(metric), self._results
        name, probes = spell(measure), captions.scored(run, measure)
        table = captions.chosen(run, run.pareto(measure, cost), strategies)
        known = self._priced(table, measure, cost)
        missing = table["strategy"][~table.index.isin(known.index)]
        return pareto(
            known,
            metric=name,
            cost=cost,
            title=captions.headline(run, captions.counted(probes)),
            notes=[
                captions.intervals(known, name),
                "filled: on the front, no other shown is as good at no more cost (by their means)",
                *self._costly(cost),
                *captions.left_out(missing, f"no {cost} or no {name}"),
                *captions.failures(run, measure, known["strategy"]),
            ],
        )

    def categories(
        self,
        metric: Metric | str = "Recall()",
        by: str = "category",
        *,
        strategies: Sequence[str] | None = None,
    ) -> Figure:
        """Draw a metric by the values of a field or dial: a row for each, with intervals.

        Texts are sorted by the mean over the strategies of the run. Several data sets or
        budgets have a panel each.

        Raises:
            ConfigError: no record has the field, a metric without a value; or an unknown
                strategy.
        """
        from memlab.figures.categories import categories as draw

        measure, run = as_metric(metric), self._results
        name, probes = spell(measure), captions.scored(run, measure)
        table = captions.chosen(run, categories(run, measure, by), strategies)
        keys = [field for field in ("dataset", by) if field in table]
        known = table[table.groupby(keys, sort=False)[name].transform("count") > 0]
        missing = [value for value in table[by].unique() if value not in set(known[by])]
        if not len(known):
            raise ConfigError(f"{name} has no value for these strategies", "others, or None")
        return draw(
            known,
            metric=name,
            by=by,
            title=captions.headline(run, captions.counted(probes)),
            notes=[
                f"n: probes with a value; {captions.intervals(known, name)}",
                *captions.left_out(missing, f"no {name}"),
                *captions.failures(run, measure, known["strategy"]),
            ],
        )

    def latency(self, phase: str = "read", *, strategies: Sequence[str] | None = None) -> Figure:
        """Draw how long reads or writes took, as shares of the calls; p50 and p95 are marked.

        Encoding is apart. Reads are warm ones, with a panel for each budget; writes are known
        to 3 %.

        Raises:
            ConfigError: an unknown phase or strategy, or nothing was timed.
        """
        from memlab.figures.latency import latency

        run, made = self._results, spread(self._results, phase)
        marks = captions.chosen(run, made.marks, strategies)
        if not len(marks):
            raise ConfigError(f"no {phase} of these strategies was timed", "others, or None")
        asked = captions.labels(run) if strategies is None else strategies
        missing = [name for name in asked if name not in set(marks["strategy"])]
        talks = captions.conversations(unit["conversation"] for unit in run.latencies)
        return latency(
            captions.chosen(run, made.shares, strategies),
            marks,
            unit=made.unit,
            what="one read" if phase == "read" else "one write",
            title=captions.headline(run, talks, budgets=None if phase == "read" else ()),
            notes=[
                *self._timed(made, phase),
                *captions.left_out(missing, f"no {phase} timed"),
            ],
        )

    def pairs(
        self,
        metric: Metric | str = "Recall()",
        *,
        budget: int | str | None = "all",
        strategies: Sequence[str] | None = None,
    ) -> Figure:
        """Draw `Results.pairs`: who scores better than whom, with wins and losses.

        Several budgets have a panel each. All pairs of the run at a budget are one family of
        tests, whichever are shown.

        Raises:
            ConfigError: see `Results.pairs`; or an unknown strategy, or one alone.
        """
        import pandas as pd

        from memlab.figures.pairs import pairs

        measure, run = as_metric(metric), self._results
        asked = captions.check(run, strategies)
        if len(asked) < 2:
            raise ConfigError(f"one strategy, {asked}", "two at least")
        probes = captions.scored(run, measure)
        budgets = captions.limits(run) if isinstance(budget, str) else [budget]
        made = [run.pairs(measure, budget=one) for one in budgets]
        table = pd.concat([one.table for one in made], ignore_index=True)
        return pairs(
            table[table["strategy"].isin(asked) & table["baseline"].isin(asked)],
            asked,
            metric=spell(measure),
            higher_is_better=more_is_better(measure),
            title=captions.headline(run, captions.counted(probes), budgets=budgets),
            notes=[*_CELLS, *dict.fromkeys(note for one in made for note in one.notes)],
        )

    def _priced(self, table: pd.DataFrame, metric: Metric, cost: str) -> pd.DataFrame:
        """Return the rows that have a value and a cost, with their front and their intervals."""
        name = spell(metric)
        known = table[table[name].notna() & table[cost].notna()].copy()
        if not len(known):
            raise ConfigError(f"no strategy has both {name} and {cost}", "a cost that was measured")
        beaten = beaten_by(
            known[name].tolist(), known[cost].tolist(), upward=more_is_better(metric)
        )
        known["front"] = [best is None for best in beaten]
        found = [quality(self._results, metric, at) for at in self._results.groups.values()]
        for end in (f"{name} low", f"{name} high"):  # none for fewer than six conversations
            known[end] = [found[row][end] for row in known.index]
        return known

    def _costly(self, cost: str) -> Iterator[str]:
        """Yield how a cost was measured."""
        side = captions.side_by_side(self._results)
        if cost == "read_ms":
            yield f"read: median of warm reads and mean encoding of a query{side and '; ' + side}"
        elif cost == "write_us":
            yield f"write: mean of write, flush and encoding per turn{side and '; ' + side}"

    def _timed(self, made: Spread, phase: str) -> Iterator[str]:
        """Yield what was timed, and how."""
        side = captions.side_by_side(self._results)
        marks = "marks: p50 and p95"
        if phase == "write":
            yield f"{marks}, to 3 %; flush and encoding apart"
        elif made.cold:
            yield f"{marks} of first reads, which no warm one followed; encoding apart"
        else:
            yield f"{marks} of warm reads; hollow: median of first reads; encoding apart"
        if side:
            yield f"{side}, so they slowed each other: run with jobs=1 for latencies to report"
