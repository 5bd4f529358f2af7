"""An inverted index that grows turn by turn and scores by BM25."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memlab.checking import check_flag, check_number
from memlab.column import Column
from memlab.naming import component

_NONE = np.empty(0, dtype=np.int64)

_NO_MATCH = np.array(-np.inf).view(np.int64)
"""The bits of minus infinity: over those of 0.0, several times as fast as a masked write."""


@component
class Postings:
    """Score rows of terms by BM25 in Lucene's form; a write costs as much as its terms.

    score = Σ idf · tf / (tf + k1 · (1 − b + b · length / average length)) over the query
    terms, with idf = ln(1 + (N − df + 0.5) / (df + 0.5)), which is never negative.
    `unique` counts each distinct query term once.

    Source: Robertson and Zaragoza (2009), "The Probabilistic Relevance Framework: BM25 and
        Beyond"; the form without the factor k1 + 1 is Lucene's.
    """

    k1: float = 1.5
    b: float = 0.75
    unique: bool = True

    def reset(self) -> None:
        """Forget every row.

        Raises:
            ConfigError: k1 not a number of at least 0, b not in [0, 1].
        """
        check_number("k1", self.k1)
        check_number("b", self.b, high=1.0)
        check_flag("unique", self.unique)
        self._rows = Column(np.int64)
        self._lengths = Column(np.float64)
        self._alive = Column(np.bool_)
        self._number: dict[int, int] = {}
        self._terms: dict[int, tuple[str, ...]] = {}
        self._lists: dict[str, _List] = {}
        self._total = 0
        self._kept: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def add(self, row: int, terms: Sequence[str]) -> None:
        """Index the terms of a row."""
        self._kept = None
        number = len(self._rows)
        counts = Counter(terms)
        self._number[row] = number
        self._terms[row] = tuple(counts)
        self._rows.append(row)
        self._lengths.append(len(terms))
        self._alive.append(True)
        self._total += len(terms)
        for term, count in counts.items():
            held = self._lists.get(term)
            if held is None:
                held = self._lists[term] = _List()
            held.add(number, count)

    def remove(self, row: int) -> None:
        """Delete a row; scores are as if it had never been added."""
        self._kept = None
        number = self._number.pop(row)
        for term in self._terms.pop(row):
            held = self._lists[term]
            held.remove(number)
            if not len(held):
                del self._lists[term]
        self._alive.values[number] = False
        self._total -= int(self._lengths.values[number])

    def scores(self, terms: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the live rows in the order added and their scores, −inf without a match."""
        size = len(self._number)
        norm, once = self._norms()
        held = self._weighted(terms)
        found = np.zeros(len(self._rows))
        for rows, weight in held:  # what length does to a row is the same for all of these
            np.add.at(found, rows.once(), weight)
        found *= once
        for rows, weight in held:
            numbers, times = rows.often()
            np.add.at(found, numbers, weight * times / (times + norm.take(numbers)))
        bits = found.view(np.int64)
        bits |= np.multiply(found == 0, _NO_MATCH)
        if size == len(self._rows):
            return self._rows.values, found
        alive = self._alive.values
        return self._rows.values[alive], found[alive]

    def _weighted(self, terms: Sequence[str]) -> list[tuple[_List, float]]:
        """Return the rows of each query term that is known, and its idf as often as it counts."""
        size, found = len(self._number), []
        for term, count in Counter(terms).items():
            rows = self._lists.get(term)
            if rows is not None:
                idf = math.log1p((size - len(rows) + 0.5) / (len(rows) + 0.5))
                found.append((rows, idf if self.unique else idf * count))
        return found

    def _norms(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what lengths do to each row, and what it then has for a term it holds once.

        Kept until a row is added or removed, which changes the average length.
        """
        if self._kept is None:
            size = len(self._number)
            average = self._total / size if size else 0.0
            slope = self.k1 * self.b / average if average else 0.0
            norm = slope * self._lengths.values
            norm += self.k1 * (1 - self.b)
            self._kept = norm, 1.0 / (1.0 + norm)
        return self._kept

    def counts(
        self, terms: Sequence[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the live rows in the order added, their lengths, and how often each has a term.

        The counts have the shape (rows, distinct terms), terms in the order first asked for.
        """
        wanted = list(dict.fromkeys(terms))
        found = np.zeros((len(self._rows), len(wanted)))
        for column, term in enumerate(wanted):
            if term in self._lists:
                found[self._lists[term].once(), column] = 1.0
                numbers, times = self._lists[term].often()
                found[numbers, column] = times
        alive = self._alive.values
        return self._rows.values[alive], self._lengths.values[alive], found[alive]


class _List:
    """The rows that hold a term: those that do once, and those that do more often.

    Most rows hold a term once, and need no count; numbers are as wide as numpy's own, so that
    nothing is converted when they are read.
    """

    __slots__ = ("_counts", "_often", "_once")

    def __init__(self) -> None:
        self._once = array("q")
        self._often = array("q")
        self._counts = array("d")

    def __len__(self) -> int:
        return len(self._once) + len(self._often)

    def add(self, number: int, count: int) -> None:
        if count == 1:
            self._once.append(number)
        else:
            self._often.append(number)
            self._counts.append(count)

    def remove(self, number: int) -> None:
        at = bisect_left(self._once, number)
        if at < len(self._once) and self._once[at] == number:
            del self._once[at]
        else:
            at = bisect_left(self._often, number)
            del self._often[at], self._counts[at]

    def once(self) -> NDArray[np.int64]:
        return np.frombuffer(self._once, dtype=np.int64) if self._once else _NONE

    def often(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        if not self._often:
            return _NONE, np.empty(0)
        counts = np.frombuffer(self._counts, dtype=np.float64)
        return np.frombuffer(self._often, dtype=np.int64), counts
