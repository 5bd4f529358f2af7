"""Exact nearest neighbours: one matrix–vector product."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memlab.column import Column
from memlab.errors import ContractError
from memlab.naming import component


@component
class Exact:
    """Cosine with every stored unit vector.

    A removed vector is overwritten with zeros at once; its place is given back when half of
    the places are dead, so that removing costs no copy of the matrix.

    >>> index = Exact()
    >>> index.reset()
    >>> index.add(7, np.array([0.6, 0.8], dtype=np.float32))
    >>> [found.tolist() for found in index.scores(np.array([0.0, 1.0], dtype=np.float32))]
    [[7], [0.800000011920929]]
    """

    def reset(self) -> None:
        """Forget every row."""
        self._rows = Column(np.int64)
        self._alive = Column(np.bool_)
        self._vectors: Column | None = None
        self._place: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._place)

    def add(self, row: int, vector: NDArray[np.float32]) -> None:
        """Store a vector under a row number.

        Raises:
            ContractError: a dimension other than the first vector's, NaN or infinity in it, or
                a row that is already there.
        """
        if self._vectors is None:
            self._vectors = Column(np.float32, len(vector))
        expected = self._vectors.values.shape[1]
        if vector.shape != (expected,):
            raise ContractError(f"a vector of shape {vector.shape}", f"({expected},), as before")
        if not np.isfinite(vector).all():
            raise ContractError(f"row {row} has NaN or infinity in its vector", "finite numbers")
        if row in self._place:
            raise ContractError(f"row {row} was added twice", "remove it first")
        self._place[row] = len(self._rows)
        self._rows.append(row)
        self._alive.append(True)
        self._vectors.append(vector)

    def remove(self, row: int) -> None:
        """Delete a row and its vector; a row that is not there is passed over."""
        at = self._place.pop(row, None)
        if self._vectors is None or at is None:
            return
        self._vectors.values[at] = 0.0
        self._alive.values[at] = False
        if 2 * len(self._place) < len(self._rows):
            self._compact(self._vectors)

    def _compact(self, vectors: Column) -> None:
        alive = self._alive.values
        for column in (self._rows, vectors, self._alive):
            column.keep(alive)
        self._place = {row: at for at, row in enumerate(self._rows.values.tolist())}

    def vectors(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their vectors."""
        if self._vectors is None:
            return self._rows.values, np.empty((0, 0), dtype=np.float32)
        if len(self._place) < len(self._rows):
            self._compact(self._vectors)
        return self._rows.values, self._vectors.values

    def scores(self, vector: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their cosine with `vector`.

        Rounded to six decimals, below which float32 products depend on the machine.
        """
        if self._vectors is None:
            return self._rows.values, np.empty(0, dtype=np.float32)
        rows, scores = self._rows.values, self._vectors.values @ vector
        if len(self._place) < len(rows):
            alive = self._alive.values
            rows, scores = rows[alive], scores[alive]
        return rows, scores.round(6)

    def nearest(
        self, vector: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the `count` best rows and their cosines, best first, ties in the order added."""
        rows, scores = self.scores(vector)
        chosen = np.arange(len(rows))
        if count < len(rows):
            chosen = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
        order = chosen[np.argsort(-scores[chosen], kind="stable")][:count]
        return rows[order], scores[order]

    def among(self, rows: Sequence[int], vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosines of some rows, as `scores` gives them: search behind a filter.

        Raises:
            KeyError: a row that is not there.
        """
        if self._vectors is None:
            return np.empty(0, dtype=np.float32)
        at = np.array([self._place[row] for row in rows], dtype=np.intp)
        found: NDArray[np.float32] = (self._vectors.values[at] @ vector).round(6)
        return found

    def save(self, path: Path) -> None:
        """Write the vectors into the folder `path`, in the order added."""
        path.mkdir(parents=True, exist_ok=True)
        np.save(path / "vectors.npy", self.vectors()[1])

    def load(self, path: Path, rows: Sequence[int]) -> None:
        """Replace the state by what `save` wrote, under row numbers given in that order."""
        self.reset()
        for row, vector in zip(
            rows, np.load(path / "vectors.npy", allow_pickle=False), strict=True
        ):
            self.add(row, vector)
