"""Noise as people type it: slips of the finger, and words of the other language."""

from __future__ import annotations

from memlab.synthetic.draw import Draw
from memlab.synthetic.lexicon import Language

_CONFUSED = {
    "在": "再",
    "再": "在",
    "的": "得",
    "得": "的",
    "做": "作",
    "已": "以",
    "那": "哪",
    "坐": "座",
}
_LEAST = 5
"""The shortest English word that gets a slip."""


def with_typo(text: str, draw: Draw, words: Language) -> str:
    """Return a sentence with one slip: two letters swapped, or in Chinese a character confused.

    >>> from memlab.synthetic.lexicon import language
    >>> with_typo("Mondays", Draw("x"), language("en")) != "Mondays"
    True
    """
    if words.code == "zh":
        places = [i for i, c in enumerate(text) if c in _CONFUSED]
        if not places:
            return text
        at = draw.pick(places)
        return text[:at] + _CONFUSED[text[at]] + text[at + 1 :]
    parts = text.split(" ")
    long = [i for i, part in enumerate(parts) if len(part) >= _LEAST and part.isalpha()]
    if not long:
        return text
    at = draw.pick(long)
    word = parts[at]
    places = [i for i in range(1, len(word) - 2) if word[i] != word[i + 1]]
    if not places:
        return text
    i = draw.pick(places)
    parts[at] = word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    return " ".join(parts)
