"""Several scorers fused into one ranking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from memlab.checking import check_choice, check_methods, check_number, check_whole
from memlab.errors import ConfigError, ContractError
from memlab.history import TurnMemory
from memlab.naming import part, strategy
from memlab.run import Run
from memlab.taxonomy import Tags
from memlab.topk import best
from memlab.types import Item, Query, Turn
from memlab.wrapping import PassesOn

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


@strategy
class Hybrid(PassesOn, TurnMemory):
    """Fuse the scores of several memories, by default lexical and dense.

    `fusion="score"`: each leg's scores are brought to [0, 1] per query (min-max; a turn the
    leg does not match has 0) and added with `weights`. `fusion="rrf"`: Σ weight / (k + rank),
    ranks from 1, over the legs that match the turn.

    Source: Fox and Shaw (1994), "Combination of Multiple Searches", for scores; Cormack, Clarke
        and Büttcher (2009), "Reciprocal Rank Fusion", SIGIR, for ranks, k = 60.

    >>> Hybrid(fusion="rrf", weights=(0.4, 0.6))
    Hybrid(weights=(0.4, 0.6), fusion='rrf')
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "several", "dialogue", "hybrid")

    legs: tuple[Any, ...] = part("(BM25(), Vector())")
    weights: tuple[float, ...] = (0.5, 0.5)
    fusion: str = "score"
    k: int = 60

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: an unknown fusion, weights that do not fit the legs, a leg that
                cannot score.
        """
        check_choice("fusion", self.fusion, ("score", "rrf"))
        check_whole("k", self.k)
        if len(self.weights) != len(self.legs) or not self.legs:
            raise ConfigError(
                f"{len(self.legs)} legs with weights {self.weights}", "a weight for each leg"
            )
        for leg, weight in zip(self.legs, self.weights, strict=True):
            check_number("weight", weight)
            check_methods("leg", leg, "reset write forget scores")
            leg.reset()
        super().reset()

    def attach(self, run: Run) -> None:
        """Work in `run`, with every leg."""
        super().attach(run)
        for able in self._parts("attach"):
            able.attach(run)

    def write(self, turn: Turn) -> None:
        """Keep a turn in every leg."""
        super().write(turn)
        for leg in self.legs:
            leg.write(turn)

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user everywhere."""
        super().forget(turn_ids, user)
        for leg in self.legs:
            leg.forget(turn_ids, user)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the turns with the best fused score; equal ones in the order written."""
        return self.history.pack(best(*self.scores(query)), budget)

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the user's rows and their fused scores, −inf where no leg matches."""
        import numpy as np

        rows = np.array(self.history.rows(query.user), dtype=np.int64)
        total = np.full(len(self.history.turns), -np.inf)
        fuse = _scaled if self.fusion == "score" else self._reciprocal
        for leg, weight in zip(self.legs, self.weights, strict=True):
            found_rows, found = leg.scores(query)
            if np.isnan(found).any():
                raise ContractError(f"{leg!r} scored NaN", "numbers, or −inf for no match")
            matched = np.isfinite(found)
            at = found_rows[matched]
            total[at] = np.maximum(total[at], 0.0) + weight * fuse(found)[matched]
        return rows, total[rows]

    def explain(self, query: Query) -> pd.DataFrame:
        """Return one row per turn of the user, best first: its fused score, and each leg's."""
        import pandas as pd

        rows, fused = self.scores(query)
        table = pd.DataFrame({"turn": [self.history[r].id for r in rows], "score": fused})
        for number, leg in enumerate(self.legs):
            scored = dict(zip(*leg.scores(query), strict=True))
            table[f"leg {number}: {type(leg).__name__}"] = [scored.get(r) for r in rows]
        return table.sort_values("score", ascending=False, kind="stable", ignore_index=True)

    def _reciprocal(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        ranks = np.empty(len(found))
        ranks[np.argsort(-found, kind="stable")] = np.arange(1, len(found) + 1)
        return 1.0 / (self.k + ranks)

    def save(self, path: Path) -> None:
        """Write the turns and every leg into folders under `path`."""
        super().save(path)
        for number, leg in enumerate(self.legs):
            leg.save(path / f"leg{number}")

    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        self.reset()
        for turn in self.read_turns(path):
            self.history.add(turn)
        for number, leg in enumerate(self.legs):
            leg.load(path / f"leg{number}")


@strategy
class TriHybrid(Hybrid):
    """Fuse vectors, words and a graph: a hybrid of three legs, with weights of its own.

    The graph is any `memlab.protocols.GraphScores`; the default finds turns through the words
    and neighbours of turns that match. The weights were chosen on LoCoMo and BEAM
    (experiments/LOG.md).

    >>> TriHybrid(fusion="rrf", weights=(1.0, 1.0, 1.0)).legs[2]
    TermGraph()
    """

    legs: tuple[Any, ...] = part("(BM25(), Vector(), TermGraph())")
    weights: tuple[float, ...] = (0.3, 0.4, 0.3)


def _scaled(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring scores to [0, 1]; with turns unmatched (−inf), zero is the lower end."""
    import numpy as np

    matched = np.isfinite(found)
    if not matched.any():
        return found
    low = float(found[matched].min()) if matched.all() else 0.0
    span = float(found[matched].max()) - low
    return (found - low) / span if span > 0 else np.where(matched, 1.0, found)
