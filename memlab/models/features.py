"""A scorer of question and text that needs no model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from memlab.asking import asked
from memlab.checking import check_number
from memlab.naming import component
from memlab.text import sentences, terms
from memlab.types import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"[A-Z][a-z]+")
_SPEAKER = 40
"""Characters at the beginning of a text that may hold its date and speaker."""
_PARTS = ("coverage", "phrases", "closeness", "numbers", "names", "asker", "questions")


@component
class FeatureScorer:
    """Score a text by what it shares with the question: a weighted sum of features in [0, 1].

    - coverage: share of the question's idf mass that occurs in the text, idf over the texts;
    - phrases: share of the idf mass of its pairs of neighbouring terms that stand together in
      the text, in the same order;
    - closeness: Σ min(idf) / distance² over neighbouring matches of different terms, as a share of
      the idf mass;
    - numbers, names: share of its numbers, and of its capitalised words after the first (months
      are among them), that the text has;
    - asker: 1 for a text that begins with the speaker `user`, where the question is in the first
      person;
    - questions, subtracted: share of the text's sentences that are questions.

    Terms are those of `memlab.text.terms`, character bigrams in Chinese. Texts should begin with
    date and speaker, as the form `dated` does.

    Source: weights chosen on LoCoMo, BEAM, MemDaily and synthetic dialogues (experiments/LOG.md).
        Proximity as in Tao and Zhai (2007), "An Exploration of Proximity Measures in Information
        Retrieval", SIGIR.

    >>> from memlab.types import utc
    >>> query = Query("Where is the red car?", utc("2024-01-01"))
    >>> FeatureScorer().score(query, ["The red car is in Oslo.", "A car is red."]).round(2)
    array([1.38, 0.62])
    """

    coverage: float = 0.5
    phrases: float = 0.75
    closeness: float = 0.25
    numbers: float = 0.3
    names: float = 0.5
    asker: float = 0.3
    questions: float = 0.1

    def score(self, query: Query, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the weighted sum of the features of each text.

        Raises:
            ConfigError: a weight below 0.
        """
        import numpy as np

        for name in _PARTS:
            check_number(name, getattr(self, name))
        found = self.features(query, texts)
        total = np.zeros(len(texts))
        for name, values in found.items():
            total += (-1 if name == "questions" else 1) * getattr(self, name) * values
        return total

    def features(self, query: Query, texts: Sequence[str]) -> Mapping[str, NDArray[np.float64]]:
        """Return each feature of each text, not yet weighted."""
        import numpy as np

        wanted, told = terms(query.text), [terms(text) for text in texts]
        idf = _idf(wanted, told)
        first = asked(query.text, {"user": "user"})
        numbers = set(_NUMBER.findall(query.text))
        names = {m.group() for m in _NAME.finditer(query.text) if m.start() > 0}
        rows = [
            (
                _coverage(words, idf),
                _phrases(wanted, words, idf),
                _closeness(words, idf),
                _held(numbers, _NUMBER.findall(text)),
                _held(names, _NAME.findall(text)),
                float(bool(first) and " user: " in f" {text[:_SPEAKER]}"),
                _asking(text),
            )
            for text, words in zip(texts, told, strict=True)
        ]
        columns = np.array(rows, dtype=np.float64).reshape(len(texts), len(_PARTS)).T
        return dict(zip(_PARTS, columns, strict=True))


def _share(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole else 0.0


def _idf(wanted: Sequence[str], told: Sequence[Sequence[str]]) -> dict[str, float]:
    held = Counter(word for words in told for word in set(words))
    size = len(told)
    return {w: math.log1p((size - held[w] + 0.5) / (held[w] + 0.5)) for w in wanted}


def _coverage(words: Sequence[str], idf: Mapping[str, float]) -> float:
    known = set(words)
    return _share(sum(mass for word, mass in idf.items() if word in known), sum(idf.values()))


def _phrases(wanted: Sequence[str], words: Sequence[str], idf: Mapping[str, float]) -> float:
    pairs = list(pairwise(wanted))
    there = set(pairwise(words))
    mass = [idf[a] + idf[b] for a, b in pairs]
    return _share(sum(m for m, pair in zip(mass, pairs, strict=True) if pair in there), sum(mass))


def _closeness(words: Sequence[str], idf: Mapping[str, float]) -> float:
    places = [(at, word) for at, word in enumerate(words) if word in idf]
    near = (
        min(idf[one], idf[other]) / (there - here) ** 2
        for (here, one), (there, other) in pairwise(places)
        if one != other
    )
    return _share(sum(near), sum(idf.values()))


def _held(wanted: set[str], found: Sequence[str]) -> float:
    return len(wanted.intersection(found)) / len(wanted) if wanted else 0.0


def _asking(text: str) -> float:
    said = sentences(text)
    ends = [sentence.rstrip("\"'”’)）」』 ").endswith(("?", "？")) for sentence in said]
    return sum(ends) / len(said) if said else 0.0
