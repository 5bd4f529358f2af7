"""How a value may be written, and whether a text means it."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from examiner.days import MONTHS, number
from examiner.text import CJK, bare, fold, normal
from examiner.words import Words
from memlab.synthetic.values import Value

_MONTH = {i: name.capitalize() for name, i in MONTHS.items()}
_SMALL = "one two three four five six seven eight nine ten eleven twelve".split()
_UNIT = re.compile(r"\b(?:days?|weeks?|ago)\b|[天周前个]")


def written(value: Value, words: Words) -> tuple[str, ...]:
    """Return every way in which a value may be written, in both languages."""
    return _written(value, words)


@lru_cache(maxsize=100_000)
def _written(value: Value, words: Words) -> tuple[str, ...]:
    n = value.n
    match value.kind:
        case "name":
            return names(value.text, words)
        case "@code":
            return (str(n),)
        case "@money":
            return (*money(n), f"{n:,}", str(n))
        case "@clock":
            return (f"{n // 60}:{n % 60:02}", f"{n // 60:02}:{n % 60:02}")
        case "@count":
            return (str(n), *_SMALL[n - 1 : n])
        case "@date":
            return day_written(date.fromordinal(n))
        case "relation":
            return words.relations[value.text]
    pair = words.pools[value.kind][n]
    return tuple(dict.fromkeys((bare(pair[0]), pair[1])))


def money(n: int) -> tuple[str, ...]:
    """Return the ways to write an amount with its currency."""
    return (f"{n:,} euros", f"{n} euros", f"€{n:,}", f"€{n}", f"{n}欧元", f"{n:,}欧元")


def day_written(day: date) -> tuple[str, ...]:
    """Return the ways to write a day, with its year and without."""
    month = _MONTH[day.month]
    return (
        f"{day.day} {month}",
        f"{month} {day.day}",
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{month} {day.day} {day.year}",
        day.isoformat(),
        f"{day.month}月{day.day}日",
        f"{day.year}年{day.month}月{day.day}日",
    )


@lru_cache(maxsize=10_000)
def names(name: str, words: Words) -> tuple[str, ...]:
    """Return a full name and the given name alone.

    >>> names("Mia Brandt", Words({}, {}, {})), names("陈雨桐", Words({}, {}, {}, ("陈",)))
    (('Mia Brandt', 'Mia'), ('陈雨桐', '雨桐'))
    """
    if not CJK.search(name):
        return tuple(dict.fromkeys((name, name.split()[0])))
    for surname in words.surnames:
        if name.startswith(surname) and len(name) - len(surname) >= 2:
            return (name, name[len(surname) :])
    return (name,)


def means(text: str, value: Value, words: Words) -> bool:
    """Tell whether a text is a value and nothing else."""
    if value.kind == "@count":
        return number(text) == value.n
    return normal(text) in {normal(form) for form in written(value, words)}


def means_day(text: str, day: date) -> bool:
    """Tell whether a text is a day."""
    return normal(text) in {normal(form) for form in day_written(day)}


def means_number(text: str, n: int) -> bool:
    """Tell whether a text is a number, of days where it names a unit.

    >>> means_number("two weeks ago", 14), means_number("14", 14), means_number("14天前", 14)
    (True, True, True)
    """
    plain = fold(text)
    count = number(_UNIT.sub("", plain).strip())
    weeks = re.search(r"\bweeks?\b|周", plain)
    return count is not None and count * (7 if weeks else 1) == n


def in_order(text: str, values: tuple[Value, ...], words: Words, *, ordered: bool) -> str:
    """Return what is wrong with a list of values, or nothing.

    Apart from the values it may hold only separators and "and", "then", "和", "然后".
    """
    rest, places = fold(text), []
    for value in sorted(values, key=lambda v: -len(max(written(v, words), key=len))):
        forms = sorted(written(value, words), key=len, reverse=True)
        patterns = (re.compile(rf"(?<!\d){re.escape(fold(form))}(?!\d)") for form in forms)
        place = next((found for p in patterns if (found := p.search(rest))), None)
        if place is None:
            return f"{text!r} lacks {written(value, words)[0]!r}"
        places.append((place.start(), value))
        rest = rest[: place.start()] + "\x00" * len(place[0]) + rest[place.end() :]
    left = re.sub(r"\b(?:an?|the|some|my|and|then)\b|[\x00\s,、，;→>和再然后-]+", "", rest)
    if left:
        return f"{text!r} holds more than its values: {left!r}"
    if ordered and tuple(v for _, v in sorted(places)) != values:
        return f"{text!r} is not in the order of the changes"
    return ""


def same_written(text: str, value: Value | None, words: Words) -> bool:
    """Tell whether a written key or argument is this value."""
    return value is not None and means(text, value, words)
