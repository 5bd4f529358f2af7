"""Results: records, and every table computed from them. Nothing here needs a new run."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab import costs, dials, render, scaling, tables
from memlab.digests import canonical_json
from memlab.errors import ConfigError, DataError, MemlabError, RunError, suggest
from memlab.failures import failure_table
from memlab.folder import LATENCY, Folder
from memlab.naming import spell
from memlab.parsing import parse
from memlab.plots import Plots
from memlab.protocols import Metric
from memlab.rankings import Rankings
from memlab.scoring import as_metric
from memlab.trec import write_trec
from memlab.types import Dataset, Record

if TYPE_CHECKING:
    import pandas as pd

    from memlab.replay import Unit

_COLUMNS = ("strategy", "budget", "n")
_FIELDS = "category conversation dataset user answerable".split()
_NAMES = "strategy dataset conversation probe user budget category answerable".split()
Group = tuple[str, int | None]
"""A row of the table: strategy label and budget."""


class Results:
    """The records of a run with what was measured beside them.

    In a notebook it shows its table. `rows` is the tidy frame of records; `summary`, `by`,
    `failures`, `curve`, `costs`, `usage` and `to_trec` are views of it. `before` tells what an
    earlier run had done already.
    """

    def __init__(
        self,
        records: Sequence[Record],
        facts: Sequence[Mapping[str, Any]],
        latencies: Sequence[Mapping[str, Any]],
        manifest: Mapping[str, Any],
        metrics: Sequence[Metric],
        dataset: Dataset | None = None,
        path: Path | None = None,
    ) -> None:
        self.records = tuple(records)
        self.facts = tuple(facts)
        self.latencies = tuple(latencies)
        self.manifest = dict(manifest)
        self.metrics = tuple(metrics)
        self.path = path
        self.before = ""
        self._dataset = dataset
        self._values: dict[str, NDArray[np.float64]] = {}

    @classmethod
    def of(
        cls,
        units: Iterable[Unit],
        manifest: Mapping[str, Any],
        *,
        metrics: Sequence[Metric],
        dataset: Dataset | None = None,
    ) -> Results:
        """Make results of finished units, in the order of the spec."""
        units = list(units)
        named = [{"strategy": u.strategy, "conversation": u.conversation} for u in units]
        facts = [{**name, **u.facts} for name, u in zip(named, units, strict=True)]
        latencies = [{**name, **u.latency} for name, u in zip(named, units, strict=True)]
        records = [record for unit in units for record in unit.records]
        return cls(records, facts, latencies, manifest, metrics, dataset)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        metrics: Sequence[Metric | str] | None = None,
        dataset: Dataset | None = None,
    ) -> Results:
        """Read a run folder back; `metrics` replaces those that were named in the run.

        Raises:
            RunError: the folder is not that of a finished run.
        """
        folder = Folder(Path(path))
        manifest = folder.read_json("manifest.json")
        shown = (
            [as_metric(m) for m in metrics] if metrics is not None else _own(manifest["metrics"])
        )
        records, facts = folder.read_records()
        latencies = folder.read_json(LATENCY)["units"]
        results = cls(records, facts, latencies, manifest, shown, None, folder.path)
        if dataset is not None:
            results._keep(dataset)
        return results

    def _keep(self, dataset: Dataset) -> Dataset:
        from memlab.content import dataset_digest

        expected = self.manifest["resolved"]["data"]
        if dataset_digest(dataset) != expected:
            raise RunError(
                "the data are not those of the run, or have changed since",
                f"content hash {expected[:8]}…",
                "run it again",
            )
        self._dataset = dataset
        return dataset

    @property
    def dataset(self) -> Dataset:
        """The data of the run; of a loaded run it is read again and its hash compared.

        Raises:
            RunError: the data cannot be found again, or have changed since.
        """
        if self._dataset is not None:
            return self._dataset
        from memlab.config import read_config
        from memlab.spec import load

        options = read_config(self.path / "spec.toml")["dataset"] if self.path else {}
        if not options:
            raise RunError(
                "the data of this run were made in Python",
                "the data set",
                "give it: Results.load(path, dataset=…)",
            )
        try:
            loaded = load(options) if isinstance(options, list) else load(**options)
        except DataError as error:
            raise RunError(
                str(error), "", "or give the data: Results.load(path, dataset=…)"
            ) from error
        return self._keep(loaded)

    @cached_property
    def rankings(self) -> Rankings:
        """All records as arrays."""
        return Rankings.of(self.records)

    @cached_property
    def groups(self) -> dict[Group, NDArray[np.intp]]:
        """The rows of the table and the positions of their records."""
        found: dict[Group, list[int]] = {}
        for i, record in enumerate(self.records):
            found.setdefault((record.strategy, record.budget), []).append(i)
        return {group: np.array(at, dtype=np.intp) for group, at in found.items()}

    def values(self, metric: Metric | str) -> NDArray[np.float64]:
        """Return a metric's value for every record, in the order of `records`."""
        measure = as_metric(metric)
        key = spell(measure)
        if not hasattr(measure, "is_component"):  # its spelling need not tell two of them apart
            return self._computed(measure)
        if key not in self._values:
            self._values[key] = self._computed(measure)
        return self._values[key]

    def _computed(self, metric: Metric) -> NDArray[np.float64]:
        try:
            values = np.asarray(metric(self.rankings), dtype=np.float64)
        except MemlabError:
            raise
        except Exception as error:
            raise ConfigError(
                f"{spell(metric)} failed: {type(error).__name__}: {error}",
                "one float per record of Rankings",
            ) from error
        if values.shape != (len(self.records),):
            raise ConfigError(
                f"{spell(metric)} returned shape {values.shape}", f"({len(self.records)},)"
            )
        return values

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

    def _chosen(self, metrics: Sequence[Metric | str] | None) -> list[Metric]:
        return list(self.metrics) if metrics is None else [as_metric(m) for m in metrics]

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

    def field(self, name: str) -> list[Any]:
        """Return a field or dial of every record.

        Raises:
            ConfigError: no record has it, or it is named like a column of the tables.
        """
        if name in _FIELDS:
            return [getattr(record, name) for record in self.records]
        known = {dial for record in self.records for dial in record.dials} - set(_COLUMNS)
        if name not in known:
            hint = suggest(name, known | set(_FIELDS))
            raise ConfigError(f"no record has a field {name!r}", "", hint)
        return [record.dials.get(name) for record in self.records]

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Results):
            return NotImplemented
        mine, theirs = (canonical_json(list(r.facts)) for r in (self, other))
        return self.records == other.records and mine == theirs

    __hash__ = None  # type: ignore[assignment]


def _own(spelt: Iterable[str]) -> list[Metric]:
    """Return memlab's own metrics; a run that somebody sent must not import what it names."""
    own = [text for text in spelt if ":" not in text]
    left = [text for text in spelt if ":" in text]
    if left:
        warnings.warn(
            f"not memlab's own and left out: {', '.join(left)}; give them as metrics=[…]",
            stacklevel=3,
        )
    return [as_metric(parse(text)) for text in own]
