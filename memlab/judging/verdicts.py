"""Verdicts on a context by its text: whether it holds the answer, and by what chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

from memlab.judging.archive import Line
from memlab.judging.dialogue import Dialogue
from memlab.judging.echoes import Free
from memlab.judging.shingles import Reading, Texts
from memlab.text import normal
from memlab.types import Item, Probe, Turn

_SAMPLE = 20_000


class Case:
    """One probe at one moment: what its verdicts need, the same for every context."""

    def __init__(self, probe: Probe, said: Dialogue, texts: Texts, sampled: Sampled) -> None:
        self.probe, self.own = probe, said.own(probe.user)
        self._said, self._texts, self._sampled = said, texts, sampled
        self._moment = len(said), said.forgotten

    def still(self, probe: Probe) -> bool:
        """Tell whether this is the case of `probe` and nothing was said or forgotten since."""
        return probe is self.probe and self._moment == (len(self._said), self._said.forgotten)

    @cached_property
    def gone(self) -> frozenset[int]:
        """The rows of the user's turns that were forgotten, or that the probe forbids."""
        said, user = self._said, self.probe.user
        named = (row for row in map(said.row, self.probe.forbidden) if row is not None)
        barred = [row for row in named if said.user(row) == said.number(user)]
        return frozenset([*said.rows(user, forgotten=True), *barred])

    @cached_property
    def free(self) -> Free:
        """What the user may be told."""
        gone = list(self._said.lines(self.gone))
        return Free(self._texts, self.probe.text, self._visible, gone)

    def _visible(self) -> Iterator[Turn | Line]:
        rows = self._said.rows(self.probe.user)
        return self._said.lines(row for row in rows if row not in self.gone)

    def answer(self, items: Sequence[Item]) -> float | None:
        """Return 1 if one item holds an accepted answer; None if the evidence lacks it too."""
        if not self._needles:
            return None
        return float(
            any(self._texts.of(item.text).holds(n) for item in items for n in self._needles)
        )

    def chance(self, tokens: int) -> float | None:
        """Return the chance that a random context of `tokens` tokens holds an answer.

        Of the N visible turns c hold one, and m = round(N tokens / tokens of all) of them fit
        on average; m turns drawn without return miss all c with hypergeometric probability
        C(N - c, m) / C(N, m). Above 20,000 turns c is estimated on a sample.
        """
        if not self._needles:
            return None
        size, total = self.own.turns, self.own.tokens
        fitting = min(size, round(size * tokens / total)) if total else 0
        return chance(size, self._holding, fitting) if fitting else 0.0

    @cached_property
    def _needles(self) -> list[Reading]:
        """The accepted answers; none if the gold evidence lacks them all."""
        found = [self._texts.of(answer) for answer in self.probe.answers]
        rows = (row for row in map(self._said.row, self.probe.evidence) if row is not None)
        gold = list(self._said.lines(rows))
        held = any(self._texts.of(turn.text).holds(answer) for turn in gold for answer in found)
        return found if held else []

    @cached_property
    def _holding(self) -> int:
        """How many of the user's turns hold an answer."""
        sample = self._sampled.normals(self.probe.user)
        holding = sum(any(answer.within(text) for answer in self._needles) for text in sample)
        return round(holding / len(sample) * self.own.turns) if sample else 0


class Sampled:
    """The turns on which the chance of an answer is estimated: some 20,000 of a user at most."""

    def __init__(self, said: Dialogue) -> None:
        self._said = said
        self._normals: dict[int, str] = {}

    def normals(self, user: str) -> list[str]:
        """Return the normal forms of the user's turns, or of a sample of them."""
        rows = self._said.sample(user, _SAMPLE)
        if len(self._normals) > 2 * _SAMPLE:
            self._normals.clear()
        known = self._normals
        for row in rows:
            if row not in known:
                known[row] = normal(self._said[row].text)
        return [known[row] for row in rows]


def chance(size: int, holding: int, drawn: int) -> float:
    """Return the probability that `drawn` of `size` turns include one of `holding`.

    Source: hypergeometric distribution, 1 - C(size - holding, drawn) / C(size, drawn).

    >>> round(chance(10, 2, 3), 6)  # 1 - (8 * 7 * 6) / (10 * 9 * 8)
    0.533333
    """
    if holding == 0 or drawn == 0:
        return 0.0
    if holding + drawn > size:
        return 1.0
    few, many = sorted((holding, drawn))
    missed = sum(math.log1p(-many / (size - i)) for i in range(few))
    return -math.expm1(missed)


def redundancy(readings: Sequence[Reading]) -> float:
    """Return the share of four-token runs that were said before in the same context."""
    places = sum(reading.places for reading in readings)
    distinct = len(frozenset().union(*(reading.shingles for reading in readings)))
    return 1 - distinct / places if places else 0.0
