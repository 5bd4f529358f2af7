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
        self._postings: dict[str, tuple[array[int], array[int]]] = {}
        self._total = 0

    def add(self, row: int, terms: Sequence[str]) -> None:
        """Index the terms of a row."""
        number = len(self._rows)
        counts = Counter(terms)
        self._number[row] = number
        self._terms[row] = tuple(counts)
        self._rows.append(row)
        self._lengths.append(len(terms))
        self._alive.append(True)
        self._total += len(terms)
        for term, count in counts.items():
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = (array("I"), array("I"))
            posting[0].append(number)
            posting[1].append(count)

    def remove(self, row: int) -> None:
        """Delete a row; scores are as if it had never been added."""
        number = self._number.pop(row)
        for term in self._terms.pop(row):
            numbers, counts = self._postings[term]
            at = bisect_left(numbers, number)
            del numbers[at], counts[at]
            if not numbers:
                del self._postings[term]
        self._alive.values[number] = False
        self._total -= int(self._lengths.values[number])

    def scores(self, terms: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the live rows in the order added and their scores, −inf without a match."""
        found = np.zeros(len(self._rows))
        size = len(self._number)
        average = self._total / size if size else 0.0
        floor = self.k1 * (1 - self.b)
        slope = self.k1 * self.b / average if average else 0.0
        lengths = self._lengths.values
        for term, count in Counter(terms).items():
            posting = self._postings.get(term)
            if posting is None:
                continue
            numbers = np.frombuffer(posting[0], dtype=np.uint32)
            frequency = np.frombuffer(posting[1], dtype=np.uint32).astype(np.float64)
            df = len(numbers)
            idf = math.log1p((size - df + 0.5) / (df + 0.5))
            weight = idf * (1 if self.unique else count)
            found[numbers] += weight * frequency / (frequency + floor + slope * lengths[numbers])
        found[found == 0] = -np.inf
        if size == len(self._rows):
            return self._rows.values, found
        alive = self._alive.values
        return self._rows.values[alive], found[alive]
