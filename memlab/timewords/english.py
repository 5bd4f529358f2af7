"""Dates and times in English: the table of patterns, without their context."""

from __future__ import annotations

import memlab.timewords.english_dates as means
from memlab.timewords.english_words import (
    FULL,
    MONTH,
    NUMBER,
    OF_YEAR,
    PLAIN,
    SEASON,
    TO,
    WEEKDAY,
    YEAR,
    compiled,
)
from memlab.timewords.found import Maker, Rule

TRIGGER = compiled(
    r"[0-9]|\b(?:(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun|yester|to)?day"
    r"|tomorrow|spring|summer|autumn|fall|winter|week(?:end)?|month|year|hour|minute"
    r"|tonight|last\s+(?:night|evening)|this\s+(?:morning|afternoon|evening))s?)\b"
)
"""Whatever a text must hold to name a date; others are not looked at any further."""

_TH = r"(?:st|nd|rd|th)"
_PLACE = r"(?:in|during|since|until|till|of|throughout|early|late|mid|around)(?:\s+|-)"
_NOUN = r"(?!\s+(?:people|steps|words|dollars|met(?:er|re)s|miles|points|times|pieces)\b)"
_AFTER_DAY = r"(?![0-9:/])(?!\s*(?:%|percent|people|times|am\b|pm\b|o'clock))"
_DAY = rf"(?P<d>[0-9]{{1,2}})(?P<th>{_TH})?"
_LAST_DAY = rf"(?P<e>[0-9]{{1,2}})(?:{_TH})?"
_DAY_MONTH = rf"(?<![0-9.:/-])\b{_DAY}(?:\s+of)?\s+(?P<m>{MONTH})"
_MONTH_DAY = rf"\b(?P<m>{MONTH})\s+(?:the\s+)?{_DAY}{_AFTER_DAY}"
_NO_YEAR = rf"(?P<y>)(?!{OF_YEAR.replace('?P<y>', '?:')})"
_ISO = r"(?<![0-9./-])(?<!v)(?<!version )(?P<y>(?:19|20)[0-9]{2})(?P<s>[-/.])"
_UNIT = r"(?P<u>day|week|weekend|month|year|hour|minute)"
_WHICH = r"(?P<w>last|past|previous|this|current|next|coming)"


def _rule(
    pattern: str, maker: Maker, *, fixed: bool = False, partial: bool = False, exact: bool = False
) -> Rule:
    return Rule(compiled(pattern, exact=exact), maker, fixed, partial)


