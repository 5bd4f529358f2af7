"""Words right before or after an English date that change what is meant."""

from __future__ import annotations

import re
from datetime import datetime

from memlab.timewords.english_words import DAYS, NUMBER, WEEKDAY, compiled, number_of
from memlab.timewords.found import Context
from memlab.timewords.spans import (
    DAY,
    Span,
    beside,
    day,
    near_weekend,
    nth,
    part_of_day,
    third,
    unit,
    weekday,
)

_ORDINALS = {
    **{w: i for i, w in enumerate("first second third fourth fifth".split())},
    **{w: i for i, w in enumerate("1st 2nd 3rd 4th 5th".split())},
    "last": -1,
    "final": -1,
}
_UNIT = rf"(?P<u>day|week|weekend|month|year|night|morning|evening|{WEEKDAY})"


def _kind(word: str) -> tuple[str, int]:
    return ("weekday", DAYS.index(word)) if word in DAYS else (word, 0)


def _beside(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    """Give "the week before X", "two days after X"."""
    count = number_of(match["n"]) if match["n"] else 1
    later = match["p"].lower() in ("after", "following")
    name, number = _kind(match["u"].lower())
    part = name if name in ("night", "morning", "evening") else ""
    found = beside(span, "day" if part else name, count if later else -count, number)
    return part_of_day(found, part) if part else found if count else None


def _of(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    """Give "the weekend of 3 July", "the week of", "the evening of"."""
    name, number = _kind(match["u"].lower())
    if name in ("night", "morning", "evening"):
        return part_of_day(span, name)
    short = (span[1] - span[0]) == DAY
    if name == "weekend":
        return near_weekend(span[0]) if short else None
    if name == "weekday":
        return weekday(span[1] - DAY, number) if short else None
    return span if name == "day" else unit(span[0], name, 0)


def _nth(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    """Give "the second week of X", "the last two weeks of X", "the first half of X"."""
    name, number = _kind(match["u"].lower())
    count = number_of(match["n"]) if match["n"] else 1
    return nth(span, name, _ORDINALS[match["o"].lower()], count, number) if count else None


def _third(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    """Give "early X", "the middle of X", "late X", "the end of X"."""
    word = match["t"].lower()
    if span[1] - span[0] < 7 * DAY:
        return None
    at = 0 if word in ("beginning", "start", "early") else 1 if word.startswith("mid") else 2
    return third(span, at)


def _since(_: re.Match[str], span: Span, now: datetime) -> Span | None:
    return span[0], day(now)[1]


def _part(match: re.Match[str], span: Span, _: datetime) -> Span | None:
    return part_of_day(span, match["p"].lower())


def _same(_: re.Match[str], span: Span, __: datetime) -> Span | None:
    return span if span[1] - span[0] == DAY else None


BEFORE = (
    Context(
        compiled(
            rf"\b(?:the\s+|last\s+)*(?:(?P<n>{NUMBER})\s+)?{_UNIT}s?\s+"
            r"(?P<p>before|prior\s+to|preceding|after|following)\s+(?:the\s+)?$"
        ),
        _beside,
    ),
    Context(
        compiled(
            rf"\b(?:the\s+)?(?P<o>{'|'.join(_ORDINALS)})\s+(?:(?P<n>{NUMBER})\s+)?"
            rf"(?P<u>day|week|weekend|month|quarter|half|{WEEKDAY})(?:s|ves)?\s+(?:of|in)\s+"
            r"(?:the\s+)?$"
        ),
        _nth,
    ),
    Context(compiled(rf"\b(?:the\s+)?{_UNIT}\s+of\s+(?:the\s+)?$"), _of),
    Context(
        compiled(
            r"\b(?:the\s+)?(?:(?P<t>beginning|start|middle|end|early|late)\s+(?:of|in)\s+"
            r"(?:the\s+)?)$"
        ),
        _third,
    ),
    Context(compiled(r"\b(?P<t>early|mid|late)(?:\s+|-)(?:in\s+)?$"), _third),
    Context(compiled(r"\bsince\s+(?:the\s+)?$"), _since),
    Context(compiled(rf"\b{WEEKDAY},?\s+(?:the\s+)?$"), _same),
)
AFTER = (Context(compiled(r"\s+(?P<p>morning|afternoon|evening|night)\b"), _part),)

JOIN = compiled(r"\s*(?:-|–|—)\s*|,?\s+(?:to|through|until|till)\s+(?:the\s+)?")
JOIN_BETWEEN = compiled(r"\s+and\s+(?:the\s+)?")
BETWEEN = compiled(r"\bbetween\s+(?:the\s+)?$")
AS_TOLD = compiled(r"\s*,?\s*(?:as\s+(?:mentioned|said|told|noted|discussed)\s+)?(?:on\s+|in\s+)")
"""Between a relative date and the date that it is counted from: "last week, as told on X"."""
