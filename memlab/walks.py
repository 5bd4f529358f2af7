"""Random walks with restart on turns and their terms, as sparse matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Walk:
    """Transitions between turns and terms; `idf` draws the terms where a walk starts.

    `to_turns` has shape (turns, terms): what a turn gets of the walkers at each term; `to_terms`
    is (terms, turns); `aside` is (turns, turns), or None without edges between turns; `sizes`
    are the turns' terms, summed by idf and divided by their mean.
    """

    idf: NDArray[np.float64]
    to_turns: Any
    to_terms: Any
    aside: Any
    sizes: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        starts: Sequence[int],
        ends: Sequence[int],
        terms: int,
        episodes: Sequence[int],
        neighbours: float = 0.0,
    ) -> Walk:
        """Make the transitions of turns whose terms are `ends[starts[i]:starts[i + 1]]`.

        From a term, every turn that has it is equally likely; from a turn, its terms are drawn
        by idf = ln(1 + (N − n + 0.5) / (n + 0.5)), and with probability `neighbours` the walk
        goes to the turn before or after in the same episode instead.
        """
        import numpy as np
        from scipy import sparse

        turns = len(starts) - 1
        links = np.array(ends, dtype=np.int32)
        held = np.bincount(links, minlength=terms).astype(np.float64)
        idf = np.log1p((turns - held + 0.5) / (held + 0.5))
        shape = (turns, terms)
        bounds = np.array(starts, dtype=np.int32)
        to_turns = sparse.csr_array((1.0 / held[links], links, bounds), shape=shape)
        weights = sparse.csr_array((idf[links], links, bounds), shape=shape)
        total = weights.sum(axis=1)
        aside, left = _aside(np.array(episodes), neighbours)
        share = np.divide(left, total, out=np.zeros(turns), where=total > 0)
        weights.data *= np.repeat(share, np.diff(bounds))
        sizes = total / total.mean() if total.any() else np.ones(turns)
        return cls(idf, to_turns, weights.T.tocsr(), aside, sizes)

    def visits(self, start: Sequence[int], restart: float, rounds: int) -> NDArray[np.float64]:
        """Return the share of time at each turn of a walk that starts at terms, by idf.

        A round goes to the turns and back, each with what the other has just got (Gauss-Seidel),
        so that the error falls by (1 − restart)² or faster.
        """
        import numpy as np

        origin = np.zeros(len(self.idf))
        origin[list(start)] = self.idf[list(start)]
        turns = np.zeros(self.to_turns.shape[0])
        if not origin.sum():
            return turns
        origin /= origin.sum()
        here = origin
        for _ in range(rounds):
            reached = self.to_turns @ here
            if self.aside is not None:
                reached += self.aside @ turns
            turns = (1 - restart) * reached
            here = restart * origin + (1 - restart) * (self.to_terms @ turns)
        return turns


def _aside(episodes: NDArray[np.int64], share: float) -> tuple[Any, NDArray[np.float64]]:
    """Return the transitions between neighbouring turns, and what is left for the terms."""
    import numpy as np
    from scipy import sparse

    size = len(episodes)
    if share == 0 or size < 2:
        return None, np.ones(size)
    first = np.flatnonzero(np.diff(episodes) == 0)
    pairs = np.r_[first, first + 1], np.r_[first + 1, first]
    degree = np.bincount(pairs[1], minlength=size).astype(np.float64)
    matrix = sparse.csr_array((share / degree[pairs[1]], pairs), shape=(size, size))
    return matrix, np.where(degree > 0, 1 - share, 1.0)
