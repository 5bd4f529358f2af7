"""Dates and times in English: what the expressions mean, without their context."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import memlab.timewords.spans as spans
from memlab.timewords.english_words import DAYS, month_of, number_of
from memlab.timewords.spans import (
    DAY,
    Span,
    coming_season,
    date,
    day,
    last_season,
    latest,
    months,
    part_of_day,
    season,
    some,
    unit,
    week,
    weekday,
    weekend,
    years,
)


def _doubtful(match: re.Match[str]) -> bool:
    """Tell whether "may" or "march" is rather a verb: small, with a bare number, no year."""
    word, ordinal = match["m"], match.groupdict().get("th")
    return word in ("may", "march", "mar") and not match["y"] and not ordinal


def a_date(match: re.Match[str], now: datetime) -> Span | None:
    """Give 8 May 2023; without a year the latest 8 May that has begun."""
    if _doubtful(match):
        return None
    month, number = month_of(match["m"]), int(match["d"])
    if match["y"]:
        return date(int(match["y"]), month, number)
    return latest(lambda year: date(year, month, number), now)


def days(match: re.Match[str], now: datetime) -> Span | None:
    """Give "3 to 5 June 2023"."""
    if _doubtful(match):
        return None
    month, first, last = month_of(match["m"]), int(match["d"]), int(match["e"])

    def make(year: int) -> Span:
        return date(year, month, first)[0], date(year, month, last)[1]

    return make(int(match["y"])) if match["y"] else latest(make, now)


def a_month(match: re.Match[str], now: datetime) -> Span | None:
    """Give May 2023; without a year the latest May that has begun."""
    month, year = month_of(match["m"]), match.groupdict().get("y")
    if year:
        return months(int(year), month)
    return latest(lambda year: months(year, month), now)


def month_range(match: re.Match[str], now: datetime) -> Span | None:
    """Give "May and July 2023": whole months, the first one before the second."""
    end = _month_at(match["n"], match["z"], now)
    return _month_at(match["m"], match["y"], end[1] - timedelta(microseconds=1))[0], end[1]


def _month_at(name: str, year: str | None, now: datetime) -> Span:
    month = month_of(name)
    return months(int(year), month) if year else latest(lambda y: months(y, month), now)


def numeric(match: re.Match[str], _: datetime) -> Span | None:
    """Give 2023-05-08 and 5/8/23."""
    year = int(match["y"]) + (0 if len(match["y"]) == 4 else 2000)
    return date(year, int(match["m"]), int(match["d"]))


def a_season(match: re.Match[str], now: datetime) -> Span | None:
    """Give "summer of 2022", "last summer", "in the summer"."""
    name, which = _season_name(match["s"]), (match.groupdict().get("w") or "").lower()
    if match.groupdict().get("y"):
        return season(int(match["y"]), name)
    if which == "next":
        return coming_season(now, name)
    if which == "this":
        return season(now.year, name)
    if which:
        return last_season(now, name)
    return latest(lambda year: season(year, name), now)


def _season_name(word: str) -> str:
    return "autumn" if word.lower() == "fall" else word.lower()


_WHICH = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1}


def which(match: re.Match[str], now: datetime) -> Span | None:
    """Give "last week", "this weekend", "next month"."""
    return unit(now, match["u"].lower(), _WHICH[match["w"].lower()])


def which_day(match: re.Match[str], now: datetime) -> Span | None:
    """Give "last Friday" (the latest one before today), "this" and "next" by their week."""
    number = DAYS.index(match["k"].lower())
    which = (match["w"] or "").lower()
    if which in ("", "on", "since", "until"):
        return weekday(now, number)
    step = _WHICH[which]
    if step < 0:
        return weekday(now, number, today=False)
    return day(week(now)[0] + (7 * step + number) * DAY)


def which_month(match: re.Match[str], now: datetime) -> Span | None:
    """Give "last May", "this May", "next May"."""
    if match["m"] in ("may", "march"):
        return None
    month, step = month_of(match["m"]), _WHICH[match["w"].lower()]
    if step == 0:
        return months(now.year, month)
    found = latest(lambda year: months(year, month), now)
    if step > 0:
        return months(found[0].year + 1, month)
    return found if found[1] <= now else months(found[0].year - 1, month)


def ago(match: re.Match[str], now: datetime) -> Span | None:
    """Give "two weeks ago", "a few days back"."""
    count, name = number_of(match["n"]), match["u"].lower()
    return unit(now, name, -count) if count else some(now, name)


def from_now(match: re.Match[str], now: datetime) -> Span | None:
    """Give "two weeks from now"."""
    count = number_of(match["n"])
    return unit(now, match["u"].lower(), count) if count else None


def lately(match: re.Match[str], now: datetime) -> Span | None:
    """Give "the last two weeks": so long back, today included."""
    count = (number_of(match["n"]) or 5) if match["n"] else 1
    return spans.lately(now, match["u"].lower(), count)


def the_weekend(_: re.Match[str], now: datetime) -> Span | None:
    """Give "the weekend": this one if it has begun, else the last."""
    found = weekend(now)
    return found if found[0] <= now else weekend(now - 7 * DAY)


def year(match: re.Match[str], _: datetime) -> Span | None:
    """Give "in 2022"."""
    return years(int(match["y"]))


def decade(match: re.Match[str], _: datetime) -> Span | None:
    """Give "the 1990s"."""
    return years(int(match["y"]), 10)


def year_range(match: re.Match[str], _: datetime) -> Span | None:
    """Give "from 2019 to 2021", both years included."""
    return years(int(match["y"]))[0], years(int(match["z"]))[1]


def here(match: re.Match[str], now: datetime) -> Span | None:
    """Give "today", "yesterday", "tomorrow", "tonight"."""
    word = match[0].lower()
    if word == "tonight":
        return part_of_day(day(now), "night")
    return unit(now, "day", {"yesterday": -1, "today": 0, "tomorrow": 1}[word])


def this_part(match: re.Match[str], now: datetime) -> Span | None:
    """Give "this morning", and "last night" of yesterday."""
    back = -1 if match["w"].lower() == "last" else 0
    return part_of_day(unit(now, "day", back), match["p"].lower())


def other_day(_: re.Match[str], now: datetime) -> Span | None:
    """Give "the other day" as "a few days ago"."""
    return some(now, "day")
