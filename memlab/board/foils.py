"""What claims are set against: faulty or bare variants that nobody should use.

They are not registered; a workload names them as `memlab.board.foils:Name(…)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memlab.checking import check_flag, check_number, check_whole
from memlab.history import TurnMemory
from memlab.naming import part, strategy
from memlab.strategies.bm25 import BM25
from memlab.strategies.cached import CachedRetriever
from memlab.strategies.hybrid import Hybrid
from memlab.topk import best
from memlab.types import Item, Query, Turn
from memlab.wrapping import Wrapper

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@strategy
class RawFusion(Hybrid):
    """Add the scores of the legs as they are, weighted: whoever has the larger unit decides."""

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the user's rows and the sums, −inf where no leg matches."""
        import numpy as np

        rows = np.array(self.history.rows(query.user), dtype=np.int64)
        total = np.full(len(self.history.turns), -np.inf)
        for leg, weight in zip(self.legs, self.weights, strict=True):
            found_rows, found = leg.scores(query)
            matched = np.isfinite(found)
            at = found_rows[matched]
            known = np.where(np.isfinite(total[at]), total[at], 0.0)
            total[at] = known + weight * found[matched]
        return rows, total[rows]


class _Scoring(Wrapper):
    """A wrapper that passes scores on as well."""

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the inner scores."""
        rows, found = self.inner.scores(query)
        return rows, found


@strategy
class Scaled(_Scoring):
    """A memory whose scores are multiplied by `factor`: the same ranking in another unit."""

    inner: Any = part("BM25()")
    factor: float = 100.0

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a factor that is not above 0, or a part that cannot score.
        """
        check_number("factor", self.factor, low=1e-9)
        super().reset()

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the inner scores times the factor."""
        rows, found = super().scores(query)
        return rows, found * self.factor


@strategy
class Top(_Scoring):
    """The first `k` items of a memory: a retriever whose result has a fixed size."""

    inner: Any = part("BM25()")
    k: int = 5

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: k below 1, or a part that cannot score.
        """
        check_whole("k", self.k, 1)
        super().reset()

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the first items."""
        return super().read(query, budget)[: self.k]


@strategy
class StaleCache(CachedRetriever):
    """A cache that no write empties: it answers from before."""

    def _changed(self) -> None:
        pass


@strategy
class Boosted(BM25):
    """BM25 that adds `weight` x ln(1 + reads) to a turn's score; `touch` counts the reads."""

    weight: float = 1.0
    touch: bool = False

    def reset(self) -> None:
        """Forget everything, reads as well.

        Raises:
            ConfigError: as `BM25`, a negative weight, touch that is no switch.
        """
        check_number("weight", self.weight)
        check_flag("touch", self.touch)
        super().reset()
        self._reads: dict[int, int] = {}

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the best turns; with `touch`, those returned rank higher from now on."""
        import numpy as np

        rows, found = self.scores(query)
        boost = np.log1p([self._reads.get(row, 0) for row in rows.tolist()])
        items = self.history.pack(best(rows, found + self.weight * boost), budget)
        if self.touch:
            returned = {item.sources[0] for item in items}
            for row in rows.tolist():
                if self.history[row].id in returned:
                    self._reads[row] = self._reads.get(row, 0) + 1
        return items


@strategy
class Careless(TurnMemory):
    """Return the newest turns of everybody, and delete nothing: what a leak test must find."""

    def write(self, turn: Turn) -> None:
        """Keep a turn under one name for all users."""
        self.history.add(replace(turn, user="everybody"))

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete nothing."""

    def read(self, query: Query, budget: int | None) -> list[Item]:  # noqa: ARG002
        """Return the newest turns, whoever said them."""
        newest = ((row, 0.0) for row in self.history.newest("everybody"))
        return self.history.pack(newest, budget)
