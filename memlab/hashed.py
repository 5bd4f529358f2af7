"""Whole numbers under 8-byte hashes, 12 bytes each: a mapping for millions of keys."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Run = tuple[NDArray[np.int64], NDArray[np.int32]]


def hashes(keys: Iterable[str]) -> NDArray[np.int64]:
    """Return 8-byte hashes of texts, the same in every process."""
    import numpy as np

    digests = [blake2b(k.encode("utf-8", "surrogatepass"), digest_size=8).digest() for k in keys]
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64, copy=False)


class Hashed:
    """Numbers under hashes, in sorted runs, each more than twice as long as the next.

    So inserting n hashes in parts costs n log n in all, and a look-up one search per run.
    With `adding`, the numbers under one hash are added up where runs are merged.

    >>> import numpy as np
    >>> held = Hashed()
    >>> held.insert(np.array([7, 5, 7]), np.array([0, 1, 2], dtype=np.int32))
    >>> held.under(7), held.under(6)
    ([0, 2], [])
    """

    def __init__(self, *, adding: bool = False) -> None:
        self._adding = adding
        self.runs: list[Run] = []

    def insert(self, keys: NDArray[np.int64], numbers: NDArray[np.int32]) -> None:
        """Put numbers under hashes."""
        import numpy as np

        if not len(keys):
            return
        parts = [(keys, numbers)]
        size = len(keys)
        while self.runs and len(self.runs[-1][0]) <= 2 * size:
            parts.append(self.runs.pop())
            size += len(parts[-1][0])
        keys = np.concatenate([part[0] for part in reversed(parts)])
        numbers = np.concatenate([part[1] for part in reversed(parts)])
        # Stable sorting finds the runs again, and merges them in linear time.
        order = keys.argsort(kind="stable")
        keys, numbers = keys[order], numbers[order]
        if self._adding:
            first = np.append(True, keys[1:] != keys[:-1]).nonzero()[0]
            keys, numbers = keys[first], np.add.reduceat(numbers, first, dtype=np.int32)
        self.runs.append((keys, numbers))

    def under(self, wanted: int) -> list[int]:
        """Return the numbers under a hash, in ascending order."""
        found: list[int] = []
        for keys, numbers in self.runs:
            begin = int(keys.searchsorted(wanted))
            end = int(keys.searchsorted(wanted, side="right"))
            found += numbers[begin:end].tolist()
        return sorted(found)

    def first(self, wanted: NDArray[np.int64]) -> list[tuple[NDArray[np.bool_], NDArray[np.int32]]]:
        """Return, for each run, where it holds the wanted hashes, and the first number there."""
        import numpy as np

        found = []
        for keys, numbers in self.runs:
            at = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
            found.append((keys[at] == wanted, numbers[at]))
        return found
