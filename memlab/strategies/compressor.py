"""Sentences instead of messages: what fits the budget without saying it twice."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memlab.checking import check_methods, check_number
from memlab.errors import ContractError
from memlab.history import MOST
from memlab.judging.items import CARRIED
from memlab.naming import part, strategy
from memlab.protocols import Memory, PairScorer
from memlab.text import sentences, terms
from memlab.types import Item, Query
from memlab.wrapping import Wrapper

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Piece(NamedTuple):
    """What is kept or left out as one: its items, its distinct terms, its score."""

    items: list[Item]
    terms: frozenset[str]
    score: float

    @property
    def text(self) -> str:
        """The words of its items."""
        return "\n".join(item.text for item in self.items)


@strategy
class ContextCompressor(Wrapper):
    """Cut the hits of the memory inside into sentences, and return the best that fit.

    A sentence has the score `keep` · rank of its message (falling evenly from 1) + (1 − `keep`) ·
    relevance: the share of the question's idf mass that occurs in it, idf over the sentences at
    hand, or what a `scorer` says, brought to [0, 1]. One that shares `repeat` of the distinct
    terms of both with a better one (Jaccard) is left out. A message of one sentence stays a turn,
    sentences of others are excerpts; a tool call with its results, and items that are not said by
    anybody, stay whole. `share` is the part that is filled of the budget, or of all that was found
    if that is less.

    An excerpt is evidence only with 0.8 of the weight of its message (`memlab.judging.claims`), so
    recall by id falls; `AnswerInContext` tells what compression keeps.

    Source: greedy selection without repetition as in Carbonell and Goldstein (1998), "The Use of
        MMR", SIGIR, with a threshold in the place of its trade-off.

    >>> ContextCompressor(share=0.5)
    ContextCompressor(share=0.5)
    """

    inner: Memory = part("BM25()")
    keep: float = 0.6
    repeat: float = 0.8
    share: float = 1.0
    scorer: PairScorer | None = None

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: keep, repeat or share outside [0, 1], a scorer that is none.
        """
        for name in ("keep", "repeat", "share"):
            check_number(name, getattr(self, name), high=1.0)
        if self.scorer is not None:
            check_methods("scorer", self.scorer, "score")
        super().reset()
        self._cut = self._repeats = 0

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return sentences and messages, best first."""
        hits = self.inner.read(query, None)
        if not hits or budget == 0:
            return []
        groups = list(self.together(hits))
        pieces = self._ranked(query, groups)
        limit = budget
        if self.share < 1:
            found = sum(self.tokens_in(piece.items) for piece in pieces)
            limit = int(self.share * (found if budget is None else min(budget, found)))
        else:
            more = list(self.together(self.deeper(query, hits, budget)))[len(groups) :]
            pieces += [_Piece(group, _terms(group), 0.0) for group in more]
        items = self.fitting(self._once(pieces), limit, MOST if budget is None else None)
        self._cut += sum(item.kind == "excerpt" for item in items)
        return items

    def _ranked(self, query: Query, groups: Sequence[list[Item]]) -> list[_Piece]:
        """Return the sentences of the groups, best first; equal ones in the order found."""
        pieces = list(_pieces(groups))
        relevance = self._relevance(query, pieces)
        scored = [
            piece._replace(score=round(self.keep * piece.score + (1 - self.keep) * more, 6))
            for piece, more in zip(pieces, relevance, strict=True)
        ]
        return sorted(scored, key=lambda piece: -piece.score)

    def _relevance(self, query: Query, pieces: Sequence[_Piece]) -> list[float]:
        if self.scorer is None:
            return _covered(pieces, terms(query.text))
        import numpy as np

        from memlab.windows import scaled

        texts = [piece.text for piece in pieces]
        found: NDArray[np.float64] = np.asarray(self.run.score(self.scorer, query, texts))
        if found.shape != (len(texts),) or not np.isfinite(found).all():
            raise ContractError(
                f"{self.scorer!r} returned {found!r:.80}", f"{len(texts)} finite scores"
            )
        relevance: list[float] = scaled(found).tolist()
        return relevance

    def _once(self, ranked: Sequence[_Piece]) -> Iterator[list[Item]]:
        """Yield the items of the pieces, without those that repeat a better one."""
        kept: list[frozenset[str]] = []
        for piece in ranked:
            if any(_alike(piece.terms, other) >= self.repeat for other in kept if other):
                self._repeats += 1
                continue
            kept.append(piece.terms)
            yield [replace(item, score=piece.score) for item in piece.items]

    def stats(self) -> Mapping[str, int | float]:
        """Return how many sentences came from longer messages and were left out as repeats."""
        own = {"sentences cut out": self._cut, "repeats left out": self._repeats}
        return {**super().stats(), **own}


def _pieces(groups: Sequence[list[Item]]) -> Iterator[_Piece]:
    """Yield the sentences of groups of items, with the score of their rank."""
    for number, group in enumerate(groups):
        rank = 1.0 - number / len(groups)
        whole = len(group) > 1 or group[0].kind not in CARRIED
        cut = [] if whole else sentences(group[0].text)
        if len(cut) < 2:
            yield _Piece(group, _terms(group), rank)
            continue
        for sentence in cut:
            excerpt = [replace(group[0], text=sentence, kind="excerpt")]
            yield _Piece(excerpt, _terms(excerpt), rank)


def _terms(group: Sequence[Item]) -> frozenset[str]:
    return frozenset(term for item in group for term in terms(item.text))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _covered(pieces: Sequence[_Piece], asked: Sequence[str]) -> list[float]:
    """Return the share of the idf mass of the question's terms that each piece holds."""
    held = Counter(term for piece in pieces for term in piece.terms)
    size = len(pieces)
    idf = {w: math.log1p((size - held[w] + 0.5) / (held[w] + 0.5)) for w in dict.fromkeys(asked)}
    total = sum(idf.values()) or 1.0
    return [
        sum(mass for term, mass in idf.items() if term in piece.terms) / total for piece in pieces
    ]
