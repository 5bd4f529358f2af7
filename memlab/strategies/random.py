"""Turns drawn at random: the floor of every ranking."""

from __future__ import annotations

from typing import ClassVar

from memlab.checking import check_whole
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.taxonomy import Tags
from memlab.types import Item, Query


@strategy
class Random(TurnMemory):
    """Return the user's turns in a random order that depends on seed, query and store.

    >>> Random(seed=1)
    Random(seed=1)
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "in-memory", "dialogue", "none")

    seed: int = 0

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a seed that is no whole number.
        """
        check_whole("seed", self.seed)
        super().reset()

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return turns at random; the same query on the same store gets the same ones."""
        rows = self.history.rows(query.user)
        rng = self.run.rng("random", str(self.seed), query.user, query.text, str(len(rows)))
        order = rng.permutation(len(rows)).tolist()
        return self.history.pack(((rows[i], 0.0) for i in order), budget)
