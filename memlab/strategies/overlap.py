"""Lexical search by the share of the question's words."""

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
    from numpy.typing import NDArray

    from memlab.indexes.postings import Postings


@strategy
class Overlap(TurnMemory):
    r"""Rank the user's turns by the share of the question's distinct words that they hold.

    A score is from 0 to 1, however often a word occurs; turns without any are not returned. The
    words of `form` (`memlab.text.form`) are Unicode words and character bigrams of Chinese,
    Japanese and Korean, as they are, unless `stemming` or `stopping` is asked for.

    Source: memlab's own definition; the share is the containment of Broder (1997), "On the
        resemblance and containment of documents", over words.

    >>> Overlap(stopping=True)
    Overlap(stopping=True)
    """

    taxonomy: ClassVar[Tags] = Tags("long-term", "in-memory", "dialogue", "exact match")

    form: str = "text"
    stemming: bool = False
    stopping: bool = False

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: an unknown form.
        """
        check_flag("stemming", self.stemming)
        check_flag("stopping", self.stopping)
        super().reset()
        self._form = form(self.form)
        self._words: dict[str, Postings] = {}

    def _terms(self, text: str) -> list[str]:
        return terms(text, stemming=self.stemming, stopping=self.stopping)

    def _of(self, user: str) -> Postings:
        if user in self._words:
            return self._words[user]
        made: Postings = resolve("Postings")()
        made.reset()
        return made

    def write(self, turn: Turn) -> None:
        """Keep a turn and its words."""
        row = self.history.add(turn)
        self._words[turn.user] = self._of(turn.user)
        self._words[turn.user].add(row, self._terms(self._form(turn)))

    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user, and their words."""
        for row in self.history.forget(turn_ids, user):
            self._words[user].remove(row)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the best-scoring turns; equal scores in the order written."""
        return self.history.pack(best(*self.scores(query)), budget)

    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the user's rows and their shares, −inf without a word of the question."""
        import numpy as np

        asked = list(dict.fromkeys(self._terms(query.text)))
        rows, _, counts = self._of(query.user).counts(asked)
        shares = (counts > 0).sum(axis=1) / max(1, len(asked))
        return rows, np.where(shares > 0, shares, -np.inf)
