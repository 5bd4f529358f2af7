"""Which of the turns that a derived text claims as sources it bears out: checked, not trusted.

A claim counts if one sentence of the text, cut at 60 words, has at least 0.3 of its weight in
the turn. A term weighs its idf over the N turns said so far, 35 turns without it thought in
front so that a young conversation can be judged: ln(1 + (N + 35 - df + 1/2) / (df + 1/2)).

What is shared must also be more than chance. A sentence of n terms, k of them in the turn with
weight w, has C(n, k) ways to share k terms, and a turn that is r times as long as the mean
holds each term about r times as likely. So w - k ln(max(r, 1)) - ln C(n, k) must reach
ln(claims of the text / 0.05): then, were words independent, a sentence would win less than
0.05 unrelated turns, however many the text claims. By the share alone a bag of frequent words
that claims every turn earns all of them.

A text that contains the whole turn word for word bears it out, however little the turn says.
An excerpt must carry 0.8 of the weight of its turn's words instead: cut short, every turn could
be had for a few tokens, and without what it says.
Figures on LoCoMo's own citations: experiments/LOG.md; experiments/claims.py computes them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from memlab.judging.archive import Line
from memlab.judging.dialogue import Dialogue
from memlab.judging.shingles import Reading, Texts
from memlab.types import Turn

SHARE = 0.3
"""Least share of a sentence's weight that lies in the turn."""

CHANCE = 0.05
"""Most turns that a sentence may win by chance."""

KEPT = 0.8
"""Least share of a turn's weight that its excerpt carries."""

BACKGROUND = 35
"""Turns thought in front of the conversation, holding none of its words."""


class Claims:
    """The turns said so far in one conversation, ready to check claims against.

    >>> from memlab.types import Turn
    >>> claims = Claims()
    >>> claims.add(Turn(id="1", text="I moved to Oslo in May.", time="2024-05-09", speaker="Ann"))
    >>> claims.add(Turn(id="2", text="How is the weather?", time="2024-05-09", speaker="Bob"))
    >>> claims.accepted("Ann moved to Oslo.", ["1", "2"])
    [True, False]
    """

    def __init__(self, texts: Texts | None = None, said: Dialogue | None = None) -> None:
        self._texts = texts if texts is not None else Texts()
        self._said = said if said is not None else Dialogue()
        self._read = 0
        self._df: Counter[str] = Counter()
        self._size = 0
        self._weights: dict[str, float] = {}

    def add(self, turn: Turn) -> None:
        """Take in a turn; it is indexed when a claim is first checked."""
        self._said.add(turn)

    def forget(self, turn_ids: Iterable[str], user: str | None = None) -> None:
        """Drop turns of a user, or of anybody: they back no claim and count for no weight."""
        for row in self._said.forget(turn_ids, user):
            if row < self._read:
                terms = self._texts.terms(self._said[row])
                self._df.subtract(terms)
                self._size -= len(terms)
                self._weights.clear()

    def accepted(self, text: str, claimed: Sequence[str]) -> list[bool]:
        """Tell for every claimed turn id whether the text bears it out."""
        if not claimed:
            return []
        self._settle()
        reading = self._texts.of(text)
        least = math.log(len(set(claimed)) / CHANCE)
        turns = map(self._kept, claimed)
        return [turn is not None and self._bears(reading, turn, least) for turn in turns]

    def carried(self, excerpt: str, turn_id: str) -> bool:
        """Tell whether an excerpt, a part of a turn, carries most of what the turn says."""
        self._settle()
        turn = self._kept(turn_id)
        if turn is None:
            return False
        part, whole = self._texts.of(excerpt), self._texts.of(turn.text)
        mass = self._mass(whole.terms)
        if mass == 0.0:
            return part.holds(whole)
        return self._mass(part.terms & whole.terms) >= KEPT * mass

    def _kept(self, turn_id: str) -> Turn | Line | None:
        row = self._said.row(turn_id)
        return None if row is None or self._said.is_forgotten(row) else self._said[row]

    def _mass(self, terms: frozenset[str]) -> float:
        # An exact sum: a set comes in any order, which must not change a verdict.
        return math.fsum(map(self._weight, terms))

    def _settle(self) -> None:
        """Index what was said since the last claim."""
        for row in range(self._read, len(self._said)):
            if not self._said.is_forgotten(row):
                terms = self._texts.terms(self._said[row])
                self._df.update(terms)
                self._size += len(terms)
        if self._read < len(self._said):
            self._weights.clear()
        self._read = len(self._said)

    @property
    def _turns(self) -> int:
        return len(self._said) - self._said.forgotten

    def _weight(self, term: str) -> float:
        weight = self._weights.get(term)
        if weight is None:
            df = self._df.get(term, 0)
            odds = (self._turns + BACKGROUND - df + 0.5) / (df + 0.5)
            weight = self._weights[term] = math.log(1 + odds)
        return weight

    def _bears(self, reading: Reading, turn: Turn | Line, least: float) -> bool:
        if reading.holds(self._texts.of(turn.text)):
            return True
        terms = self._texts.terms(turn)
        length = len(terms) * self._turns / max(1, self._size)
        handicap = math.log(max(1.0, length))
        return any(self._shares(span, terms, least, handicap) for span in reading.spans)

    def _shares(
        self, span: Sequence[str], terms: frozenset[str], least: float, handicap: float
    ) -> bool:
        """Tell whether a turn's terms hold enough of a span, and more than by chance."""
        common = [term for term in span if term in terms]
        if not common:
            return False
        weight = sum(map(self._weight, common))
        if weight < SHARE * sum(map(self._weight, span)):
            return False
        ways = math.log(math.comb(len(span), len(common)))
        return weight - len(common) * handicap - ways >= least
