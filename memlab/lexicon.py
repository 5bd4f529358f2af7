"""Words by purpose in English and Chinese, and whether they are negated."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_CLAUSE = re.compile(r"[,;:.!?，；：。！？、\n]")
# "not only" denies nothing, and "don't forget" asks for the contrary.
_NOT_EN = re.compile(
    r"\b(?:not|never|no|no longer|without|cannot|hardly|nothing|\w+n['’]t)\b"
    r"(?!\W+(?:only|just|merely|forget|worry|hesitate)\b)(?:\W+[\w'’]+){0,3}\W*$",
    re.IGNORECASE,
)
# 特别, 差不多, 不仅, 不过, 不得不 and the like hold a negating character without its sense.
_NOT_ZH = re.compile(
    "(?:(?<![差得能])(?:(?<!是)不|不(?!是))(?![仅但只光过管论错断同得]|能不)|没(?!错)|毫无|并无|无[需须]|未"
    "|(?<![特个分级区性类识差])别(?![人的墅提]))[^\\s]{0,3}$"
)
_REACH = 60


class Hit(NamedTuple):
    """A word of the lexicon in a text: as written, where it begins, and whether it is negated."""

    text: str
    start: int
    negated: bool


def hits(purpose: str, text: str) -> Iterator[Hit]:
    """Yield the words of a text that serve a purpose of `lexicon.toml`, in order.

    >>> [(hit.text, hit.negated) for hit in hits("important", "It is not urgent. 但是非常重要")]
    [('urgent', True), ('重要', False)]
    """
    for found in _pattern(purpose).finditer(text):
        yield Hit(found[0], found.start(), negated(text, found.start()))


def says(purpose: str, text: str) -> bool:
    """Tell whether a text has a word of a purpose that is not negated.

    >>> says("important", "不重要"), says("important", "不仅重要")
    (False, True)
    """
    return any(not hit.negated for hit in hits(purpose, text))


def has(purpose: str, text: str) -> bool:
    """Tell whether a text has a word of a purpose, negated or not."""
    return _pattern(purpose).search(text) is not None


def negated(text: str, start: int) -> bool:
    """Tell whether what begins at `start` is negated by what stands before it in its clause."""
    before = _CLAUSE.split(text[max(0, start - _REACH) : start])[-1]
    return bool(_NOT_EN.search(before) or _NOT_ZH.search(before))


@cache
def _pattern(purpose: str) -> re.Pattern[str]:
    """Read the words of one purpose from `lexicon.toml`."""
    words = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))[purpose]
    english = "|".join(rf"\b(?:{form})\b" for form in words["en"])
    return re.compile("|".join([english, *words["zh"]]), re.IGNORECASE)
