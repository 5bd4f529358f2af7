"""Exact nearest neighbours: one matrix–vector product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memlab.column import Column
from memlab.errors import ContractError
from memlab.naming import component


@component
class Exact:
    """Cosine with every stored unit vector."""

    def reset(self) -> None:
        """Forget every row."""
        self._rows = Column(np.int64)
        self._vectors: Column | None = None

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
        self._vectors.append(vector)

    def remove(self, row: int) -> None:
        """Delete a row and its vector, in time linear in the number of rows."""
        kept = self._rows.values != row
        self._rows.keep(kept)
        if self._vectors is not None:
            self._vectors.keep(kept)

    def vectors(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their vectors."""
        if self._vectors is None:
            return self._rows.values, np.empty((0, 0), dtype=np.float32)
        return self._rows.values, self._vectors.values

    def scores(self, vector: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the rows in the order added and their cosine with `vector`.

        Rounded to six decimals, below which float32 products depend on the machine.
        """
        rows, vectors = self.vectors()
        if len(rows) == 0:
            return rows, np.empty(0, dtype=np.float32)
        return rows, (vectors @ vector).round(6)
