"""The records of a run with what was measured beside them: what every table is computed from."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from memlab.derived import read_texts
from memlab.digests import canonical_json
from memlab.errors import ConfigError, DataError, MemlabError, RunError, suggest
from memlab.folder import LATENCY, Folder
from memlab.naming import spell
from memlab.parsing import parse
from memlab.protocols import Metric
from memlab.rankings import Rankings
from memlab.scoring import as_metric
from memlab.types import Dataset, Record

if TYPE_CHECKING:
    from memlab.replay import Unit

_COLUMNS = ("strategy", "budget", "n")
_FIELDS = "category conversation dataset user answerable".split()
Group = tuple[str, int | None]
"""A row of the table: strategy label and budget."""


class RunData:
    """The records, facts and latencies of a run, its manifest, its metrics and its data set.

    `before` tells what an earlier run had done already.
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
        texts: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        self.records = tuple(records)
        self.facts = tuple(facts)
        self.latencies = tuple(latencies)
        self.manifest = dict(manifest)
        self.metrics = tuple(metrics)
        self.path = path
        self.before = ""
        self._dataset = dataset
        self._lost: RunError | None = None
        self._texts = texts
        self._values: dict[str, NDArray[np.float64]] = {}

    @classmethod
    def of(
        cls,
        units: Iterable[Unit],
        manifest: Mapping[str, Any],
        *,
        metrics: Sequence[Metric],
        dataset: Dataset | None = None,
    ) -> Self:
        """Make results of finished units, in the order of the spec."""
        units = list(units)
        named = [{"strategy": u.strategy, "conversation": u.conversation} for u in units]
        facts = [{**name, **u.facts} for name, u in zip(named, units, strict=True)]
        latencies = [{**name, **u.latency} for name, u in zip(named, units, strict=True)]
        records = [record for unit in units for record in unit.records]
        texts = [text for unit in units for text in unit.texts]
        return cls(records, facts, latencies, manifest, metrics, dataset, texts=texts)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        metrics: Sequence[Metric | str] | None = None,
        dataset: Dataset | None = None,
    ) -> Self:
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
        if self._lost is not None:
            raise self._lost
        if self._dataset is None:
            try:
                self._dataset = self._read()
            except RunError as error:
                self._lost = error  # reading it again would fail again, after as long
                raise
        return self._dataset

    def _read(self) -> Dataset:
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

    @property
    def texts(self) -> Sequence[Mapping[str, Any]]:
        """What was returned that is no whole turn: the summaries, facts, excerpts of each read.

        Raises:
            RunError: the file of a loaded run is missing or damaged.
        """
        if self._texts is None:
            self._texts = read_texts(self.path) if self.path else ()
        return self._texts

    def changed(
        self,
        records: Sequence[Record],
        metrics: Sequence[Metric],
        manifest: Mapping[str, Any],
    ) -> Self:
        """Return the same run with other records, metrics and manifest."""
        return type(self)(
            records,
            self.facts,
            self.latencies,
            manifest,
            metrics,
            self._dataset,
            self.path,
            self._texts,
        )

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

    @cached_property
    def homes(self) -> dict[str, str]:
        """The data set of each conversation of a joined run."""
        return {r.conversation: r.dataset for r in self.records if r.dataset}

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

    def _chosen(self, metrics: Sequence[Metric | str] | None) -> list[Metric]:
        if isinstance(metrics, str):
            metrics = [metrics]
        return list(self.metrics) if metrics is None else [as_metric(m) for m in metrics]

    def field(self, name: str) -> list[Any]:
        """Return a field or dial of every record.

        Raises:
            ConfigError: no record has it, or it is named like a column of the tables.
        """
        if not isinstance(name, str):
            raise ConfigError(f"field {name!r}", "one name, as 'category'")
        if name in _FIELDS:
            return [getattr(record, name) for record in self.records]
        known = {dial for record in self.records for dial in record.dials} - set(_COLUMNS)
        if name not in known:
            hint = suggest(name, known | set(_FIELDS))
            raise ConfigError(f"no record has a field {name!r}", "", hint)
        return [record.dials.get(name) for record in self.records]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RunData):
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
