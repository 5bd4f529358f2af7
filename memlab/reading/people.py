"""Names of two people as data spell them: who is meant, and what questions call them."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_WORD = re.compile(r"[^\W\d_]+")
_CAPITAL = re.compile(r"(?<=[^.!?]\s)[^\W\d_]+")
_NEAR = 0.7


class Otherwise(NamedTuple):
    """A name that questions spell or choose otherwise; `other` is "" where none stands out."""

    name: str
    other: str
    questions: int


def meant(spelt: str, names: Sequence[str]) -> int | None:
    """Return the place of the person meant: the same words, a word in common, or near ones.

    >>> meant("fahim", ["Muhhamed", "Fahim Khan"]), meant("Muhammad", ["Muhhamed", "Fahim Khan"])
    (1, 0)
    """
    words = _words(spelt)
    for near in (lambda a, b: a == b, lambda a, b: bool(a & b), _alike):
        fits = [place for place, name in enumerate(names) if near(words, _words(name))]
        if len(fits) == 1:
            return fits[0]
    return None


def otherwise(names: Sequence[str], questions: Iterable[str]) -> list[Otherwise]:
    """Return the names that no question has, with what the questions say instead.

    That is the nearest spelling among their capitalised words, else the most frequent such
    word that belongs to nobody.
    """
    capitals: Counter[str] = Counter()
    used: set[str] = set()
    for question in questions:
        used |= _words(question)
        capitals.update({w for w in _CAPITAL.findall(question) if w[0].isupper()})
    taken = set().union(*map(_words, names))
    free = [(word, n) for word, n in capitals.most_common() if word.casefold() not in taken]
    found = []
    for name in names:
        if _words(name) & used or not used:
            continue
        near = [(word, n) for word, n in free if _alike(_words(name), _words(word))]
        other, count = (near or free or [("", 0)])[0]
        found.append(Otherwise(name, other, count))
    return found


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _alike(one: set[str], other: set[str]) -> bool:
    return any(difflib.SequenceMatcher(None, a, b).ratio() >= _NEAR for a in one for b in other)
