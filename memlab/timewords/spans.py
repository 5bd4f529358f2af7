"""Half-open spans of the calendar: days, weeks, months, seasons, years, parts of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Span = tuple[datetime, datetime]
"""Start and end, half-open, in UTC."""
Make = Callable[[datetime], Span | None]
"""Gives the span of an expression at a moment; None where there is none."""

DAY = timedelta(days=1)
PARTS = {
    "early": (0, 6),
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "dusk": (17, 20),
    "evening": (17, 24),
    "night": (18, 30),
}
"""Hours of the parts of a day; a night goes on into the next day."""
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""First month of each season of three months, as meteorologists of the north count them."""


def midnight(moment: datetime) -> datetime:
    """Return the beginning of the day of a moment."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day(moment: datetime, count: int = 1) -> Span:
    """Return the day of a moment, or so many days from it on."""
    return midnight(moment), midnight(moment) + count * DAY


def date(year: int, month: int, number: int) -> Span:
    """Return a day of the calendar."""
    return day(datetime(year, month, number, tzinfo=UTC))


def week(moment: datetime) -> Span:
    """Return the week of a moment, Monday to Sunday."""
    return day(moment - moment.weekday() * DAY, 7)


def weekend(moment: datetime) -> Span:
    """Return Saturday and Sunday of the week of a moment."""
    return week(moment)[0] + 5 * DAY, week(moment)[1]


def months(year: int, month: int, count: int = 1) -> Span:
    """Return months of the calendar; `month` may lie outside 1 to 12 and is carried over."""
    first, last = year * 12 + month - 1, year * 12 + month - 1 + count
    start, end = (datetime(at // 12, at % 12 + 1, 1, tzinfo=UTC) for at in (first, last))
    return start, end


def years(year: int, count: int = 1) -> Span:
    """Return years of the calendar."""
    return months(year, 1, 12 * count)


def season(year: int, name: str) -> Span:
    """Return a season by the year of its first month: winter 2022 ends in February 2023."""
    return months(year, SEASONS[name], 3)


def unit(moment: datetime, name: str, step: int) -> Span:
    """Return the day, week, weekend, month, year, hour or minute `step` of them away."""
    if name == "day":
        return day(moment + step * DAY)
    if name in ("week", "weekend"):
        return (week if name == "week" else weekend)(moment + 7 * step * DAY)
    if name == "month":
        return months(moment.year, moment.month + step)
    if name == "year":
        return years(moment.year + step)
    length = timedelta(hours=1) if name == "hour" else timedelta(minutes=1)
    start = moment.replace(second=0, microsecond=0)
    start = (start.replace(minute=0) if name == "hour" else start) + step * length
    return start, start + length


def some(moment: datetime, name: str, least: int = 2, most: int = 5) -> Span:
    """Return "a few units ago" as a span: from the fifth unit back to the second."""
    return unit(moment, name, -most)[0], unit(moment, name, -least)[1]


def lately(now: datetime, name: str, count: int) -> Span:
    """Return the last so many days, weeks, months or years, today included."""
    if name in ("day", "week"):
        return day(now - count * (7 if name == "week" else 1) * DAY)[0], day(now)[1]
    first, end = months(now.year, now.month - count * (12 if name == "year" else 1))
    return min(first + (now.day - 1) * DAY, end - DAY), day(now)[1]


def coming_season(now: datetime, name: str) -> Span:
    """Return the next season of that name that has not begun."""
    found = season(now.year, name)
    return found if found[0] > now else season(now.year + 1, name)


def last_season(now: datetime, name: str) -> Span:
    """Return the latest season of that name that is over."""
    found = latest(lambda year: season(year, name), now)
    return found if found[1] <= now else season(found[0].year - 1, name)


def latest(make: Callable[[int], Span], now: datetime) -> Span:
    """Return the latest yearly thing that has begun by `now`; `make` is given a year.

    A leap day is looked for in up to eight years.
    """
    for year in range(now.year, now.year - 9, -1):
        try:
            found = make(year)
        except ValueError:
            continue
        if found[0] <= now:
            return found
    raise ValueError("no such date in eight years")


def weekday(now: datetime, number: int, *, today: bool = True) -> Span:
    """Return the latest day of that number (Monday 0) at or, without today, before `now`."""
    back = (now.weekday() - number) % 7
    return day(now - (back if back or today else 7) * DAY)


def near_weekend(moment: datetime) -> Span:
    """Return the weekend nearest to a day, the next one if two are equally near."""
    return weekend(moment - 7 * DAY if moment.weekday() < 2 else moment)


def third(span: Span, number: int) -> Span:
    """Return the first (0), second or last third of a span, in whole days."""
    days = (span[1] - span[0]).days
    at = [span[0] + round(days * i / 3) * DAY for i in range(4)]
    return at[number], at[number + 1]


def half(span: Span, number: int) -> Span:
    """Return the first (0) or second half: of whole months by months, of a month by days."""
    start, end = span
    length = (end.year - start.year) * 12 + end.month - start.month
    if start.day == end.day == 1 and length % 2 == 0:
        middle = months(start.year, start.month + length // 2)[0]
    else:
        middle = start + (end - start).days // 2 * DAY
    return (start, middle) if number == 0 else (middle, end)


def part_of_day(span: Span, name: str) -> Span | None:
    """Return the morning, evening… of a span of one day."""
    if span[1] - span[0] != DAY:
        return None
    first, last = PARTS[name]
    return span[0] + timedelta(hours=first), span[0] + timedelta(hours=last)


def nth(span: Span, name: str, number: int, count: int = 1, weekday: int = 0) -> Span | None:
    """Return the n-th day, week, weekend, weekday… inside a span; −1 is the last.

    Weeks of a month are its days 1 to 7, 8 to 14 and so on; the last one is its last 7 days.
    """
    start, end = span
    if name == "half":
        return half(span, min(1, number)) if number in (0, 1, -1) else None
    if name in ("month", "quarter"):
        return _nth_month(span, number, count * (3 if name == "quarter" else 1))
    step, length = (1, count) if name == "day" else (7, 7 * count)
    if name == "weekend":
        length = 2
    elif name == "weekday":
        length = 1
    fixed = name in ("weekend", "weekday")
    offset = (({"weekend": 5}.get(name, weekday)) - start.weekday()) % 7 if fixed else 0
    if number >= 0:
        first = start + (offset + step * number) * DAY
    elif fixed:
        back = (end - start).days - offset - 1
        first = start + (offset + back // 7 * 7) * DAY
    else:
        first = end - length * DAY
    found = (first, first + length * DAY)
    return (
        found if start <= first < end and end - start > (DAY if length == 1 else 7 * DAY) else None
    )


def _nth_month(span: Span, number: int, count: int) -> Span | None:
    start, end = span
    length = (end.year - start.year) * 12 + end.month - start.month
    if start.day != 1 or end.day != 1 or length <= count:
        return None
    first = length - count if number < 0 else number * count
    return months(start.year, start.month + first, count) if first < length else None


def beside(span: Span, name: str, step: int, weekday: int = 0) -> Span:
    """Return what lies before (−n) or after (n) a span: "the week before", "two days after".

    One week beside a day is the seven days that touch it; farther away it is the calendar's.
    """
    start, last = span[0], span[1] - timedelta(microseconds=1)
    anchor = start if step < 0 else last
    if name == "week" and abs(step) == 1:
        return day(start - 7 * DAY, 7) if step < 0 else day(last + DAY, 7)
    if name == "weekend":
        if step > 0:
            return weekend(last + DAY * (7 if last.weekday() >= 5 else 0))
        return weekend(start - 7 * DAY)
    if name == "weekday":
        if step < 0:
            return _weekday_before(start, weekday)
        return day(last + ((weekday - last.weekday() - 1) % 7 + 1) * DAY)
    return unit(anchor, name, step)


def _weekday_before(start: datetime, weekday: int) -> Span:
    back = (start.weekday() - weekday) % 7 or 7
    return day(start - back * DAY)
