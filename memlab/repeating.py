"""Repeats of a run under several seeds: the spread of stochastic strategies, averages compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab.comparability import require_same
from memlab.comparing import build, contrasts
from memlab.comparison import Comparison
from memlab.contrasts import Adjust, Interval, Method, Test
from memlab.errors import ConfigError
from memlab.inference.repeats import averaged, repeats
from memlab.inference.strata import balanced
from memlab.naming import spell
from memlab.probewise import Key, OfRun, Scores, pair
from memlab.protocols import Metric
from memlab.results import Results
from memlab.runner import evaluate
from memlab.scoring import as_metric
from memlab.stats import paired
from memlab.tokencurves import Tokens
from memlab.types import Dataset

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class _Averages:
    """Each probe's mean score over the runs."""

    runs: Sequence[OfRun]

    @property
    def labels(self) -> list[str]:
        return self.runs[0].labels

    @property
    def budgets(self) -> list[int | None]:
        return self.runs[0].budgets

    def scores(
        self, metric: Metric, strategy: str, budget: int | None, tokens: Tokens | None = None
    ) -> Scores:
        keys, grid = self.grid(metric, strategy, budget, tokens)
        return Scores(keys, averaged(grid))

    def failed(self, strategy: str, budget: int | None, tokens: Tokens | None) -> tuple[int, int]:
        counts = [run.failed(strategy, budget, tokens) for run in self.runs]
        return sum(failed for failed, _ in counts), sum(asked for _, asked in counts)

    def grid(
        self, metric: Metric, strategy: str, budget: int | None, tokens: Tokens | None = None
    ) -> tuple[tuple[Key, ...], NDArray[np.float64]]:
        """Return the probes, and their scores (runs, probes)."""
        found = [run.scores(metric, strategy, budget, tokens) for run in self.runs]
        return found[0].keys, np.array([pair(found[0], one).theirs for one in found])


class Repeats:
    """Runs that differ in their seed alone: `runs` holds their results by seed.

    Raises:
        ConfigError: fewer than two runs, one not named by its seed, or other strategies.
        RunError: runs that cannot be compared.
    """

    def __init__(self, runs: Mapping[int, Results]) -> None:
        if len(runs) < 2:
            raise ConfigError(f"{len(runs)} runs", "two seeds at least")
        self.runs = dict(runs)
        first, *others = self.runs.values()
        for other in others:
            require_same(first.manifest, other.manifest)
            if first.manifest["strategies"] != other.manifest["strategies"]:
                raise ConfigError("runs of other strategies", "runs that differ in their seed")
        seeds = [run.manifest.get("resolved", {}).get("seed", key) for key, run in runs.items()]
        if seeds != list(runs):
            raise ConfigError(f"runs of the seeds {seeds} named {list(runs)}", "each by its seed")
        self._averages = _Averages([OfRun(run) for run in self.runs.values()])

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the runs."""
        return next(iter(self.runs.values())).metrics

    def summary(self, metrics: Sequence[Metric | str] | None = None) -> pd.DataFrame:
        """Return one line per strategy, budget and metric: mean, interval, spread between seeds.

        `low` and `high` are the 95 % interval over conversations of the mean over seeds; `sd`
        is the standard deviation between the means of the seeds: 0 for what does not depend
        on them.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for label in self._averages.labels:
            for budget in self._averages.budgets:
                rows += (self._row(label, budget, one) for one in self._chosen(metrics))
        return pd.DataFrame(rows)

    def _row(self, label: str, budget: int | None, metric: Metric) -> dict[str, Any]:
        keys, grid = self._averages.grid(metric, label, budget)
        strata = [key.dataset for key in keys]
        clusters = [(key.dataset, key.conversation) for key in keys]
        several = strata if len(set(strata)) > 1 else None
        found = paired(averaged(grid), clusters, several)
        if several is not None:  # the means of a seed, too, are over data sets
            known = np.where(np.isnan(averaged(grid)), np.nan, grid)
            grid = np.array([balanced(row, clusters, several) for row in known])
        spread = repeats(grid)
        return {
            "strategy": label,
            "budget": budget,
            "metric": spell(metric),
            "mean": found.mean,
            "low": found.low,
            "high": found.high,
            "sd": spread.sd,
            "n": found.n,
            "clusters": found.clusters,
            "seeds": spread.repeats,
            "ignored": spread.ignored,
        }

    def compare(
        self,
        baseline: str,
        *,
        metrics: Sequence[Metric | str] | None = None,
        strategies: Sequence[str] | None = None,
        test: Test = "sign flip",
        interval: Interval = "cr3",
        adjust: Adjust | None = None,
        margin: float | None = None,
        level: float = 0.95,
    ) -> Comparison:
        """Compare strategies by each probe's mean over the seeds: see `Results.compare`.

        Raises:
            Faults: unknown labels, or nothing to compare.
            ConfigError: an option that cannot work.
        """
        method = Method(test, interval, adjust, margin, level)
        method.check()
        wanted = contrasts(self._averages, self._averages, baseline, strategies, same=True)
        about = [f"scores: means over {len(self.runs)} seeds ({', '.join(map(str, self.runs))})"]
        return build(
            self._averages, self._averages, self._chosen(metrics), wanted, method, about=about
        )

    def _chosen(self, metrics: Sequence[Metric | str] | None) -> list[Metric]:
        if isinstance(metrics, str):
            metrics = [metrics]
        return list(self.metrics) if metrics is None else [as_metric(one) for one in metrics]

    def __repr__(self) -> str:
        return repr(self.summary())

    def _repr_html_(self) -> str:
        return str(self.summary().to_html(index=False))


def repeat(
    strategies: Mapping[str, Any] | Sequence[Any],
    dataset: Dataset | Mapping[str, Any] | str | Sequence[Any],
    metrics: Sequence[Metric | str],
    *,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    **options: Any,  # noqa: ANN401 - those of evaluate
) -> Repeats:
    """Evaluate under several seeds: for strategies that draw at random.

    `options` are those of `evaluate`, but for `seed`.

    Raises:
        ConfigError: no list of seeds, fewer than two, or equal ones.
        Faults: as `evaluate`.

    >>> from memlab.strategies import Random, Window
    >>> found = repeat([Random(), Window(turns=5)], "quickstart", ["MRR()"], seeds=[1, 2])
    >>> found.summary()[["strategy", "seeds"]].values.tolist()
    [['Random()', 2], ['Window(turns=5)', 2]]
    """
    if not isinstance(seeds, Sequence):
        raise ConfigError(f"seeds={seeds!r}", "a list, as [0, 1, 2]")
    if len(seeds) < 2 or len(set(seeds)) < len(seeds):
        raise ConfigError(f"seeds={list(seeds)!r}", "two seeds at least, all different")
    if "seed" in options:
        raise ConfigError("seed=…", "", "give seeds=[…]")
    runs: dict[int, Results] = {}
    data: Any = dataset
    for seed in seeds:
        runs[seed] = evaluate(strategies, data, metrics, seed=seed, **options)
        data = runs[seed].dataset
    return Repeats(runs)
