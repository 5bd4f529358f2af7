"""Values of facts, the same thing in every language, and how each language writes them."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from memlab.synthetic.draw import Draw
from memlab.synthetic.lexicon import Language

MONTHS = (
    "January February March April May June July August September October November December"
).split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_DAYS_ZH = "一二三四五六日"
_ARTICLE = re.compile(r"^(?:an?|the|my|some) ")
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS_ZH = "零一二三四五六七八九十"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


class Value(NamedTuple):
    """A value: its kind (a pool, a generated kind such as `@code`, `name`) and its content.

    `n` is the place in the pool, or the number: euros, minutes of the day, a date as its ordinal
    day. A name is its own text, a relation its id.
    """

    kind: str
    n: int
    text: str = ""


def draw_value(kind: str, draw: Draw, words: Language, near: date) -> Value:
    """Draw a value of a pool or a generated kind; dates lie within four months of `near`."""
    match kind:
        case "@code":
            return Value(kind, draw.between(1000, 9999))
        case "@money":
            return Value(kind, 10 * draw.between(21, 299))
        case "@clock":
            return Value(kind, 5 * draw.between(62, 143))
        case "@count":
            return Value(kind, draw.between(3, 48))
        case "@date":
            return Value(kind, near.toordinal() + draw.between(10, 120))
    return Value(kind, draw.below(len(words.pools[kind])))


_UNHAPPY = ("lost", "repair")
_GLAD = "elated contented flattered ecstatic serene vindicated".split()
_GLAD += ["deeply touched", "immensely grateful"]
"""Feelings that nobody has about an unhappy event."""


def draw_feeling(event: str, draw: Draw, words: Language) -> Value:
    """Draw how somebody felt about an event of a type."""
    value = draw_value("emotion", draw, words, date.min)
    while event in _UNHAPPY and words.pools["emotion"][value.n][0] in _GLAD:
        value = draw_value("emotion", draw, words, date.min)
    return value


def neighbour(value: Value, draw: Draw) -> Value:
    """Return a value that differs in one detail: a digit, or a few days."""
    if value.kind == "@code":
        step = draw.pick((1, 10, 100))
        digit = value.n // step % 10
        return value._replace(n=value.n + (step if digit < 9 else -step))
    return value._replace(n=value.n + draw.pick((-2, -1, 1, 2)))


def write(value: Value, words: Language) -> str:
    """Return a value as a sentence of the language holds it."""
    english = words.code == "en"
    match value.kind:
        case "name":
            return value.text
        case "relation":
            return words.relations[value.text][0]
        case "@code" | "@count":
            return str(value.n)
        case "@money":
            return f"{value.n:,} euros" if english else f"{value.n}欧元"
        case "@clock":
            return f"{value.n // 60}:{value.n % 60:02}"
        case "@date":
            return write_day(date.fromordinal(value.n), words)
    return words.pools[value.kind][value.n][words.column]


def accepted(value: Value, words: Language) -> tuple[str, ...]:
    """Return the strings that count as the answer, without articles.

    >>> from memlab.synthetic.lexicon import language
    >>> accepted(Value("@count", 3), language("en"))
    ('3', 'three')
    """
    match value.kind:
        case "@count":
            return count_answers(value.n, words)
        case "@money":
            number = str(value.n)
            return (write(value, words), number) if words.code == "en" else (number,)
        case "@date":
            return day_answers(date.fromordinal(value.n), words)
    return (_ARTICLE.sub("", write(value, words)),)


def count_answers(n: int, words: Language) -> tuple[str, ...]:
    """Return how a count may be given: in digits and, when small, in words."""
    names = _NUMBERS if words.code == "en" else _NUMBERS_ZH
    return (str(n), names[n]) if n < len(names) else (str(n),)


def write_day(day: date, words: Language) -> str:
    """Return a day without its year.

    >>> from memlab.synthetic.lexicon import language
    >>> write_day(date(2024, 5, 3), language("en")), write_day(date(2024, 5, 3), language("zh"))
    ('3 May', '5月3日')
    """
    if words.code == "zh":
        return f"{day.month}月{day.day}日"
    return f"{day.day} {MONTHS[day.month - 1]}"


def day_answers(day: date, words: Language) -> tuple[str, ...]:
    """Return how a day may be given, with its year and without."""
    if words.code == "zh":
        return (f"{day.year}年{day.month}月{day.day}日", f"{day.month}月{day.day}日", str(day))
    month = MONTHS[day.month - 1]
    plain = f"{day.day} {month}"
    return (f"{plain} {day.year}", plain, f"{month} {day.day}", str(day))


def ordinal(n: int, last: bool, words: Language) -> str:
    """Return "first", "second", …, or "last"."""
    if words.code == "zh":
        return "最后一个" if last else f"第{_NUMBERS_ZH[n]}个"
    return "last" if last else _ORDINALS[n - 1]


def time_phrase(day: date, today: date, draw: Draw, words: Language) -> str:
    """Return how a speaker names a past day: relative when it is near, else by its date.

    "last Friday" is the Friday of the last seven days, today left out.
    """
    ago = (today - day).days
    english = words.code == "en"
    if ago == 0:
        return "today" if english else "今天"
    if ago == 1:
        return "yesterday" if english else "昨天"
    if draw.chance(0.75):
        if ago == 2 and not english:
            return "前天"
        if ago <= 6:
            return weekday_phrase(day, today, words)
        if ago % 7 == 0 and ago <= 28:
            weeks = ago // 7
            if english:
                return "a week ago" if weeks == 1 else f"{_NUMBERS[weeks]} weeks ago"
            return f"{'两' if weeks == 2 else _NUMBERS_ZH[weeks]}周前"
        if ago <= 10:
            return f"{_NUMBERS[ago]} days ago" if english else f"{_NUMBERS_ZH[ago]}天前"
    return f"on {write_day(day, words)}" if english else write_day(day, words)


def weekday_phrase(day: date, today: date, words: Language) -> str:
    """Return "last Friday" for a day of the last seven; in Chinese by calendar week."""
    if words.code == "en":
        return f"last {DAYS[day.weekday()]}"
    same_week = day.isocalendar()[:2] == today.isocalendar()[:2]
    return f"{'这' if same_week else '上'}周{_DAYS_ZH[day.weekday()]}"


def ago_phrase(day: date, today: date, words: Language) -> str:
    """Return a phrase that a question may use for a past day, seen from `today`."""
    ago = (today - day).days
    if ago == 1:
        return "yesterday" if words.code == "en" else "昨天"
    if ago <= 6:
        return weekday_phrase(day, today, words)
    if ago % 7 == 0:
        weeks = "week" if ago == 7 else "weeks"
        return f"{ago // 7} {weeks} ago" if words.code == "en" else f"{ago // 7}周前"
    return f"{ago} days ago" if words.code == "en" else f"{ago}天前"
