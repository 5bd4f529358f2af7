"""A growing one- or two-dimensional numpy array with cheap appends."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Column:
    """Rows of one shape; space doubles when it runs out. Views stay valid after growth."""

    def __init__(self, dtype: DTypeLike, width: int | None = None) -> None:
        shape = (16,) if width is None else (16, width)
        self._store: NDArray[Any] = np.zeros(shape, dtype=dtype)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def append(self, value: object) -> None:
        """Add one row."""
        if self._used == len(self._store):
            grown = np.zeros((2 * self._used, *self._store.shape[1:]), dtype=self._store.dtype)
            grown[: self._used] = self._store
            self._store = grown
        self._store[self._used] = value
        self._used += 1

    @property
    def values(self) -> NDArray[Any]:
        """The rows in use, as a view."""
        return self._store[: self._used]

    def keep(self, mask: NDArray[np.bool_]) -> None:
        """Drop the rows where `mask` is False."""
        kept = self._store[: self._used][mask]
        self._used = len(kept)
        self._store = np.concatenate([kept, np.zeros_like(self._store[: max(16, len(kept))])])
