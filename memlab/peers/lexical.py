"""BM25 libraries, which index everything again at each write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memlab.peers.langchain import HITS
from memlab.peers.peer import Message, Vectors
from memlab.text import terms


class _Rebuilt:
    """Keeps texts and their terms; the index is made anew when a message is written."""

    def __init__(self, build: Callable[[list[list[str]]], Any]) -> None:
        self._build = build
        self._texts: list[str] = []
        self._terms: list[list[str]] = []
        self.ready = True
        """False while a history is filled in that nobody reads yet."""

    def write(self, message: Message) -> None:
        self._texts.append(message.text)
        self._terms.append(terms(message.text) or [""])
        if self.ready:
            self._index = self._build(self._terms)


class _Rank(_Rebuilt):
    def read(self, question: str) -> Sequence[str]:
        return list(self._index.get_top_n(terms(question), self._texts, n=HITS))


class _Sparse(_Rebuilt):
    def read(self, question: str) -> Sequence[str]:
        count = min(HITS, len(self._texts))
        found, _ = self._index.retrieve(
            [terms(question)], k=count, show_progress=False, n_threads=1
        )
        return [self._texts[i] for i in found[0]]


def okapi(vectors: Vectors, count: Callable[[str], int]) -> _Rank:  # noqa: ARG001
    """Return rank_bm25's BM25Okapi."""
    from rank_bm25 import BM25Okapi

    return _Rank(BM25Okapi)


def lucene(vectors: Vectors, count: Callable[[str], int]) -> _Sparse:  # noqa: ARG001
    """Return bm25s by Lucene's formula."""
    import bm25s

    def build(documents: list[list[str]]) -> Any:  # noqa: ANN401
        index = bm25s.BM25(k1=1.5, b=0.75, method="lucene", backend="numpy")
        index.index(documents, show_progress=False)
        return index

    return _Sparse(build)
