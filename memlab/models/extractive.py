"""A summarizer that needs no model: the most central sentences, word for word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memlab.checking import check_number
from memlab.naming import component
from memlab.particulars import is_small_talk, particulars
from memlab.passages import tokens_of
from memlab.protocols import Passage, TokenCounter
from memlab.text import has_cjk, sentences, terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.float64]

_ROUNDS = 100
_STILL = 1e-9


class _Sentence(NamedTuple):
    """A sentence, the number of its passage, and where it stands in its text."""

    text: str
    passage: int
    start: int

    @property
    def end(self) -> int:
        """Where it ends in the text of its passage."""
        return self.start + len(self.text)


@component
class ExtractiveSummarizer:
    r"""Keep the sentences that say most, as they were said; all of them where all fit.

    A sentence's worth is its LexRank centrality, brought to a mean of 1, plus `exact` · n / (n + 1)
    for n names, numbers, dates and titles in it, times `question` if it asks. Taken is again and
    again the sentence of the highest `diversity` · worth − (1 − `diversity`) · its largest cosine
    with one that was taken, if it fits; greetings, thanks and agreement come last. Sentences of
    one passage share its lead. English and Chinese; the same input gives the same summary.

    Formula: p(u) = \frac{d}{N} + (1 - d) \sum_v \frac{\cos(u, v)}{\sum_z \cos(z, v)} p(v)

    Source: Erkan and Radev (2004), "LexRank: Graph-based Lexical Centrality as Salience in Text
        Summarization", JAIR 22, section 3.3 (continuous); Carbonell and Goldstein (1998), "The
        Use of MMR", SIGIR.

    >>> ExtractiveSummarizer(exact=2.0)
    ExtractiveSummarizer(exact=2.0)
    """

    jump: float = 0.15
    exact: float = 1.0
    question: float = 0.5
    diversity: float = 0.7

    def check(self) -> None:
        """Check the parameters.

        Raises:
            ConfigError: jump, question or diversity outside [0, 1], exact below 0.
        """
        for name in ("jump", "question", "diversity"):
            check_number(name, getattr(self, name), high=1.0)
        check_number("exact", self.exact)

    def summarize(
        self, passages: Sequence[Passage], tokens: int, counter: TokenCounter
    ) -> list[Passage]:
        """Return what is kept of the passages, in their order, within `tokens` tokens."""
        self.check()
        if tokens_of(passages, counter) <= tokens:
            return list(passages)
        pool = _pool(passages)
        if not pool:
            return []
        leads = [passage.lead for passage in passages]
        taken = self._taken(pool, leads, tokens, counter)
        # Tokens of parts add up to about those of the whole; the last taken go if it is more.
        while tokens_of(made := _made(passages, pool, taken), counter) > tokens:
            taken.pop()
        return made

    def _taken(
        self, pool: Sequence[_Sentence], leads: list[str], tokens: int, counter: TokenCounter
    ) -> list[int]:
        """Return the sentences that are kept, in the order in which they are taken."""
        import numpy as np

        costs = np.array([1 + counter.count(one.text) for one in pool])
        first = np.array([1 + counter.count(leads[one.passage] + one.text) for one in pool])
        passage = np.array([one.passage for one in pool])
        vectors = _vectors([one.text for one in pool])
        worth = self._worth(pool, centrality(vectors, self.jump))
        nearest, open_ = np.zeros(len(pool)), np.ones(len(pool), dtype=np.bool_)
        taken: list[int] = []
        while True:
            cost = np.where(np.isin(passage, passage[taken]), costs, first)
            open_ &= cost <= tokens
            if not open_.any():
                return taken
            value = (self.diversity * worth - (1 - self.diversity) * nearest).round(9)
            best = int(np.argmax(np.where(open_, value, -np.inf)))
            taken.append(best)
            tokens -= int(cost[best])
            open_[best] = False
            nearest = np.maximum(nearest, _cosines(vectors, best))

    def _worth(self, pool: Sequence[_Sentence], central: Floats) -> Floats:
        import numpy as np

        values = len(pool) * central
        for i, one in enumerate(pool):
            exact, idle, asks = _traits(one.text)
            values[i] = (values[i] + self.exact * exact / (exact + 1)) * (
                self.question if asks else 1.0
            )
            values[i] -= 1e6 * idle
        found: Floats = np.asarray(values)
        return found


def centrality(vectors: csr_array, jump: float) -> Floats:
    """Return the LexRank of unit rows (N, V): the random walk over their cosines; sums to 1.

    A row without a term is like itself alone. The matrix of cosines is never made, so a round
    costs as much as the terms there are.
    """
    import numpy as np

    size = vectors.shape[0]
    empty = np.diff(vectors.indptr) == 0
    degree = vectors @ (vectors.T @ np.ones(size)) + empty
    rank: Floats = np.full(size, 1.0 / size)
    for _ in range(_ROUNDS):
        share = rank / degree
        new = jump / size + (1 - jump) * (vectors @ (vectors.T @ share) + empty * share)
        if np.abs(new - rank).max() < _STILL:
            return np.asarray(new, dtype=np.float64)
        rank = new
    return rank


def _cosines(vectors: csr_array, row: int) -> Floats:
    """Return the cosines of all rows with one of them."""
    import numpy as np

    one = np.zeros(vectors.shape[1])
    inside = slice(vectors.indptr[row], vectors.indptr[row + 1])
    one[vectors.indices[inside]] = vectors.data[inside]
    found: Floats = vectors @ one
    return found


def _vectors(texts: Sequence[str]) -> csr_array:
    """Return unit TF-IDF rows, idf = ln(1 + N / df)."""
    import numpy as np
    from scipy.sparse import csr_array

    column: dict[str, int] = {}
    cells: list[tuple[int, int, float]] = []
    for row, text in enumerate(texts):
        for term, count in _counted(text):
            cells.append((row, column.setdefault(term, len(column)), count))
    rows, columns, counts = (
        (np.array(part) for part in zip(*cells, strict=True))
        if cells
        else (np.array([], dtype=np.int64),) * 3
    )
    size = (len(texts), max(1, len(column)))
    idf = np.log1p(len(texts) / np.bincount(columns.astype(np.int64), minlength=size[1]).clip(1))
    values = counts * idf[columns.astype(np.int64)]
    length = np.sqrt(np.bincount(rows.astype(np.int64), values**2, minlength=size[0]))
    made = csr_array((values / length[rows.astype(np.int64)], (rows, columns)), shape=size)
    made.sort_indices()
    return made


@lru_cache(maxsize=20_000)
def _counted(text: str) -> tuple[tuple[str, int], ...]:
    counts: dict[str, int] = {}
    for term in terms(text):
        counts[term] = counts.get(term, 0) + 1
    return tuple(counts.items())


@lru_cache(maxsize=20_000)
def _traits(text: str) -> tuple[int, bool, bool]:
    """Return how much a sentence says exactly, whether it is small talk, whether it asks."""
    return len(particulars(text)), is_small_talk(text), text.rstrip("\"”'’)").endswith(("?", "？"))


def _pool(passages: Sequence[Passage]) -> list[_Sentence]:
    """Return the sentences of passages in order; of equal ones the last."""
    last = {one.text: one for i, passage in enumerate(passages) for one in _cut(passage, i)}
    return sorted(last.values(), key=lambda one: (one.passage, one.start))


def _cut(passage: Passage, number: int) -> Iterator[_Sentence]:
    at = len(passage.lead)
    for text in sentences(passage.text[at:]):
        at = passage.text.index(text, at)
        yield _Sentence(text, number, at)
        at += len(text)


def _made(
    passages: Sequence[Passage], pool: Sequence[_Sentence], taken: Sequence[int]
) -> list[Passage]:
    """Return passages of the sentences taken; what stood side by side stays as it was written."""
    kept: dict[int, str] = {}
    ends: dict[int, int] = {}
    for i in sorted(taken):
        one = pool[i]
        whole, text = passages[one.passage], kept.get(one.passage)
        if text is None:
            text = whole.lead
        else:
            between = whole.text[ends[one.passage] : one.start]
            apart = "" if has_cjk(text[-2:]) else " "
            text += apart if between.strip() else between
        kept[one.passage] = text + one.text
        ends[one.passage] = one.end
    return [passages[i]._replace(text=text) for i, text in kept.items()]
