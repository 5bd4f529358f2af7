"""Days that a text names: absolute dates and phrases relative to the day of the speaker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

_MONTHS = "january february march april may june july august september october november december"
MONTHS = {name: i for i, name in enumerate(_MONTHS.split(), 1)}
WEEKDAYS = {
    name: i
    for i, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
}
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_DIGITS_ZH = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2}
_NUMBER_EN = (
    rf"\d+|an?|{'|'.join(_SMALL)}|(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_SMALL[1:10])}))?"
)
_NUMBER_ZH = "[0-9]+|[零一二两三四五六七八九十百]+"
_WEEKDAY_ZH = "[一二三四五六日天]"


class Day(NamedTuple):
    """A day named in a text, and where; `absolute` if it is a calendar date."""

    day: date
    start: int
    end: int
    absolute: bool


def number(text: str) -> int | None:
    """Return the whole number that a text writes in digits, English or Chinese words.

    >>> number("twenty-one"), number("二十三"), number("两"), number("1,250"), number("x")
    (21, 23, 2, 1250, None)
    """
    text = text.strip().casefold().replace(",", "")
    if text.isdecimal():
        return int(text)
    if text in ("a", "an"):
        return 1
    if text in _SMALL:
        return _SMALL.index(text)
    tens, _, ones = text.replace("-", " ").partition(" ")
    if tens in _TENS and (not ones or ones in _SMALL[1:10]):
        return 10 * (_TENS.index(tens) + 2) + (_SMALL.index(ones) if ones else 0)
    return _chinese_number(text)


def _chinese_number(text: str) -> int | None:
    if not text or not re.fullmatch("[零一二两三四五六七八九十百]+", text):
        return None
    hundreds, hundred, rest = text.rpartition("百")
    tens, ten, ones = rest.rpartition("十")
    total = 100 * _DIGITS_ZH.get(hundreds, 1) if hundred else 0
    total += 10 * _DIGITS_ZH.get(tens.lstrip("零"), 1) if ten else 0
    return total + _DIGITS_ZH.get(ones.lstrip("零"), 0)


def _calendar(month: int, day: int, year: str | None, today: date) -> date | None:
    """Return the date meant; without a year the latest one up to today, else the next."""
    try:
        if year:
            return date(int(year), month, day)
        this = date(today.year, month, day)
        return this if this <= today else date(today.year - 1, month, day)
    except ValueError:
        return None


def _ago(count: str, unit: str, today: date) -> date | None:
    number_of = number(count)
    if number_of is None:
        return None
    size = 7 if unit in ("week", "weeks", "周", "星期", "礼拜") else 1
    return today - timedelta(days=size * number_of)


def _week_zh(which: str, weekday: str, today: date) -> date:
    monday = today - timedelta(days=today.weekday())
    back = {"上上": 14, "上": 7, "下": -7}.get(which, 0)
    return monday + timedelta(days="一二三四五六日".index(weekday.replace("天", "日")) - back)


def _last(name: str, today: date) -> date:
    return today - timedelta(days=(today.weekday() - WEEKDAYS[name]) % 7 or 7)


Reader = Callable[[re.Match[str], date], date | None]
_NAMED = {
    "today": 0, "yesterday": 1, "今天": 0, "今日": 0, "昨天": 1, "昨日": 1, "前天": 2, "大前天": 3,
}  # fmt: skip
_MONTH = "|".join(MONTHS)
_PATTERNS: tuple[tuple[re.Pattern[str], Reader, bool], ...] = (
    (
        re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH})(?:,? (\d{{4}}))?\b"),
        lambda m, t: _calendar(MONTHS[m[2]], int(m[1]), m[3], t),
        True,
    ),
    (
        re.compile(rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b"),
        lambda m, t: _calendar(MONTHS[m[1]], int(m[2]), m[3], t),
        True,
    ),
    (
        re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b"),
        lambda m, t: _calendar(int(m[2]), int(m[3]), m[1], t),
        True,
    ),
    (
        re.compile(r"(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]"),
        lambda m, t: _calendar(int(m[2]), int(m[3]), m[1], t),
        True,
    ),
    (
        re.compile(rf"\b({_NUMBER_EN}) (days?|weeks?) (?:ago|back|earlier)\b"),
        lambda m, t: _ago(m[1], m[2], t),
        False,
    ),
    (
        re.compile(rf"({_NUMBER_ZH})个?(天|周|星期|礼拜)(?:之|以)?前"),
        lambda m, t: _ago(m[1], m[2], t),
        False,
    ),
    (re.compile(r"\bthe day before yesterday\b"), lambda m, t: t - timedelta(days=2), False),
    (
        re.compile(rf"\blast ({'|'.join(WEEKDAYS)})\b"),
        lambda m, t: _last(m[1], t),
        False,
    ),
    (
        re.compile(rf"(上上|上|这|本|下)(?:个)?(?:周|星期|礼拜)({_WEEKDAY_ZH})"),
        lambda m, t: _week_zh(m[1], m[2], t),
        False,
    ),
    (
        re.compile(r"\b(today|yesterday)\b|(大前天|今天|今日|昨天|昨日|前天)"),
        lambda m, t: t - timedelta(days=_NAMED[m[0]]),
        False,
    ),
)


def named(text: str, today: date) -> list[Day]:
    """Return the days a text names, in order, overlapping phrases once (the longest).

    >>> [str(d.day) for d in named("Last Friday, or on 3 May?", date(2024, 5, 8))]
    ['2024-05-03', '2024-05-03']
    >>> [str(d.day) for d in named("上周五、两周前、大前天", date(2024, 5, 8))]
    ['2024-05-03', '2024-04-24', '2024-05-05']
    """
    found = sorted(_all(text.casefold(), today), key=lambda d: (d.start, -d.end))
    kept: list[Day] = []
    for day in found:
        if not kept or day.start >= kept[-1].end:
            kept.append(day)
    return kept


def _all(text: str, today: date) -> Iterator[Day]:
    for pattern, read, absolute in _PATTERNS:
        for match in pattern.finditer(text):
            day = read(match, today)
            if day is not None:
                yield Day(day, match.start(), match.end(), absolute)
