"""Answers compared with reference answers as texts: exact match, token F1, containment."""

from __future__ import annotations

import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from memlab.text import has_cjk

_ARTICLES = frozenset(("a", "an", "the"))


def tokens(text: str) -> list[str]:
    """Return the tokens of an answer: words as SQuAD has them, Chinese by characters.

    Lower case, punctuation deleted (ASCII symbols, and in any script what Unicode calls
    punctuation), English articles dropped, split at spaces: Rajpurkar, Zhang, Lopyrev and Liang,
    "SQuAD: 100,000+ questions for machine comprehension of text", EMNLP 2016. Every Chinese,
    Japanese or Korean character is a token, as in Lewis, Oguz, Rinott, Riedel and Schwenk,
    "MLQA: evaluating cross-lingual extractive question answering", ACL 2020; full-width forms
    are read as their plain ones.

    >>> tokens("The ferry's at 9:30!"), tokens("周三去了Oslo。")
    (['ferrys', 'at', '930'], ['周', '三', '去', '了', 'oslo'])
    """
    plain = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(letter for letter in plain if not _is_punctuation(letter))
    words = (word for word in kept.split() if word not in _ARTICLES)
    return [token for word in words for token in _cut(word)]


def exact(answer: str, reference: str) -> float:
    """Return 1 if the tokens are the same.

    >>> exact("In Oslo.", "in oslo"), exact("Oslo", "in Oslo")
    (1.0, 0.0)
    """
    return float(tokens(answer) == tokens(reference))


def f1(answer: str, reference: str) -> float:
    """Return the harmonic mean of precision and recall of the tokens, order aside.

    If either has none, 1 if both have none, else 0.

    >>> round(f1("she moved to Oslo", "to Oslo in May"), 2)  # 2 of 4 and 2 of 4
    0.5
    """
    ours, theirs = tokens(answer), tokens(reference)
    if not ours or not theirs:
        return float(ours == theirs)
    common = (Counter(ours) & Counter(theirs)).total()
    return 2 * common / (len(ours) + len(theirs))


def contains(answer: str, reference: str) -> float:
    """Return 1 if the reference's tokens stand in the answer one after the other.

    A long answer contains much: read it beside F1.

    >>> contains("She moved to Oslo in May.", "Oslo"), contains("Osloites", "Oslo")
    (1.0, 0.0)
    """
    ours, theirs = tokens(answer), tokens(reference)
    if not theirs:
        return float(not ours)
    starts = range(len(ours) - len(theirs) + 1)
    return float(any(ours[i : i + len(theirs)] == theirs for i in starts))


MEASURES: dict[str, Callable[[str, str], float]] = {"exact": exact, "f1": f1, "contains": contains}


def best(measure: str, answer: str, references: Iterable[str]) -> float:
    """Return the best score of an answer over the accepted ones.

    >>> best("exact", "May 9", ["9 May", "May 9"])
    1.0
    """
    compare = MEASURES[measure]
    return max(compare(answer, reference) for reference in references)


def _is_punctuation(letter: str) -> bool:
    return letter in string.punctuation or unicodedata.category(letter).startswith("P")


def _cut(word: str) -> Sequence[str]:
    """Cut a word into its CJK characters and the runs between them."""
    if not has_cjk(word):
        return [word]
    cut: list[str] = []
    open_run = False
    for letter in word:
        if has_cjk(letter):
            cut.append(letter)
            open_run = False
        elif open_run:
            cut[-1] += letter
        else:
            cut.append(letter)
            open_run = True
    return cut
