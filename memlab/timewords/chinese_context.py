"""Words right after a Chinese date that change what is meant."""

from __future__ import annotations

import re
from datetime import datetime

from memlab.timewords.chinese_words import NUMBER, PARTS, UNITS, WEEKDAYS, number_of
from memlab.timewords.found import Context
from memlab.timewords.spans import (
    DAY,
    Span,
    beside,
    half,
    near_weekend,
    nth,
    part_of_day,
    third,
    unit,
)

_KIND = r"(?P<u>周末|(?:周|星期|礼拜)(?P<k>[一二三四五六日天])|周|星期|礼拜|天|月|年)"


def _kind(match: re.Match[str]) -> tuple[str, int]:
    return ("weekday", WEEKDAYS[match["k"]]) if match["k"] else (UNITS[match["u"]], 0)


def _part(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    return part_of_day(span, PARTS[match["p"]])


def _third(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    """Give 5月初, 5月中旬, 5月底, 去年年底."""
    if span[1] - span[0] < 27 * DAY:
        return None
    return third(span, 0 if match["t"] in "初上" else 1 if match["t"] == "中" else 2)


def _half(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    whole = span[1] - span[0] > 300 * DAY if match["u"] == "年" else span[1] - span[0] < 32 * DAY
    return half(span, 0 if match["h"] == "上" else 1) if whole else None


def _nth(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    """Give 8月的第一个周末, 11月第二周, 8月最后两周."""
    name, number = _kind(match)
    if match["o"]:
        return nth(span, name, number_of(match["o"]) - 1, 1, number)
    return nth(span, name, -1, number_of(match["n"]) if match["n"] else 1, number)


def _beside(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    """Give 5月8日的前一天, 10月25日之前的那个周日, 6月9日前一周."""
    count = number_of(match["n"]) if match["n"] else 1
    name, number = _kind(match)
    return beside(span, name, -count if match["p"] == "前" else count, number) if count else None


def _that(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    """Give 7月3日那周, 那个周末, 那天."""
    if span[1] - span[0] != DAY:
        return None
    name = UNITS[match["u"]]
    return near_weekend(span[0]) if name == "weekend" else unit(span[0], name, 0)


AFTER = (
    Context(re.compile(r"的?(?P<p>" + "|".join(PARTS) + r")(?![餐饭])"), _part),
    Context(re.compile(r"的?(?P<t>[上中下])旬"), _third),
    Context(re.compile(r"的?[年月]?(?P<t>[初底末])(?![中始次])"), _third),
    Context(re.compile(r"的?(?P<h>[上下])半个?(?P<u>年|月)"), _half),
    Context(re.compile(rf"的?(?:第(?P<o>{NUMBER})|最后(?P<n>{NUMBER})?)个?{_KIND}(?!前|后)"), _nth),
    Context(
        re.compile(rf"的?[之以]?(?P<p>前|后)面?的?那?(?P<n>{NUMBER})?个?{_KIND}(?![天期])"), _beside
    ),
    Context(re.compile(r"的?(?:那一?个?|当)(?P<u>周末|周|星期|天|日|月)"), _that),
)

JOIN = re.compile(r"\s*(?:到|至|-|–|—|~|～)\s*")
JOIN_BETWEEN = re.compile(r"\s*(?:和|与|跟)\s*")
BETWEEN = re.compile(r"\s*之?间")
