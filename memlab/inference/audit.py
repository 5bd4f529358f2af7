"""Labels of a judge beside those of an audit, as sums by cluster and without each cluster."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memlab.errors import ConfigError, Faults
from memlab.inference.clusters import Floats, numbered


class Audit(NamedTuple):
    """The judge's labels (n,), the audit's (n,) or NaN, and the cluster number of each."""

    judged: Floats
    audited: Floats
    codes: NDArray[np.intp]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which records were audited."""
        return ~np.isnan(self.audited)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many records, audited records, clusters, and audited clusters."""
        return len(self.judged), int(self.known.sum()), self.clusters, self.audited_clusters

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(np.unique(self.codes))

    @property
    def audited_clusters(self) -> int:
        """How many clusters have an audited record."""
        return len(np.unique(self.codes[self.known]))

    @property
    def raw(self) -> float:
        """The mean of the judge alone, NaN without records."""
        return float(self.judged.mean()) if len(self.judged) else float("nan")

    def note(self) -> str:
        """Say why nothing can be corrected, or no interval be given."""
        if not len(self.judged):
            return "no records"
        if not self.known.any():
            return "nothing audited"
        return "audited in one cluster only" if self.audited_clusters < 2 else ""

    def totals(self, *columns: Floats) -> Floats:
        """Return the sums of columns (n,) over all records, then without each cluster.

        Shape (1 + G, columns), clusters as numbered.
        """
        sums = np.array([np.bincount(self.codes, column) for column in columns]).T
        whole: Floats = sums.sum(axis=0, keepdims=True)
        return np.concatenate([whole, whole - sums])


def audit(judged: ArrayLike, audited: ArrayLike, clusters: Sequence[Hashable]) -> Audit:
    """Check and number the labels of a judge and those of an audit, NaN where there was none.

    Raises:
        ConfigError: columns of different length, a judge's label that is not finite, an
            infinite label of the audit; several such faults are told at once.
    """
    labels, truth = (np.asarray(x, dtype=np.float64) for x in (judged, audited))
    faults: list[ConfigError | str] = []
    if labels.shape != (len(clusters),) or truth.shape != labels.shape:
        shapes = f"labels of shape {labels.shape}, audited {truth.shape}"
        faults.append(ConfigError(f"{shapes}, {len(clusters)} clusters", "one of each a record"))
    if not np.isfinite(labels).all():
        count = int(np.sum(~np.isfinite(labels)))
        remedy = "leave out records that were not judged"
        faults.append(ConfigError(f"{count} labels are not finite", "finite numbers", remedy))
    if np.isinf(truth).any():
        expected = "finite numbers, or NaN where there was no audit"
        faults.append(ConfigError("infinite labels of the audit", expected))
    if faults:
        raise Faults(faults, "these labels cannot be used")
    return Audit(labels, truth, numbered(clusters, np.ones(len(labels), dtype=bool)))


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Divide arrays of one shape, NaN where the denominator is 0."""
    out = np.full(np.shape(numerator), np.nan)
    divided: Floats = np.divide(numerator, denominator, out=out, where=denominator != 0)
    return divided
