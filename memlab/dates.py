"""Dates and time spans named in a text, English or Chinese, on the dialogue's clock."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import memlab.timewords.chinese as chinese
import memlab.timewords.chinese_context as chinese_context
import memlab.timewords.chinese_words as chinese_words
import memlab.timewords.english as english
import memlab.timewords.english_context as english_context
from memlab.timewords.found import Found, given, scan, widen
from memlab.timewords.joining import anchored, joined
from memlab.types import utc


class Interval(NamedTuple):
    """A half-open span of time in UTC, and the words that name it."""

    start: datetime
    end: datetime
    text: str


def intervals(text: str, now: datetime, *, day_first: bool = False) -> list[Interval]:
    """Return the dates and spans that a text names, in their order, as seen at `now`.

    Understood are calendar dates in the usual forms, months, seasons, years and decades,
    relative words ("last Friday", "two weeks ago", 上周三, 三天前), what stands beside or inside
    a date ("the week before 9 June", "the last week of August", 5月初) and ranges. Times of
    day without a day are none; parts of a day ("yesterday evening") are.

    Where the words leave a choice: a date without a year, or a weekday alone, is the latest
    one that has begun; weeks begin on Monday; "last week" and "last month" are the calendar's;
    "last Friday" is the latest one before today, "next Friday" that of the next week; "two
    weeks ago" is the whole week that holds that day; "a few days ago" runs from five days ago
    to two; seasons are those of the north, in months; 5/8/2023 is 8 May unless `day_first`.
    A relative word with a date of its own ("last week, as mentioned on 6 November 2023") counts
    from that date.

    >>> [found] = intervals("Where was Tim in the week before 16 November 2023?", utc("2024-01-07"))
    >>> found.start.date().isoformat(), found.end.date().isoformat(), found.text
    ('2023-11-09', '2023-11-16', 'the week before 16 November 2023')
    >>> intervals("我上周三去了哪里？", utc("2024-04-10"))[0].start.date().isoformat()
    '2024-04-03'
    """
    now = utc(now)
    text = text.translate(chinese_words.WIDE) if not text.isascii() else text
    found = [*_english(text, now, day_first), *_chinese(text, now)]
    found.sort(key=lambda one: (one.first, -one.last))
    told: list[Interval] = []
    last = 0
    for one in found:
        span = given(one.make, now)
        if span is not None and one.first >= last:
            told.append(Interval(*span, text[one.first : one.last]))
            last = one.last
    return told


def _english(text: str, now: datetime, day_first: bool) -> list[Found]:
    if english.TRIGGER.search(text) is None:
        return []
    rules = (*english.RULES, english.slashed(day_first=day_first))
    found = scan(text, rules, now)
    found = widen(text, found, now, english_context.BEFORE, english_context.AFTER)
    return joined(text, anchored(text, found, now), now)


def _chinese(text: str, now: datetime) -> list[Found]:
    if text.isascii() or chinese_words.TRIGGER.search(text) is None:
        return []
    found = widen(text, scan(text, chinese.RULES, now), now, (), chinese_context.AFTER)
    return joined(text, found, now)
