"""The curves of a run: pictures of what changes along a dial, and as a conversation grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memlab import captions, dials
from memlab.dials import Cut
from memlab.errors import ConfigError
from memlab.growth import growth
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.scaling import scaling

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from memlab.results import Results


class CurvePlots:
    """Draws the tables of a run that have an axis of their own."""

    def __init__(self, results: Results) -> None:
        self._results = results

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
            captions.chosen(self._results, table, strategies),
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
            captions.chosen(self._results, table, strategies),
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

    def growth(self, *, strategies: Sequence[str] | None = None) -> Figure:
        """Draw `Results.growth`: saved bytes and tokens held, against the turns written.

        Several data sets have a row each.

        Raises:
            ConfigError: no strategy tells what it holds; or an unknown strategy.
        """
        from memlab.figures.growth import growth as draw

        table = growth(self._results)
        shown = captions.chosen(self._results, table, strategies)
        if not len(shown):
            raise ConfigError(
                "none of these strategies tells what it holds",
                "a strategy with save() or held() that did not fail",
            )
        asked = captions.labels(self._results) if strategies is None else strategies
        silent = [name for name in asked if name not in set(shown["strategy"])]
        names = {facts["conversation"] for facts in self._results.facts}
        return draw(
            shown,
            title=captions.headline(self._results, captions.conversations(names), budgets=()),
            notes=[*_growing(shown), *captions.left_out(silent, "nothing told of what they hold")],
        )

    def _title(self, made: Cut) -> str:
        return captions.headline(self._results, captions.counted(made.probes(self._results)))

    def _timing(self, table: pd.DataFrame) -> Iterator[str]:
        told = captions.side_by_side(self._results)
        side = f"; {told}" if told else ""
        if table["read_ms_p50"].notna().any():
            yield f"read: warm reads, encoding apart{side}"
        elif table["cold_read_ms_p50"].notna().any():
            yield f"first read: of a conversation, which no warm one followed; encoding apart{side}"
        if table["bytes_saved"].notna().any():
            yield "saved state: at the end of conversations whose last question lies in the range"


def _bands(made: Cut, table: pd.DataFrame) -> Iterator[str]:
    """Yield what the bands are, and where there are none and why."""
    drawn = table[table[made.by].notna()]
    yield captions.intervals(drawn, spell(made.metric), mark="band or bar")


def _left_out(made: Cut, results: Results) -> Iterator[str]:
    """Yield how many scored probes have no place on the axis."""
    without = len(made.probes(results, dials.WITHOUT))
    if without:
        yield f"not shown: {without:,} scored probes without {made.by}"


def _growing(table: pd.DataFrame) -> Iterator[str]:
    """Yield what the marks are and how many conversations are behind them."""
    ends = table["at"] == "end"
    on_the_way = "n: conversations that go on so long; " if not ends.all() else ""
    yield f"{on_the_way}hollow: at the end of conversations, by length (powers of two)"
    known = table.melt(
        id_vars=["conversations"], value_vars=["bytes low", "tokens low"], value_name="low"
    )
    yield captions.intervals(known.rename(columns={"low": "size low"}), "size", mark="band or bar")
