"""What the gate knows of a run: values by probe, failed reads, and times by unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memlab.errors import ConfigError, suggest
from memlab.gate.times import unit_times
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.rundata import RunData
from memlab.scoring import as_metric, definition

Floats = NDArray[np.float64]

ABOUT = (
    "name hash8 resolved strategies evidence_rule jobs packages python machine git units"
).split()
"""What is kept of a manifest; of the data set its name, options and hash."""


class Column(NamedTuple):
    """A strategy at a budget under a metric."""

    strategy: str
    budget: int | None
    metric: str


class ProbeKey(NamedTuple):
    """Where a value stands: data set (empty for a single one), conversation, probe."""

    dataset: str
    conversation: str
    probe: str


class Read(NamedTuple):
    """One read of a run."""

    strategy: str
    budget: int | None
    conversation: str
    probe: str


Unit = tuple[str, str]
"""Strategy and conversation."""


@dataclass(frozen=True)
class Snapshot:
    """Values of every column (n,), NaN where a metric has none; aligned with `probes` (n).

    `failed` maps a read to its error and `broken` a unit to what stopped it; `times` holds
    nanoseconds by unit, as `memlab.gate.times` names them; `about` is part of the manifest, with
    the definition of every metric.
    """

    about: Mapping[str, Any]
    probes: Sequence[ProbeKey]
    values: Mapping[Column, Floats]
    failed: Mapping[Read, str]
    broken: Mapping[Unit, str]
    times: Mapping[Unit, Mapping[str, float]]

    @classmethod
    def of(cls, results: RunData, metrics: Sequence[Metric | str] | None = None) -> Snapshot:
        """Take what the gate needs from a run; `metrics` replaces those the run names."""
        chosen = [as_metric(m) for m in (results.metrics if metrics is None else metrics)]
        records = results.records
        keys = [ProbeKey(r.dataset, r.conversation, r.probe) for r in records]
        probes = list(dict.fromkeys(keys))
        place = {key: i for i, key in enumerate(probes)}
        values: dict[Column, Floats] = {}
        for (strategy, budget), at in results.groups.items():
            for metric in chosen:
                column = np.full(len(probes), np.nan)
                column[[place[keys[i]] for i in at]] = results.values(metric)[at]
                values[Column(strategy, budget, spell(metric))] = column
        return cls(
            about=_about(results.manifest, chosen),
            probes=probes,
            values=values,
            failed={
                Read(r.strategy, r.budget, r.conversation, r.probe): r.error
                for r in records
                if r.error is not None
            },
            broken={
                (f["strategy"], f["conversation"]): f["error"]
                for f in results.facts
                if "error" in f
            },
            times={(u["strategy"], u["conversation"]): unit_times(u) for u in results.latencies},
        )

    def only(self, metrics: Sequence[Metric | str]) -> Snapshot:
        """Return the snapshot with some of its metrics.

        Raises:
            ConfigError: it does not have one of them.
        """
        chosen = [spell(as_metric(metric)) for metric in metrics]
        for metric in chosen:
            if metric not in self.metrics:
                hint = suggest(metric, self.metrics)
                raise ConfigError(f"the baseline has no values of {metric}", "", hint)
        return replace(self, values={c: v for c, v in self.values.items() if c.metric in chosen})

    @property
    def name(self) -> str:
        """The name of the run's folder."""
        return f"{self.about['name']}-{self.about['hash8']}"

    @property
    def groups(self) -> dict[tuple[str, int | None], None]:
        """The strategies and budgets, in the order of the run."""
        return dict.fromkeys((column.strategy, column.budget) for column in self.values)

    @property
    def metrics(self) -> dict[str, None]:
        """The metrics, in the order of the run."""
        return dict.fromkeys(column.metric for column in self.values)

    def reads(self) -> int:
        """Return how many reads there were."""
        return len(self.groups) * len(self.probes)


def _about(manifest: Mapping[str, Any], metrics: Sequence[Metric]) -> dict[str, Any]:
    data = manifest.get("dataset", {})
    return {
        **{key: manifest[key] for key in ABOUT if key in manifest},
        "metrics": [spell(metric) for metric in metrics],
        "definitions": {spell(metric): definition(metric) for metric in metrics},
        "dataset": {key: data[key] for key in ("name", "options", "sha256") if key in data},
    }
