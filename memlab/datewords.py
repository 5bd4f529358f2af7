"""The dates that a question means, written as turns are dated, where its words leave them open."""

from __future__ import annotations

from datetime import datetime, timedelta

from memlab.dates import Interval, intervals
from memlab.text import has_cjk, words


def dates_meant(text: str, now: datetime) -> list[str]:
    """Return what a question's dates add to its words: days, or months and years of long spans.

    A span of at most a week is written day by day, one of at most four months by months, longer
    ones by years. What the question already says is left out.

    >>> from memlab.types import utc
    >>> dates_meant("What did I lose the day before yesterday?", utc("2024-03-01"))
    ['28 February 2024']
    >>> dates_meant("我上个月去了哪里？", utc("2024-03-01"))
    ['2024年2月']
    >>> dates_meant("What happened on 3 May 2023?", utc("2024-03-01"))
    []
    """
    chinese = has_cjk(text)
    held = set(words(text))
    written: dict[str, None] = {}
    for found in intervals(text, now):
        written.update(dict.fromkeys(_written(found, chinese)))
    return [date for date in written if not set(words(date)) <= held]


def _written(found: Interval, chinese: bool) -> list[str]:
    start, last = found.start, found.end - timedelta(microseconds=1)
    days = (last.date() - start.date()).days + 1
    if days <= 7:
        each = [start + timedelta(days=i) for i in range(days)]
        return [
            f"{d.year}年{d.month}月{d.day}日" if chinese else f"{d.day} {d:%B} {d.year}"
            for d in each
        ]
    months = range(start.year * 12 + start.month - 1, last.year * 12 + last.month)
    if len(months) <= 4:
        names = [datetime(m // 12, m % 12 + 1, 1, tzinfo=start.tzinfo) for m in months]
        return [f"{d.year}年{d.month}月" if chinese else f"{d:%B} {d.year}" for d in names]
    years = range(start.year, last.year + 1)
    return [f"{y}年" if chinese else str(y) for y in years] if len(years) <= 3 else []
