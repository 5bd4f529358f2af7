"""Lexical memories that claims on segmentation are about: with it, and with words as they stand.

They are not registered; a workload names them as `memlab.board.lexical:Name(…)`.
"""

from __future__ import annotations

import re
import unicodedata

from memlab.checking import check_choice, check_flag
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.strategies.bm25 import BM25
from memlab.text import STOP_WORDS, stem, terms
from memlab.types import Item, Query, Turn

_WORD = re.compile(r"\w+")


def unsegmented(text: str) -> list[str]:
    """Return the terms of a text whose words are runs of letters: a Chinese clause is one word.

    >>> unsegmented("I like hiking. 我喜欢茶。")
    ['like', 'hike', '我喜欢茶']
    """
    found = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return [stem(word) for word in found if word not in STOP_WORDS]


@strategy
class Unsegmented(BM25):
    """BM25 over words as they stand between spaces and punctuation."""

    def _terms(self, text: str) -> list[str]:
        return unsegmented(text)


@strategy
class WordSets(TurnMemory):
    """Rank turns by the terms they share with the query, as sets.

    `score="jaccard"`: the shared terms over those of either; `"overlap"`: over those of the
    query. Turns that share none are not returned.
    """

    score: str = "jaccard"
    segmented: bool = True

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: an unknown score, segmented that is no switch.
        """
        check_choice("score", self.score, ("jaccard", "overlap"))
        check_flag("segmented", self.segmented)
        super().reset()
        self._sets: dict[str, frozenset[str]] = {}

    def write(self, turn: Turn) -> None:
        """Keep a turn and its terms."""
        super().write(turn)
        self._sets[turn.id] = self._set(turn.text)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the turns with the largest share; equal ones in the order written."""
        wanted = self._set(query.text)
        scored = []
        for row in self.history.rows(query.user):
            terms_of = self._sets[self.history[row].id]
            if shared := len(wanted & terms_of):
                whole = wanted | terms_of if self.score == "jaccard" else wanted
                scored.append((row, shared / len(whole)))
        scored.sort(key=lambda pair: -pair[1])
        return self.history.pack(scored, budget)

    def _set(self, text: str) -> frozenset[str]:
        return frozenset(terms(text) if self.segmented else unsegmented(text))
