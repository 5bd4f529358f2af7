"""Lexical search over turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from memlab.checking import check_flag
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.registry import resolve
from memlab.taxonomy import Tags
from memlab.text import form, terms
from memlab.topk import best
from memlab.types import Item, Query, Turn

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from memlab.indexes.postings import Postings


@strategy
class BM25(TurnMemory):
    """Rank the user's turns by BM25; turns without a query term are not returned.

    `form` is the text that is indexed (`memlab.text.form`); what comes back is the turn.
    Terms are Unicode words, English ones stemmed and without stop words, and character
    bigrams of Chinese, Japanese and Korean. Every user has an index of their own, so one
    user's words never weigh on another's scores.

    Source: Robertson and Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and
        Beyond"; the formula is told at `memlab.indexes.Postings`.

    >>> BM25(k1=0.9, form="said")
    BM25(k1=0.9, form='said')
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "in-memory", "dialogue", "exact match")

    k1: float = 1.5
    b: float = 0.75
    form: str = "dated"
    stemming: bool = True
    stopping: bool = True
    unique: bool = True

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: an unknown form, k1 below 0, b outside [0, 1].
        """
        check_flag("stemming", self.stemming)
        check_flag("stopping", self.stopping)
        super().reset()
        self._form = form(self.form)
        self._indexes: dict[str, Postings] = {}
        self._new_index()

    def _new_index(self) -> Postings:
        index: Postings = resolve("Postings")(k1=self.k1, b=self.b, unique=self.unique)
        index.reset()
        return index

    def _terms(self, text: str) -> list[str]:
        return terms(text, stemming=self.stemming, stopping=self.stopping)

    def write(self, turn: Turn) -> None:
        """Keep and index a turn, at a cost that does not grow with the history."""
        row = self.history.add(turn)
        if turn.user not in self._indexes:
            self._indexes[turn.user] = self._new_index()
        self._indexes[turn.user].add(row, self._terms(self._form(turn)))

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user from the history and the index."""
        for row in self.history.forget(turn_ids, user):
            self._indexes[user].remove(row)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the best-scoring turns; equal scores in the order written."""
        return self.history.pack(best(*self.scores(query)), budget)

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the user's rows and their scores, −inf without a match."""
        return self._of(query.user).scores(self._terms(query.text))

    def _of(self, user: str) -> Postings:
        return self._indexes.get(user) or self._new_index()

    def explain(self, query: Query) -> pd.DataFrame:
        """Return one row per matching turn, best first: its score by query term."""
        import pandas as pd

        rows, total = self.scores(query)
        table = pd.DataFrame({"turn": [self.history[r].id for r in rows], "score": total})
        for term in dict.fromkeys(self._terms(query.text)):
            table[term] = self._of(query.user).scores([term])[1]
        table = table[table["score"] > float("-inf")].replace(float("-inf"), 0.0)
        return table.sort_values("score", ascending=False, kind="stable", ignore_index=True)
