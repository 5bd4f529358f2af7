"""Verdicts on a context by its text: whether it holds the answer, and by what chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from memlab.judging.echoes import Free
from memlab.judging.shingles import Reading, Texts
from memlab.types import Item, Probe, Turn

_SAMPLE = 20_000


class Seen:
    """The turns of one user: those visible, and those forgotten."""

    def __init__(self) -> None:
        self.visible: dict[str, Turn] = {}
        self.forgotten: dict[str, Turn] = {}
        self.sessions: Counter[str] = Counter()
        self._uncounted: list[tuple[str, int]] = []
        self._tokens = 0

    def add(self, turn: Turn) -> None:
        """Take in a turn of this user."""
        self.visible[turn.id] = turn
        self._uncounted.append((turn.text, 1))
        self.sessions[turn.session] += 1

    def forget(self, turn_ids: Iterable[str]) -> list[str]:
        """Mark turns as forgotten; return the ids that were visible until now."""
        gone = [turn_id for turn_id in dict.fromkeys(turn_ids) if turn_id in self.visible]
        for turn_id in gone:
            turn = self.forgotten[turn_id] = self.visible.pop(turn_id)
            self._uncounted.append((turn.text, -1))
            self.sessions -= Counter([turn.session])
        return gone

    def tokens(self, count: Callable[[str], int]) -> int:
        """Return the tokens of all visible turns."""
        self._tokens += sum(sign * count(text) for text, sign in self._uncounted)
        self._uncounted.clear()
        return self._tokens


class Case:
    """One probe at one moment: what its verdicts need, the same for every context."""

    def __init__(
        self,
        probe: Probe,
        seen: Seen,
        turns: Mapping[str, Turn],
        texts: Texts,
        count: Callable[[str], int],
    ) -> None:
        self.probe, self.seen = probe, seen
        self._turns, self._texts, self._count = turns, texts, count

    @cached_property
    def gone(self) -> dict[str, Turn]:
        """The user's turns that were forgotten, or that the probe forbids."""
        named = {i: self.seen.visible[i] for i in self.probe.forbidden if i in self.seen.visible}
        return {**self.seen.forgotten, **named}

    @cached_property
    def free(self) -> Free:
        """What the user may be told."""
        visible = [turn for i, turn in self.seen.visible.items() if i not in self.gone]
        return Free(self._texts, self.probe.text, visible, self.gone.values())

    def answer(self, items: Sequence[Item]) -> float | None:
        """Return 1 if one item holds an accepted answer; None if the evidence lacks it too."""
        if not self._needles:
            return None
        return float(any(self._answers(item.text) for item in items))

    def chance(self, tokens: int) -> float | None:
        """Return the chance that a random context of `tokens` tokens holds an answer.

        Of the N visible turns c hold one, and m = round(N tokens / tokens of all) of them fit
        on average; m turns drawn without return miss all c with hypergeometric probability
        C(N - c, m) / C(N, m). Above 20,000 turns c is estimated on every k-th.
        """
        if not self._needles:
            return None
        size, holding, total = self._candidates
        fitting = min(size, round(size * tokens / total)) if total else 0
        return chance(size, holding, fitting)

    @cached_property
    def _needles(self) -> list[Reading]:
        """The accepted answers; none if the gold evidence lacks them all."""
        found = [self._texts.of(answer) for answer in self.probe.answers]
        gold = [self._turns[i] for i in self.probe.evidence if i in self._turns]
        held = any(self._texts.of(turn.text).holds(answer) for turn in gold for answer in found)
        return found if held else []

    @cached_property
    def _candidates(self) -> tuple[int, int, int]:
        """The visible turns, how many hold an answer, and their tokens."""
        turns = list(self.seen.visible.values())
        sample = turns[:: 1 + len(turns) // _SAMPLE]
        holding = sum(self._answers(turn.text) for turn in sample)
        share = holding / len(sample) if sample else 0.0
        return len(turns), round(share * len(turns)), self.seen.tokens(self._count)

    def _answers(self, text: str) -> bool:
        reading = self._texts.of(text)
        return any(reading.holds(answer) for answer in self._needles)


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
