"""English words of time: months, weekdays, numbers, and patterns made of them."""

from __future__ import annotations

import re

MONTHS = (
    "january february march april may june july august september october november december"
).split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
NUMBERS = {
    **{w: i for i, w in enumerate("zero one two three four five six seven eight nine ten".split())},
    "a": 1,
    "an": 1,
    "eleven": 11,
    "twelve": 12,
    "couple": 2,
    "couple of": 2,
    "a couple": 2,
    "a couple of": 2,
}
_VAGUE = {"few", "a few", "several", "some"}

MONTH = (
    r"(?:jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|june?\.?|july?\.?|"
    r"aug(?:ust|\.)?|sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)"
)
FULL = "(?:" + "|".join(MONTHS) + ")"
PLAIN = "(?:January|February|July|September|October|November|December)"
"""Months that are neither verbs nor given names."""
YEAR = r"(?:19[0-9]{2}|20[0-9]{2})(?![0-9])"
OF_YEAR = rf"(?:(?:\s*,\s*|\s+(?:of\s+|in\s+)?)(?P<y>{YEAR}))"
NUMBER = (
    r"(?:[0-9]{1,3}|an?\s+(?:couple(?:\s+of)?|few)|couple\s+of|a|an|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|twelve|few|several|some)"
)
WEEKDAY = "(?:" + "|".join(DAYS) + ")"
SEASON = "(?:spring|summer|autumn|fall|winter)"
TO = r"(?:\s*(?:-|–|—)\s*|\s+(?:to|and|through|until|till)\s+)"


def compiled(pattern: str, *, exact: bool = False) -> re.Pattern[str]:
    """Compile a pattern of ASCII letters that knows no case, unless `exact`."""
    return re.compile(pattern, re.ASCII if exact else re.IGNORECASE | re.ASCII)


def month_of(name: str) -> int:
    """Return the number of a month by the first three letters of its name."""
    return [m[:3] for m in MONTHS].index(name[:3].lower()) + 1


def number_of(word: str) -> int:
    """Return a number by its digits or its word; 0 for vague ones such as "a few"."""
    plain = " ".join(word.lower().split())
    return int(plain) if plain.isdigit() else 0 if plain in _VAGUE else NUMBERS[plain]
