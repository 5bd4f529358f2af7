"""Hits ranked again before the budget cuts them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memlab.checking import check_methods, check_number, check_whole
from memlab.errors import ContractError
from memlab.history import turn_from_json, turn_to_json
from memlab.naming import part, strategy
from memlab.protocols import Memory, PairScorer
from memlab.text import form
from memlab.types import Item, Query, Turn
from memlab.wrapping import Wrapper, ability

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_Group = list[Item]


@strategy
class Reranker(Wrapper):
    """Rank the best hits of the memory inside again, by a scorer of (question, text) pairs.

    The inner memory is read without a budget. Its best `depth` hits get the score
    `keep` · first + (1 − `keep`) · second, each brought to [0, 1] over these hits: the inner
    memory's own score, or the rank where it gives none, and the scorer's. What follows keeps its
    order behind them. Only then the budget cuts: a scorer that sees what is already cut can move
    nothing into the context. A tool call and its results are one hit.

    `form` is the text of a turn that the scorer sees (`memlab.text.form`).

    Source: Nogueira and Cho (2019), "Passage Re-ranking with BERT", arXiv 1901.04085.

    >>> Reranker(depth=20, keep=0.0)
    Reranker(depth=20, keep=0.0)
    """

    inner: Memory = part("BM25()")
    scorer: PairScorer = part("FeatureScorer()")
    depth: int = 50
    keep: float = 0.5
    form: str = "dated"

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: depth below 1, keep outside [0, 1], an unknown form, a scorer that is
                none.
        """
        check_whole("depth", self.depth, least=1)
        check_number("keep", self.keep, high=1.0)
        check_methods("scorer", self.scorer, "score")
        super().reset()
        self._form = form(self.form)
        self._turns: dict[str, Turn] = {}

    def write(self, turn: Turn) -> None:
        """Write a turn into the memory inside; who said it, and when, is kept here."""
        super().write(turn)
        self._turns[turn.id] = turn

    @ability
    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user, here and in the memory inside."""
        super().forget(turn_ids, user)
        for turn_id in turn_ids:
            if turn_id in self._turns and self._turns[turn_id].user == user:
                del self._turns[turn_id]

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the items in their new order."""
        hits = self.inner.read(query, None)
        if not hits or budget == 0:
            return []
        ranked, last = self._ranked(query, list(self.together(hits))[: self.depth])
        tail = list(self.together(self.deeper(query, hits, budget)))[self.depth :]
        behind = (
            [replace(item, score=last - number) for item in group]
            for number, group in enumerate(tail, 1)
        )
        return self.fitting([*ranked, *behind], budget)

    def _ranked(self, query: Query, head: Sequence[_Group]) -> tuple[list[_Group], float]:
        """Return the groups in their new order with their new score, and the lowest score."""
        mixed = self._mixed(query, head)[0].tolist()
        order = sorted(range(len(head)), key=lambda i: -mixed[i])
        ranked = [[replace(item, score=mixed[i]) for item in head[i]] for i in order]
        return ranked, min(mixed)

    def _mixed(
        self, query: Query, head: Sequence[_Group]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the new scores of groups, and the two that they are mixed from."""
        import numpy as np

        from memlab.windows import scaled

        texts = ["\n".join(map(self._text, group)) for group in head]
        found = np.asarray(self.run.score(self.scorer, query, texts), dtype=np.float64)
        if found.shape != (len(texts),) or not np.isfinite(found).all():
            raise ContractError(
                f"{self.scorer!r} returned {found!r:.80}", f"{len(texts)} finite scores"
            )
        first = np.array([group[0].score for group in head], dtype=np.float64)
        if not np.isfinite(first).all() or first[0] == first[-1] or (np.diff(first) > 0).any():
            first = np.linspace(1.0, 0.0, len(head), endpoint=False)
        first, second = scaled(first), scaled(found)
        return (self.keep * first + (1.0 - self.keep) * second).round(6), first, second

    def _text(self, item: Item) -> str:
        turn = self._turns.get(item.sources[0]) if len(item.sources) == 1 else None
        if turn is None or item.kind not in ("turn", "excerpt"):
            return item.text
        return self._form(replace(turn, text=item.text))

    def explain(self, query: Query) -> pd.DataFrame:
        """Return one row per hit ranked again, best first: its score, and the two in it."""
        import pandas as pd

        head = list(self.together(self.inner.read(query, None)))[: self.depth]
        if not head:
            return pd.DataFrame(columns=["turn", "score", "first", "second", "rank before"])
        mixed, first, second = self._mixed(query, head)
        table = pd.DataFrame({"turn": [", ".join(group[0].sources) for group in head]})
        table = table.assign(score=mixed, first=first, second=second)
        table["rank before"] = range(1, len(head) + 1)
        return table.sort_values("score", ascending=False, kind="stable", ignore_index=True)

    @ability
    def save(self, path: Path) -> None:
        """Write the memory inside, and who said what when, into the folder `path`."""
        super().save(path)
        with (path / "headers.jsonl").open("w", encoding="utf-8") as file:
            for turn in self._turns.values():
                # The words are those of the item: they need not be saved a second time.
                plain = turn_to_json(replace(turn, text=""))
                file.write(json.dumps(plain, ensure_ascii=False) + "\n")

    @ability
    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        super().load(path)
        with (path / "headers.jsonl").open(encoding="utf-8") as file:
            turns = [turn_from_json(json.loads(line)) for line in file]
        self._turns = {turn.id: turn for turn in turns}
