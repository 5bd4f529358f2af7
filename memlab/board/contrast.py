"""The common check: a strategy's mean, or its paired difference to a baseline, as expected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memlab.board.evidence import Evidence
from memlab.board.expectations import Expectation
from memlab.board.scored import Scene, Scored
from memlab.board.strict import Table
from memlab.probewise import pair
from memlab.rundata import RunData

ALL = "*"


@dataclass(frozen=True, slots=True)
class Contrast:
    """A strategy, on wish against a baseline; "*" stands for every strategy, under a rule."""

    scored: Scored
    strategy: str
    baseline: str
    expectation: Expectation
    known: tuple[str, ...] = ()

    @classmethod
    def read(cls, table: Table, scene: Scene) -> Contrast:
        """Read a check of this kind."""
        every = table.value("strategy") == ALL
        strategy = ALL if every else scene.label(table, "strategy")
        baseline = scene.label(table, "baseline") if "baseline" in table else ""
        if baseline and baseline == strategy:
            table.fault(f"{strategy!r} against itself", "two strategies")
        scored = Scored.read(table, scene)
        expectation = Expectation.read(table, paired=bool(baseline))
        if every and (baseline or expectation.tested):
            table.fault("strategy '*' in a comparison", "'always', 'never above', 'never below'")
        return cls(scored, strategy, baseline, expectation, scene.labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """The strategies it is about."""
        return (self.strategy, self.baseline) if self.baseline else (self.strategy,)

    @property
    def title(self) -> str:
        """The check in words."""
        named = "every strategy" if self.strategy == ALL else " − ".join(self.labels)
        return f"{named}: {self.scored}"

    @property
    def tested(self) -> bool:
        """Whether it is a test, with a p."""
        return self.expectation.tested

    @property
    def difference(self) -> bool:
        """Whether its effect is a difference."""
        return bool(self.baseline)

    def measure(self, results: RunData) -> Evidence:
        """Return what a run says.

        Raises:
            ConfigError: nothing to score, or tokens that the strategies do not reach.
        """
        if self.strategy == ALL:
            return self._of_all(results)
        ours = self.scored.scores(results, self.strategy, self.labels)
        if self.baseline:
            pairs = pair(ours, self.scored.scores(results, self.baseline, self.labels))
            values, clusters, strata = pairs.differences, pairs.clusters, pairs.strata_if_several
        else:
            values = ours.values
            clusters = [(key.dataset, key.conversation) for key in ours.keys]
            datasets = [key.dataset for key in ours.keys]
            strata = datasets if len(set(datasets)) > 1 else None
        return self.expectation.evidence(values, clusters, strata)

    def _of_all(self, results: RunData) -> Evidence:
        """Return what the values of all strategies say of a rule."""
        scored = [self.scored.scores(results, label) for label in self.known]
        values = np.concatenate([one.values for one in scored])
        clusters = [(key.dataset, key.conversation) for one in scored for key in one.keys]
        return self.expectation.evidence(values, clusters)
