"""Dense search over turns."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from memlab.checking import check_methods
from memlab.history import TurnMemory
from memlab.naming import part, strategy
from memlab.protocols import Embedder, VectorIndex
from memlab.taxonomy import Tags
from memlab.text import form
from memlab.types import Item, Query, Turn

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_FIRST = 128
"""Rows first asked of the index; four times as many as long as the budget is not filled."""


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
        check_methods("index", self.index, "reset add remove vectors scores nearest")
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

    def write_many(self, turns: Sequence[Turn]) -> None:
        """Keep turns, embedded together; if one cannot be kept, none of them are."""
        texts = [self._form(turn) for turn in turns]
        vectors = self.run.embed(self.embedder, texts, "document")
        done: list[Turn] = []
        try:
            for turn, vector in zip(turns, vectors, strict=True):
                self._add(turn, vector)
                done.append(turn)
        except BaseException:
            for turn in done:
                self.forget([turn.id], turn.user)
            raise

    def _add(self, turn: Turn, vector: NDArray[np.float32]) -> None:
        index = self._indexes.get(turn.user)
        if index is None:
            index = self._new_index(turn.user)
        row = self.history.add(turn)
        try:
            index.add(row, vector)
        except BaseException:
            self.history.forget([turn.id], turn.user)
            raise

    def _new_index(self, user: str) -> VectorIndex:
        index = self._indexes[user] = copy.deepcopy(self.index)
        index.reset()
        return index

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user from the history and the index."""
        for row in self.history.forget(turn_ids, user):
            self._indexes[user].remove(row)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the nearest turns; equal scores in the order written."""
        index = self._indexes.get(query.user)
        if index is None:
            return []
        vector, count = self._asked(query), _FIRST
        while True:
            rows, scores = index.nearest(vector, count)
            ranked = zip(rows.tolist(), scores.tolist(), strict=True)
            items = self.history.pack(ranked, budget)
            if len(rows) < count or next(ranked, None) is not None:
                return items
            count *= 4

    def _asked(self, query: Query) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.run.embed(self.embedder, [query.text], "query")[0]
        return vector

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the user's rows and their cosine with the query."""
        import numpy as np

        if query.user not in self._indexes:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        return self._indexes[query.user].scores(self._asked(query))

    def explain(self, query: Query) -> pd.DataFrame:
        """Return one row per turn of the user, best first: its cosine with the query."""
        import pandas as pd

        rows, found = self.scores(query)
        table = pd.DataFrame({"turn": [self.history[r].id for r in rows], "cosine": found})
        return table.sort_values("cosine", ascending=False, kind="stable", ignore_index=True)

    def save(self, path: Path) -> None:
        """Write turns and indexes into the folder `path`."""
        super().save(path)
        users = [user for user in self._indexes if self.history.rows(user)]
        (path / "users.json").write_text(json.dumps(users), "utf-8")
        for number, user in enumerate(users):
            self._indexes[user].save(path / f"index{number}")

    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote, without embedding anything."""
        self.reset()
        for turn in self.read_turns(path):
            self.history.add(turn)
        for number, user in enumerate(json.loads((path / "users.json").read_text("utf-8"))):
            index = self._new_index(user)
            index.load(path / f"index{number}", self.history.rows(user))
