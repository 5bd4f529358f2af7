"""The pictures of a run: `results.plot`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memlab import dials
from memlab.dials import Cut
from memlab.errors import ConfigError, suggest
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.scaling import scaling
from memlab.stats import FEW

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from memlab.results import Results


class Plots:
    """Draws what the tables of a run hold; every method returns a matplotlib Figure.

    A notebook shows the figure; `savefig("name.pdf")` writes it. `strategies` chooses and
    orders the lines; ranges and counts stay those of the whole run.
    """

    def __init__(self, results: Results) -> None:
        self._results = results

    def __repr__(self) -> str:
        names = [name for name in vars(type(self)) if not name.startswith("_")]
        return f"<pictures: {', '.join(names)}>"

    def forgetting(
        self,
        metric: Metric | str = "Recall(k=10)",
        by: str = "distance",
        *,
        bins: Sequence[float] | None = None,
        strategies: Sequence[str] | None = None,
    ) -> Figure:
        """Draw `Results.forgetting`: a metric along a dial, with 95 % intervals as bands.

        Several data sets or budgets have a panel each.

        Raises:
            ConfigError: see `Results.forgetting`; or an unknown strategy.
        """
        from memlab.figures.forgetting import forgetting

        made = dials.cut(self._results, metric, by, bins)
        table = dials.forgetting(self._results, made)
        return forgetting(
            self._chosen(table, strategies),
            metric=spell(made.metric),
            by=by,
            log=made.log,
            title=self._title(made),
            notes=[*_bands(made, table), *_left_out(made, self._results)],
        )

    def scaling(
        self,
        metric: Metric | str = "Recall(k=10)",
        by: str = "history",
        *,
        bins: Sequence[float] | None = None,
        strategies: Sequence[str] | None = None,
    ) -> Figure:
        """Draw `Results.scaling`: a metric, read latency, tokens and bytes along a dial.

        Several budgets have a row each.

        Raises:
            ConfigError: see `Results.scaling`; or an unknown strategy.
        """
        from memlab.figures.scaling import scaling as draw

        made = dials.cut(self._results, metric, by, bins)
        table = scaling(self._results, made)
        return draw(
            self._chosen(table, strategies),
            metric=spell(made.metric),
            by=by,
            log=made.log,
            title=self._title(made),
            notes=[
                *_bands(made, table),
                *_left_out(made, self._results),
                *self._timing(table),
            ],
        )

    def _chosen(self, table: pd.DataFrame, strategies: Sequence[str] | None) -> pd.DataFrame:
        if strategies is None:
            return table
        if not strategies:
            raise ConfigError("strategies=[]", "labels of this run, or None for all")
        known = list(dict.fromkeys(label for label, _ in self._results.groups))
        for name in strategies:
            if name not in known:
                raise ConfigError(f"no strategy {name!r} in this run", "", suggest(name, known))
        order = {name: at for at, name in enumerate(strategies)}
        kept = table[table["strategy"].isin(strategies)]
        return kept.sort_values("strategy", key=lambda c: c.map(order), kind="stable")

    def _title(self, made: Cut) -> str:
        from memlab.figures.curves import budget_text

        probes = made.probes(self._results)
        talks = {conversation for conversation, _ in probes}
        name = self._results.manifest.get("dataset", {}).get("name", "")
        budgets = list(dict.fromkeys(budget for _, budget in self._results.groups))
        many = "s" if len(talks) != 1 else ""
        counted = f"n = {len(probes):,} probes in {len(talks):,} conversation{many}"
        return " · ".join(filter(None, (name, budget_text(budgets), counted)))

    def _timing(self, table: pd.DataFrame) -> Iterator[str]:
        jobs = self._results.manifest.get("jobs", 1)
        side = f"; measured with {jobs} units side by side" if jobs > 1 else ""
        if table["read_ms_p50"].notna().any():
            yield f"read: warm reads, encoding apart{side}"
        elif table["cold_read_ms_p50"].notna().any():
            yield f"first read: of a conversation, which no warm one followed; encoding apart{side}"
        if table["bytes_saved"].notna().any():
            yield "saved state: at the end of conversations whose last question lies in the range"


def _bands(made: Cut, table: pd.DataFrame) -> Iterator[str]:
    """Yield what the bands are, and where there are none and why."""
    drawn = table[table[made.by].notna()]
    few = f"fewer than {FEW} conversations"
    if drawn[f"{spell(made.metric)} low"].notna().any():
        none = f"; none with {few}" if (drawn["clusters"] < FEW).any() else ""
        yield f"band or bar: 95 % interval, conversations as clusters (CR3, t){none}"
    else:
        yield f"no intervals: {few} behind each point"


def _left_out(made: Cut, results: Results) -> Iterator[str]:
    """Yield how many scored probes have no place on the axis."""
    without = len(made.probes(results, dials.WITHOUT))
    if without:
        yield f"not shown: {without:,} scored probes without {made.by}"
