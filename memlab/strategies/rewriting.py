"""A memory that is asked in other words than the question's own."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memlab.checking import check_methods, check_whole
from memlab.history import turn_from_json, turn_to_json
from memlab.naming import part, strategy
from memlab.protocols import Memory, RewritesQueries
from memlab.types import Item, Query, Turn
from memlab.wrapping import Wrapper, ability

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


@strategy
class Rewriting(Wrapper):
    """Read another memory with the question as a rewriter puts it.

    The rewriter sees the question and the last `tail` turns of its user. Vectors of rewritten
    questions are encoded when they are read, since they depend on what was said before.

    Source: Elgohary et al. (2019), "Can You Unpack That? Learning to Rewrite Questions-in-
        Context", EMNLP, for the task.

    >>> Rewriting(tail=6)
    Rewriting(tail=6)
    """

    inner: Memory = part("BM25()")
    rewriter: RewritesQueries = part("QueryRewriter()")
    tail: int = 20

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a rewriter or an inner memory that is none, a tail below 0.
        """
        check_methods("rewriter", self.rewriter, "rewrite")
        check_whole("tail", self.tail)
        super().reset()
        self._tails: dict[str, deque[Turn]] = {}
        self._rewritten = self._asked = 0

    def write(self, turn: Turn) -> None:
        """Write a turn into the memory inside."""
        super().write(turn)
        self._keep(turn)

    def _keep(self, turn: Turn) -> None:
        self._tails.setdefault(turn.user, deque(maxlen=self.tail)).append(turn)

    @ability
    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user, here and in the memory inside."""
        super().forget(turn_ids, user)
        gone = set(turn_ids)
        kept = (turn for turn in self._tails.get(user, ()) if turn.id not in gone)
        self._tails[user] = deque(kept, maxlen=self.tail)

    def rewritten(self, query: Query) -> Query:
        """Return the question as the memory inside is asked it."""
        return self.rewriter.rewrite(query, list(self._tails.get(query.user, ())))

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return what the memory inside has for the rewritten question."""
        asked = self.rewritten(query)
        self._asked += 1
        self._rewritten += asked.text != query.text
        return super().read(asked, budget)

    @ability
    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return the scores of the memory inside for the rewritten question."""
        found: tuple[NDArray[np.int64], NDArray[np.floating]]
        found = self.inner.scores(self.rewritten(query))  # type: ignore[attr-defined]
        return found

    @ability
    def explain(self, query: Query) -> pd.DataFrame:
        """Return the explanation of the memory inside; the column `query` has what was asked."""
        asked = self.rewritten(query)
        table: pd.DataFrame = self.inner.explain(asked)  # type: ignore[attr-defined]
        return table.assign(query=asked.text)

    def stats(self) -> Mapping[str, int | float]:
        """Return how many questions were read and rewritten, and the counters inside."""
        own = {"questions": self._asked, "questions rewritten": self._rewritten}
        return {**super().stats(), **own}

    @ability
    def save(self, path: Path) -> None:
        """Write the last turns and the memory inside into the folder `path`."""
        super().save(path)
        with (path / "tail.jsonl").open("w", encoding="utf-8") as file:
            for turns in self._tails.values():
                for turn in turns:
                    file.write(json.dumps(turn_to_json(turn), ensure_ascii=False) + "\n")

    @ability
    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        super().load(path)
        with (path / "tail.jsonl").open(encoding="utf-8") as file:
            for line in file:
                self._keep(turn_from_json(json.loads(line)))
