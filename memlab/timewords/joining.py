"""Two dates side by side: ranges, and relative dates that count from the date beside them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import pairwise

import memlab.timewords.chinese_context as chinese
import memlab.timewords.english_context as english
from memlab.timewords.found import Found, given
from memlab.timewords.spans import Make, Span


def joined(text: str, found: list[Found], now: datetime) -> list[Found]:
    """Return the expressions, with those that are the two ends of a range made one."""
    kept: list[Found] = []
    for one in found:
        if kept and _is_range(text, kept[-1], one):
            whole = Found(kept[-1].first, one.last, _range(kept[-1], one))
            if given(whole.make, now) is not None:
                kept[-1] = whole
                continue
        kept.append(one)
    return kept


def anchored(text: str, found: list[Found], now: datetime) -> list[Found]:
    """Let a relative date count from the full date right after it."""
    kept = list(found)
    for at, (one, two) in enumerate(pairwise(found)):
        told = english.AS_TOLD.fullmatch(text, one.last, two.first)
        if told and two.fixed and not one.fixed and not one.partial:
            anchor = given(two.make, now)
            if anchor is not None:
                kept[at] = one._replace(make=_at(one.make, anchor[0]))
    return kept


def _is_range(text: str, one: Found, two: Found) -> bool:
    def between(pattern: re.Pattern[str]) -> bool:
        return pattern.fullmatch(text, one.last, two.first) is not None

    if between(english.JOIN) or between(chinese.JOIN):
        return True
    if between(english.JOIN_BETWEEN):
        return english.BETWEEN.search(text[max(0, one.first - 20) : one.first]) is not None
    return between(chinese.JOIN_BETWEEN) and chinese.BETWEEN.match(text, two.last) is not None


def _range(one: Found, two: Found) -> Make:
    """Without a year, the first end is the latest one before the second."""

    def make(now: datetime) -> Span | None:
        end = given(two.make, now)
        if end is None:
            return None
        start = given(one.make, end[1] - timedelta(microseconds=1) if one.partial else now)
        return None if start is None else (start[0], end[1])

    return make


def _at(make: Make, moment: datetime) -> Make:
    return lambda _: make(moment)
