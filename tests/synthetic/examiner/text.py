"""Finding phrases, sentences, persons and polarity in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

CJK = re.compile("[\u3400-\u9fff]")
_ARTICLE = re.compile(r"^(?:an?|the|some|my|his|her) ")
_END = re.compile(r"[.!?…]+(?=[\s\"'”’)\]]|$)|[。！？；;\n]+")
FIRST = re.compile(r"\b(?:i|me|my|mine|myself|i'm|i've|i'd|i'll)\b|[我俺咱]|本人")
SECOND = re.compile(r"\b(?:you|your|yours|you're|you've)\b|[你您]")
THIRD = {
    "f": re.compile(r"\b(?:she|her|hers|herself|she's|she'd)\b|她(?!们)"),
    "m": re.compile(r"\b(?:he|his|him|himself|he's|he'd)\b|(?<![其吉])他(?!们|人)"),
}
NEGATION = re.compile(r"\b(?:not|no|never|nothing|cannot|off-limits)\b|n't\b|[不没别勿禁忌]")
_TWICE = re.compile("[不没](?:用|必)?[忌禁避躲]|忌口里?(?:面)?没有?|照收不误")


def denies(text: str) -> bool:
    """Tell whether a text denies something; two negations affirm.

    >>> denies("我不能吃茄子"), denies("我不忌茄子"), denies("I can't eat aubergines")
    (True, False, True)
    """
    return NEGATION.search(_TWICE.sub("", fold(text))) is not None


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Return the text in one case, with plain apostrophes, at unchanged positions."""
    return text.lower().replace("’", "'")


def bare(phrase: str) -> str:
    """Return a phrase without its article.

    >>> bare("a pastry chef"), bare("The Wire")
    ('pastry chef', 'Wire')
    """
    return phrase[len(m[0]) :] if (m := _ARTICLE.match(phrase.lower())) else phrase


def normal(phrase: str) -> str:
    """Return a phrase in one case, without article, thousands commas and outer punctuation."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", fold(phrase)).strip(" \t\n.,;:!?。，；：！？\"'")
    return re.sub(r"\s+", " ", bare(plain))


@lru_cache(maxsize=50_000)
def _pattern(phrase: str) -> re.Pattern[str]:
    inner = re.escape(fold(phrase)).replace(r"\ ", r"\s+")
    left = r"(?<![a-z0-9à-ɏ])" if re.match(r"\w", phrase) and not CJK.match(phrase[0]) else ""
    right = r"(?![a-z0-9à-ɏ])" if not CJK.match(phrase[-1]) else ""
    if phrase[0].isdigit():
        left = r"(?<![a-z0-9])(?<![0-9][.,:])"
    if phrase[-1].isdigit():
        right = r"(?![a-z0-9]|[.,:][0-9])"
    return re.compile(left + inner + right)


def spans(text: str, phrases: Iterable[str]) -> list[tuple[int, int]]:
    """Return where any of the phrases stands in a text, as a whole word, in order.

    >>> spans("Lisbon, not Lisbonne: lisbon", ["Lisbon"])
    [(0, 6), (22, 28)]
    """
    folded = fold(text)
    return sorted(
        m.span() for p in dict.fromkeys(phrases) if p for m in _pattern(p).finditer(folded)
    )


def holds(text: str, phrases: Iterable[str]) -> bool:
    """Tell whether any of the phrases stands in a text."""
    folded = fold(text)
    return any(_pattern(p).search(folded) for p in phrases if p)


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the sentence that holds a span; marks inside the span end nothing."""
    ends = [m.end() for m in _END.finditer(text)]
    left = max((e for e in ends if e <= start), default=0)
    right = min((e for e in ends if e >= end and e > start), default=len(text))
    return left, right


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part for part in _END.split(text) if part.strip()]
