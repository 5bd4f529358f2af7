"""Expressions found in a text: where they stand, and what they mean at a moment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from memlab.timewords.spans import Make, Span

Maker = Callable[[re.Match[str], datetime], Span | None]


class Found(NamedTuple):
    """An expression from character `first` to `last`.

    `fixed` tells that it means the same at any moment; `partial`, that it lacks only the year.
    """

    first: int
    last: int
    make: Make
    fixed: bool = False
    partial: bool = False


class Rule(NamedTuple):
    """A pattern and what it means; a group `x` is the expression itself, without context."""

    pattern: re.Pattern[str]
    maker: Maker
    fixed: bool = False
    partial: bool = False

    def find(self, text: str) -> Iterable[Found]:
        """Yield the matches."""
        group = "x" if "x" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            yield Found(
                match.start(group),
                match.end(group),
                lambda now, match=match: self.maker(match, now),  # type: ignore[misc]
                self.fixed,
                self.partial,
            )


class Context(NamedTuple):
    """A pattern that stands right before or after an expression and changes its meaning."""

    pattern: re.Pattern[str]
    maker: Callable[[re.Match[str], Span, datetime], Span | None]

    def around(self, text: str, found: Found, now: datetime, *, before: bool) -> Found | None:
        """Return the expression with its context, if the context is there and has a meaning."""
        piece = text[max(0, found.first - 60) : found.first] if before else ""
        here = self.pattern.search(piece) if before else self.pattern.match(text, found.last)
        if here is None:
            return None

        def make(moment: datetime) -> Span | None:
            span = found.make(moment)
            return None if span is None else self.maker(here, span, moment)

        if given(make, now) is None:
            return None
        first = found.first - len(piece) + here.start() if before else found.first
        return Found(first, found.last if before else here.end(), make, found.fixed)


def given(make: Make, now: datetime) -> Span | None:
    """Return the span, or None for dates that no calendar has, such as 31 June."""
    try:
        span = make(now)
    except (ValueError, OverflowError):
        return None
    return span if span is not None and span[0] < span[1] else None


def scan(text: str, rules: Sequence[Rule], now: datetime) -> list[Found]:
    """Return the expressions of a text that have a meaning: leftmost first, then longest.

    A date that no calendar has hides what is inside it: "31 June 2023" is not June 2023.
    """
    every = [found for rule in rules for found in rule.find(text)]
    every.sort(key=lambda found: (found.first, -found.last))
    kept: list[Found] = []
    taken = 0
    for found in every:
        if found.first < taken:
            continue
        try:
            span = found.make(now)
        except (ValueError, OverflowError):
            taken = found.last
            continue
        if span is not None and span[0] < span[1]:
            kept.append(found)
            taken = found.last
    return kept


def widen(
    text: str,
    found: list[Found],
    now: datetime,
    before: Sequence[Context],
    after: Sequence[Context],
) -> list[Found]:
    """Return the expressions with their contexts; what a context covers is part of it."""
    kept: list[Found] = []
    for one in found:
        for _ in range(3):
            wider = _wider(text, one, now, before, after)
            if wider is None:
                break
            one = wider
        while kept and kept[-1].last > one.first:
            kept.pop()
        kept.append(one)
    return [f for i, f in enumerate(kept) if i == 0 or f.first >= kept[i - 1].last]


def _wider(
    text: str, one: Found, now: datetime, before: Sequence[Context], after: Sequence[Context]
) -> Found | None:
    for contexts, left in ((after, False), (before, True)):
        for context in contexts:
            wider = context.around(text, one, now, before=left)
            if wider is not None:
                return wider
    return None
