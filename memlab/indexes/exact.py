"""Exact nearest neighbours: one matrix–vector product."""

from __future__ import annotations

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
        self._dead = 0

    def add(self, row: int, vector: NDArray[np.float32]) -> None:
        """Store a vector under a row number.

        Raises:
            ContractError: a dimension other than the first vector's.
        """
        if self._vectors is None:
            self._vectors = Column(np.float32, len(vector))
        expected = self._vectors.values.shape[1]
        if vector.shape != (expected,):
            raise ContractError(f"a vector of shape {vector.shape}", f"({expected},), as before")
        self._rows.append(row)
        self._alive.append(True)
        self._vectors.append(vector)

    def remove(self, row: int) -> None:
        """Delete a row and its vector; a row that is not there is passed over."""
        if self._vectors is None:
            return
        at = np.flatnonzero((self._rows.values == row) & self._alive.values)
        self._vectors.values[at] = 0.0
        self._alive.values[at] = False
        self._dead += len(at)
        if 2 * self._dead > len(self._rows):
            self._compact(self._vectors)

    def _compact(self, vectors: Column) -> None:
        alive = self._alive.values
        for column in (self._rows, vectors, self._alive):
            column.keep(alive)
        self._dead = 0

    def vectors(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their vectors."""
        if self._vectors is None:
            return self._rows.values, np.empty((0, 0), dtype=np.float32)
        if self._dead:
            self._compact(self._vectors)
        return self._rows.values, self._vectors.values

    def scores(self, vector: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their cosine with `vector`.

        Rounded to six decimals, below which float32 products depend on the machine.
        """
        if self._vectors is None:
            return self._rows.values, np.empty(0, dtype=np.float32)
        rows, scores = self._rows.values, self._vectors.values @ vector
        if self._dead:
            alive = self._alive.values
            rows, scores = rows[alive], scores[alive]
        return rows, scores.round(6)
