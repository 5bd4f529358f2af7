"""Dates and times in Chinese: what the expressions mean, without their context."""

from __future__ import annotations

import re
from datetime import datetime

import memlab.timewords.spans as spans
from memlab.timewords.chinese_words import (
    DAYS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    YEARS,
    number_of,
    year_of,
)
from memlab.timewords.spans import (
    DAY,
    Span,
    coming_season,
    date,
    day,
    last_season,
    latest,
    months,
    season,
    some,
    unit,
    week,
    weekday,
    weekend,
    years,
)


def _year(match: re.Match[str], now: datetime) -> int | None:
    if match["y"]:
        return year_of(match["y"])
    return now.year + YEARS[match["r"]] if match["r"] else None


def year(match: re.Match[str], now: datetime) -> Span | None:
    """Give 2023年, 去年."""
    number = _year(match, now)
    return None if number is None else years(number)


def month(match: re.Match[str], now: datetime) -> Span | None:
    """Give 2023年5月, 去年五月, 5月: the latest May that has begun."""
    number, year = number_of(match["m"]), _year(match, now)
    if not 1 <= number <= 12:
        return None
    return months(year, number) if year else latest(lambda y: months(y, number), now)


def a_date(match: re.Match[str], now: datetime) -> Span | None:
    """Give 2023年5月8日, 5月8号, and 5月3日到5日 as a span."""
    number, year = number_of(match["m"]), _year(match, now)
    first = number_of(match["d"])
    last = number_of(match["e"]) if match.groupdict().get("e") else first

    def make(at: int) -> Span:
        return date(at, number, first)[0], date(at, number, last)[1]

    return make(year) if year else latest(make, now)


def day_of_month(match: re.Match[str], now: datetime) -> Span | None:
    """Give 上个月5号, 本月3日."""
    start = months(now.year, now.month + step(match["w"]))[0]
    return date(start.year, start.month, number_of(match["d"]))


def numeric(match: re.Match[str], _: datetime) -> Span | None:
    """Give 2023-5-8, 2023/5/8, 2023.5.8."""
    return date(int(match["y"]), int(match["m"]), int(match["d"]))


def a_season(match: re.Match[str], now: datetime) -> Span | None:
    """Give 去年夏天, 2022年冬天, 这个夏天, 上个冬天."""
    name, number = SEASONS[match["s"]], _year(match, now)
    if number is not None:
        return season(number, name)
    which = step(match["w"])
    if which == 0:
        return season(now.year, name)
    return coming_season(now, name) if which > 0 else last_season(now, name)


def step(word: str) -> int:
    """Return how far 上, 上上, 这, 本, 下, 下下 lead: −1, −2, 0, 0, 1, 2."""
    return word.count("下") - word.count("上")


def which(match: re.Match[str], now: datetime) -> Span | None:
    """Give 上周, 下下个星期, 这个月, 上个周末."""
    return unit(now, UNITS[match["u"]], step(match["w"]))


def which_weekday(match: re.Match[str], now: datetime) -> Span | None:
    """Give 上周三, 下下周一; 周三 alone is the latest one."""
    number = WEEKDAYS[match["k"]]
    if not match["w"]:
        return weekday(now, number)
    return day(week(now)[0] + (7 * step(match["w"]) + number) * DAY)


def the_weekend(_: re.Match[str], now: datetime) -> Span | None:
    """Give 周末: this one if it has begun, else the last."""
    found = weekend(now)
    return found if found[0] <= now else weekend(now - 7 * DAY)


def near_day(match: re.Match[str], now: datetime) -> Span | None:
    """Give 昨天, 前天, 大前天, 明晚."""
    return unit(now, "day", DAYS[match["r"]])


def ago(match: re.Match[str], now: datetime) -> Span | None:
    """Give 三天前, 两个月以后, 半年前, 几天前."""
    later, name = match["p"] == "后", UNITS[match["u"]]
    if match["n"] is None:
        return None if later else some(now, name)
    half = match["n"] == "半"
    if half and name not in ("month", "year"):
        return None
    count, name = (6, "month") if half and name == "year" else (number_of_half(match["n"]), name)
    return (unit(now, name, count if later else -count)) if count else None


def number_of_half(text: str) -> int:
    """Return the number, 0 for 半."""
    return 0 if text == "半" else number_of(text)


def few_days(_: re.Match[str], now: datetime) -> Span | None:
    """Give 前几天 and 前两天, which mean some days ago."""
    return some(now, "day", 1)


def lately(match: re.Match[str], now: datetime) -> Span | None:
    """Give 最近三天, 过去两周: so long back, today included."""
    return spans.lately(now, UNITS[match["u"]], number_of(match["n"]))


def decade(match: re.Match[str], _: datetime) -> Span | None:
    """Give 90年代, 1990年代; two digits from 30 on are of the twentieth century."""
    number = int(match["n"])
    if number < 100:
        number += 1900 if number >= 30 else 2000
    return years(number, 10)