RULES = (
    _rule(_DAY_MONTH + r"\b\.?" + OF_YEAR, means.a_date, fixed=True),
    _rule(_DAY_MONTH + r"\b" + _NO_YEAR, means.a_date, partial=True),
    _rule(_MONTH_DAY + OF_YEAR, means.a_date, fixed=True),
    _rule(_MONTH_DAY + _NO_YEAR, means.a_date, partial=True),
    _rule(rf"\b(?P<m>{MONTH})\.?{OF_YEAR}", means.a_month, fixed=True),
    _rule(
        rf"\b{_DAY}{TO}(?:the\s+)?{_LAST_DAY}(?:\s+of)?\s+(?P<m>{MONTH})\b(?:{OF_YEAR})?",
        means.days,
    ),
    _rule(
        rf"\b(?P<m>{MONTH})\s+{_DAY}{TO}{_LAST_DAY}{_AFTER_DAY}(?:{OF_YEAR})?",
        means.days,
    ),
    _rule(
        rf"\b(?:between|from)\s+(?P<x>(?P<m>{FULL})(?:\s+(?P<y>{YEAR}))?{TO}"
        rf"(?P<n>{FULL})(?:,?\s+(?P<z>{YEAR}))?)\b(?!\s+[0-9])",
        means.month_range,
    ),
    _rule(rf"\b{_PLACE}(?P<x>(?P<m>{FULL}))\b(?!\s+(?:[0-9]|not\b))", means.a_month, partial=True),
    _rule(rf"\b(?P<m>{PLAIN})\b(?!\s+[0-9])", means.a_month, partial=True, exact=True),
    _rule(
        _ISO + r"(?P<m>[0-9]{1,2})(?P=s)(?P<d>[0-9]{1,2})(?![0-9]|[./-][0-9])",
        means.numeric,
        fixed=True,
    ),
    _rule(
        rf"\b{_PLACE}(?P<x>(?:the\s+year\s+)?(?P<y>{YEAR}))(?![-/.][0-9]){_NOUN}",
        means.year,
        fixed=True,
    ),
    _rule(
        rf"\b(?:by|year|before|after)\s+(?P<x>(?P<y>{YEAR}))(?![-/.][0-9]){_NOUN}",
        means.year,
        fixed=True,
    ),
    _rule(r"\b(?:the\s+)?(?P<y>(?:19|20)[1-9]0)s\b", means.decade, fixed=True),
    _rule(
        rf"\b(?:between|from)\s+(?P<x>(?P<y>{YEAR}){TO}(?P<z>{YEAR})){_NOUN}",
        means.year_range,
        fixed=True,
    ),
    _rule(rf"\b(?P<s>{SEASON})(?:\s+of)?\s+(?P<y>{YEAR})", means.a_season, fixed=True),
    _rule(rf"\b(?P<w>last|past|previous|this|next)\s+(?P<s>{SEASON})\b", means.a_season),
    _rule(
        r"\b(?:in|during|over|throughout)\s+(?:the\s+)?(?P<x>(?P<s>spring|summer|autumn|winter))\b"
        r"(?!\s+(?:camp|house|school|job|dress|drive|clothes|sports?|coat)s?\b)",
        means.a_season,
    ),
    _rule(rf"\b{_WHICH}\s+(?P<u>week|weekend|month|year|hour)\b", means.which),
    _rule(rf"\b{_WHICH}\s+(?P<k>{WEEKDAY})\b", means.which_day),
    _rule(
        rf"\b(?P<w>on|since|until)\s+(?P<x>(?P<k>{WEEKDAY}))\b(?!\s+(?:best|school|roast|league))",
        means.which_day,
    ),
    _rule(rf"\b{_WHICH}\s+(?P<m>{FULL})\b(?!\s+[0-9])", means.which_month),
    _rule(rf"\b(?P<n>{NUMBER})\s+{_UNIT}s?\s+(?:ago|back)\b", means.ago),
    _rule(
        rf"\b(?:in\s+)?(?P<n>{NUMBER})\s+{_UNIT}s?\s+(?:from\s+(?:now|today)|hence)\b",
        means.from_now,
    ),
    _rule(rf"\b(?:last|past)\s+(?P<n>{NUMBER})\s+(?P<u>day|week|month|year)s\b", means.lately),
    _rule(
        r"\b(?:in|over|within|during|for)\s+(?P<x>the\s+(?:last|past)\s+(?P<n>)"
        r"(?P<u>day|week|month|year))\b",
        means.lately,
    ),
    _rule(r"\bthe\s+other\s+day\b", means.other_day),
    _rule(r"\b(?:today|yesterday|tomorrow|tonight)\b", means.here),
    _rule(r"\b(?P<w>this)\s+(?P<p>morning|afternoon|evening)\b", means.this_part),
    _rule(r"\b(?P<w>last)\s+(?P<p>night|evening)\b", means.this_part),
    _rule(r"\b(?:over|on|at|during)\s+(?P<x>the\s+weekend)\b", means.the_weekend),
)


def slashed(*, day_first: bool) -> Rule:
    """Return the rule of 5/8/2023: month first, or day first."""
    one, two = ("d", "m") if day_first else ("m", "d")
    pattern = rf"(?<![0-9./-])(?P<{one}>[0-9]{{1,2}})/(?P<{two}>[0-9]{{1,2}})/"
    return _rule(pattern + r"(?P<y>[0-9]{4}|[0-9]{2})(?![0-9/])", means.numeric, fixed=True)
