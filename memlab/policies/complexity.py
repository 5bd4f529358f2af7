"""How complex a request is, by three signals that are the same in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable

from memlab.checking import check_choice, check_whole
from memlab.naming import component

_LONG = {"tokens": 45, "characters": 200}
_ASKED = re.compile(
    r"详细|解释|为什么|如何|分析"
    r"|\b(?:in detail|detailed|explain(?:s|ed|ing)?|why|how|analy[sz](?:e[sd]?|ing|is))\b",
    re.IGNORECASE,
)


@component
class ComplexityScorer:
    """Score a request from 0 to 1, by its length, its words and its question marks.

    It gets .3 if it is long, .3 for a word that asks for more, .4 for two question marks or
    more, full-width ones too. The words are detail, explain, why, how, analyse, and 详细, 解释,
    为什么, 如何, 分析. `long` is where a request counts as long: more than 45 tokens, which 200
    characters of English are. With `unit="characters"` it is 200 characters, which few Chinese
    messages have.

    >>> ComplexityScorer().complexity("请详细分析 A？以及 B？", len)
    0.7
    """

    unit: str = "tokens"
    long: int | None = None

    def check(self) -> None:
        """Make sure of the fields.

        Raises:
            ConfigError: an unknown unit, or a negative length.
        """
        check_choice("unit", self.unit, tuple(_LONG))
        if self.long is not None:
            check_whole("long", self.long)

    def complexity(self, text: str, count: Callable[[str], int]) -> float:
        """Return 0, .3, .4, .6, .7 or 1; `count` returns the tokens of a text."""
        size = count(text) if self.unit == "tokens" else len(text)
        limit = _LONG[self.unit] if self.long is None else self.long
        tenths = 3 * (size > limit) + 3 * bool(_ASKED.search(text))
        return (tenths + 4 * (text.count("?") + text.count("？") > 1)) / 10
