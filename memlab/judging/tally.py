"""How many turns hold each key, in 12 bytes a key once there are many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memlab.hashed import Hashed, hashes
from memlab.judging.archive import Line
from memlab.judging.shingles import Reading
from memlab.text import words
from memlab.types import Turn


class Tally:
    """How many turns hold each key: a run, a word, a code, a name.

    Keys that are packed lie under hashes of 8 bytes, the same in every process: of 10^7 keys,
    a thousand looked up find a foreign one with probability 5e-10.
    """

    def __init__(self) -> None:
        self.size = 0
        self._keys: Counter[str] = Counter()
        self._packed = Hashed(adding=True)

    def add(self, turn: Turn | Line, reading: Reading) -> None:
        """Count a turn; its speaker's name counts as said."""
        self.size += 1
        self._keys.update(reading.keys.union(words(turn.speaker)))

    @property
    def loose(self) -> int:
        """How many keys are kept as they are."""
        return len(self._keys)

    def pack(self) -> None:
        """Put the keys under their hashes."""
        import numpy as np

        if self._keys:
            counts = np.array(list(self._keys.values()), dtype=np.int32)
            self._packed.insert(hashes(list(self._keys)), counts)
            self._keys.clear()

    def counts(self, keys: Sequence[str]) -> list[int]:
        """Return how many turns hold each of the keys."""
        counts = [self._keys.get(key, 0) for key in keys]
        if keys and self._packed.runs:
            for hit, packed in self._packed.first(hashes(keys)):
                counts = [n + m for n, m in zip(counts, (hit * packed).tolist(), strict=True)]
        return counts

    def __getitem__(self, key: str) -> int:
        return self.counts([key])[0]
