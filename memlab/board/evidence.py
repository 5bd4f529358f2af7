"""What a check found, and what it means beside the other checks of its claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from memlab.inference.multiple import holm
from memlab.stats import FEW

FAMILY = 10
"""Holm is for at most so many tests, named before the run: the checks of a claim."""
ALPHA = 0.05
EXPECTED, AGAINST, OPEN, DESCRIPTIVE, NONE = (
    "as expected",
    "against",
    "not separated",
    "descriptive",
    "no values",
)


class Evidence(NamedTuple):
    """The effect a check is about, with its interval, and how the data speak on the expectation.

    `favour` is the p of a test whose rejection bears the expectation out, `against` of one whose
    rejection contradicts it; both NaN where the answer is `certain`: True or False, of rules
    without exception.
    """

    effect: float
    low: float
    high: float
    n: int
    clusters: int
    favour: float = math.nan
    against: float = math.nan
    certain: bool | None = None
    note: str = ""


class Titled(NamedTuple):
    """A check in words, what is expected of it, and whether its effect is a difference."""

    check: str
    expected: str
    difference: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """A check with its verdict; `p` is adjusted within the claim, None without a test."""

    check: str
    expected: str
    effect: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    p: float | None
    verdict: str
    difference: bool = False
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def outcomes(titles: Sequence[Titled], found: Sequence[Evidence]) -> list[Outcome]:
    """Return the checks of one claim with their verdicts, p adjusted over all of them (Holm).

    A check is `as expected` if the
    adjusted p of its expectation is at most .05, `against` if that of the contrary is.
    """
    favour = holm([one.favour for one in found]).tolist()
    against = holm([one.against for one in found]).tolist()
    made = []
    for title, one, p, contrary in zip(titles, found, favour, against, strict=True):
        verdict = _verdict(one, p, contrary)
        shown = contrary if verdict == AGAINST else p
        numbers = (_plain(one.effect), _plain(one.low), _plain(one.high), one.n, one.clusters)
        told = (_plain(shown), verdict, title.difference, one.note)
        made.append(Outcome(title.check, title.expected, *numbers, *told))
    return made


def _verdict(found: Evidence, favour: float, against: float) -> str:
    if not found.n:
        return NONE
    if found.certain is not None:
        return EXPECTED if found.certain else AGAINST
    if found.clusters < FEW:
        return DESCRIPTIVE
    if favour <= ALPHA:
        return EXPECTED
    return AGAINST if against <= ALPHA else OPEN


def _plain(number: float) -> float | None:
    """Return a number with five decimals, so that machines agree on it; None for NaN."""
    return round(number, 5) + 0.0 if math.isfinite(number) else None
