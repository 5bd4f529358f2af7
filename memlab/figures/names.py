"""Names as a picture has room for them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

MOST = 40
"""Letters of a name that are shown; of a longer one the middle is left out."""


def letters(text: str) -> float:
    """Return the width of a text in letters: a Chinese character is as wide as two.

    >>> letters("abc"), letters("记忆")
    (3.0, 3.6)
    """
    return sum(1.8 if unicodedata.east_asian_width(one) in "WF" else 1.0 for one in text)


def abridged(names: Iterable[str], most: float = MOST) -> dict[str, str]:
    """Return each name on one line of at most so many letters, different ones kept apart.

    >>> list(abridged(["bm25", "Hybrid(weights=(0.5, 0.5))"], 16).values())
    ['bm25', 'Hybrid(…, 0.5))']
    """
    shown: dict[str, str] = {}
    for name in dict.fromkeys(names):
        flat = " ".join(name.split()) or "(no name)"
        text, number = _cut(flat, most), 1
        while text in shown.values():
            number += 1
            mark = f" ({number})"
            text = _cut(flat, most - len(mark)) + mark
        shown[name] = text
    return shown


def _cut(text: str, most: float) -> str:
    if letters(text) <= most:
        return text
    head, tail, left = "", "", most - 1
    for front, back in zip(text, reversed(text), strict=True):
        for one in (front, back):
            left -= letters(one)
        if left < 0:
            break
        head, tail = head + front, back + tail
    return f"{head}…{tail}"
