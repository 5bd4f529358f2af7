"""Dense search over turns."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from memlab.checking import check_methods
from memlab.history import TurnMemory
from memlab.naming import part, strategy
from memlab.protocols import Embedder, VectorIndex
from memlab.taxonomy import Tags
from memlab.text import form
from memlab.topk import best
from memlab.types import Item, Query, Turn

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


@strategy
class Vector(TurnMemory):
    """Rank the user's turns by the cosine of their embedding with the query's.

    `form` is the text that is embedded (`memlab.text.form`); what comes back is the turn.
    Every user has an index of their own.

    Source: Karpukhin et al. (2020), "Dense Passage Retrieval for Open-Domain Question
        Answering", EMNLP: one vector a text, inner product.

    >>> Vector(form="text")
    Vector(form='text')
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "vector index", "dialogue", "semantic")

    embedder: Embedder = part("MiniLM()")
    index: VectorIndex = part("Exact()")
    form: str = "speaker"

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: an unknown form, an embedder or an index that is none.
        """
        check_methods("embedder", self.embedder, "identity encode")
        check_methods("index", self.index, "reset add remove vectors scores")
        super().reset()
        self._form = form(self.form)
        self._indexes: dict[str, VectorIndex] = {}

    def texts(self, turn: Turn) -> list[str]:
        """Return the text that writing the turn embeds."""
        return [form(self.form)(turn)]

    def write(self, turn: Turn) -> None:
        """Keep and embed a turn."""
        vector = self.run.embed(self.embedder, [self._form(turn)], "document")[0]
        self._add(turn, vector)

    def _add(self, turn: Turn, vector: NDArray[np.float32]) -> None:
        row = self.history.add(turn)
        index = self._indexes.get(turn.user)
        if index is None:
            index = self._indexes[turn.user] = copy.deepcopy(self.index)
            index.reset()
        index.add(row, vector)

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user from the history and the index."""
        for row in self.history.forget(turn_ids, user):
            self._indexes[user].remove(row)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the nearest turns; equal scores in the order written."""
        return self.history.pack(best(*self.scores(query)), budget)

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the user's rows and their cosine with the query."""
        import numpy as np

        if query.user not in self._indexes:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        vector = self.run.embed(self.embedder, [query.text], "query")[0]
        return self._indexes[query.user].scores(vector)

    def explain(self, query: Query) -> pd.DataFrame:
        """Return one row per turn of the user, best first: its cosine with the query."""
        import pandas as pd

        rows, found = self.scores(query)
        table = pd.DataFrame({"turn": [self.history[r].id for r in rows], "cosine": found})
        return table.sort_values("cosine", ascending=False, kind="stable", ignore_index=True)

    def save(self, path: Path) -> None:
        """Write turns and vectors into the folder `path`."""
        import numpy as np

        super().save(path)
        by_row: dict[int, NDArray[np.float32]] = {}
        for index in self._indexes.values():
            by_row.update(zip(*index.vectors(), strict=True))
        rows = [row for row, turn in enumerate(self.history.turns) if turn is not None]
        np.save(path / "vectors.npy", np.array([by_row[row] for row in rows]))

    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote, without embedding anything."""
        import numpy as np

        vectors = np.load(path / "vectors.npy", allow_pickle=False)
        self.reset()
        for turn, vector in zip(self.read_turns(path), vectors, strict=True):
            self._add(turn, vector)
