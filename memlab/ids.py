"""Which ids were given so far, and in which row: by 8-byte hashes, 12 bytes an id."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from memlab.hashed import Hashed, hashes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FRESH = 4096


class Ids:
    """Ids in rows 0, 1, 2, …, known again by their hash.

    Of a million different ids two share a hash with probability 3e-8; whoever keeps the ids
    themselves can tell such rows apart.

    >>> ids = Ids()
    >>> ids.extend(["a", "b"]), ids.rows("b"), ids.rows("c"), ids.extend(["c", "a"])
    ([], [1], [], ['a'])
    """

    def __init__(self) -> None:
        self._rows = Hashed()
        self._fresh: list[str] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size + len(self._fresh)

    def add(self, name: str) -> None:
        """Give an id the next row."""
        self._fresh.append(name)
        if len(self._fresh) >= _FRESH:
            self._settle()

    def extend(self, names: Collection[str]) -> list[str]:
        """Give ids the next rows; return those whose hash had a row before."""
        self._settle()
        wanted = hashes(names)
        order = wanted.argsort()  # searching for neighbours in turn is four times as fast
        again: set[int] = set()
        for hit, _ in self._rows.first(wanted[order]):
            again.update(order[hit].tolist())
        self._insert(wanted)
        return [name for n, name in enumerate(names) if n in again] if again else []

    def rows(self, name: str) -> list[int]:
        """Return the rows of an id, in order."""
        self._settle()
        return self._rows.under(int(hashes([name])[0]))

    def repeated(self, names: Iterable[str]) -> list[str]:
        """Return those of the names that have more than one row."""
        import numpy as np

        self._settle()
        every = [np.empty(0, np.int64), *(run for run, _ in self._rows.runs)]
        joined = np.sort(np.concatenate(every), kind="stable")
        twice = frozenset(joined[1:][joined[1:] == joined[:-1]].tolist())
        return [name for name in names if int(hashes([name])[0]) in twice] if twice else []

    def _settle(self) -> None:
        """Put what was added since under its hashes."""
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            self._insert(hashes(fresh))

    def _insert(self, wanted: NDArray[np.int64]) -> None:
        import numpy as np

        rows = np.arange(self._size, self._size + len(wanted), dtype=np.int32)
        self._rows.insert(wanted, rows)
        self._size += len(wanted)
