"""What must not come back: foreign and forgotten turns, known again by what they say.

A turn the user may not see is known again by

- a run of four or more tokens (five characters of Chinese) that few turns would hold by chance:
  its tokens weigh ln((N + 36) / (df + 1/2)) over the N turns the user may not see, as claims
  do (`memlab.judging.claims`), and must reach ln((N + 35) / 0.05) together. An everyday word or a
  stop word weighs 1/4; a character bigram half, as it shares a character with the next, and
  nothing if it is grammar. So "summary of the conversation so far" proves nothing;
- all of a turn of two or three tokens, if it is a whole sentence and not all everyday words;
- one code, such as 4711 or zebra-42; one name that weighs 4.5, as in one of a hundred turns.

What a turn the user may see, or the question, holds as well gives nothing away. No turn the
user may see counts in N or df, so saying more can never make a leak.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from memlab.judging.archive import Line
from memlab.judging.claims import BACKGROUND, CHANCE
from memlab.judging.dialogue import Dialogue
from memlab.judging.rare import everyday
from memlab.judging.shingles import RUN, Reading, Texts
from memlab.judging.tally import Tally
from memlab.text import has_cjk
from memlab.types import Turn

FRAME = 0.25
"""Weight of an everyday word in a run."""

RARE = 4.5
"""Least weight of a name that gives a turn away by itself."""

MOST = 200_000
"""So many keys at most are kept as text."""


class Hidden:
    """What a user may not see: the turns of one tally without those of another."""

    def __init__(self, said: Tally, without: Tally) -> None:
        self._said, self._without = said, without
        self.size = said.size - without.size
        self.least = math.log((self.size + BACKGROUND) / CHANCE)

    def __getitem__(self, key: str) -> int:
        return self._said[key] - self._without[key]

    def among(self, keys: Iterable[str]) -> list[str]:
        """Return the keys that some hidden turn holds."""
        keys = list(keys)
        counts = zip(keys, self._said.counts(keys), self._without.counts(keys), strict=True)
        return [key for key, said, without in counts if said > without]

    def weight(self, token: str) -> float:
        """Return how much it proves that a text holds a token."""
        if everyday(token):
            return 0.0 if has_cjk(token) else FRAME
        weight = math.log((self.size + BACKGROUND + 1) / (self[token] + 0.5))
        return max(0.0, weight / 2 if has_cjk(token) else weight)


class Echoes:
    """What everybody said so far, by user, so that a text can be searched for it."""

    def __init__(self, texts: Texts, said: Dialogue) -> None:
        self._texts, self._said = texts, said
        self._read = 0
        self._all = Tally()
        self._by_user: dict[int, Tally] = {}

    def foreign(self, text: str, user: str, free: Free) -> bool:
        """Tell whether a text gives another user's turn away."""
        self._settle()
        own = self._by_user.get(self._said.number(user), _NOTHING)
        return self._betrays(text, Hidden(self._all, own), own, free)

    def gone(self, text: str, user: str, free: Free) -> bool:
        """Tell whether a text gives a turn away that is gone from the user."""
        self._settle()
        own = self._by_user.get(self._said.number(user), _NOTHING)
        return self._betrays(text, Hidden(free.gone, _NOTHING), own, free)

    def _betrays(self, text: str, hidden: Hidden, own: Tally, free: Free) -> bool:
        reading = self._texts.of(text)

        def banned(keys: Iterable[str]) -> list[str]:
            return [key for key in hidden.among(keys) if not free.holds(key, own)]

        runs = frozenset(banned(reading.marks))
        return (
            any(_weigh(chain, hidden) >= hidden.least for chain in _chains(reading, runs))
            or any(map(_telling, banned(reading.asides)))
            or bool(banned(f"#{code}" for code in reading.codes))
            or any(_named(name, hidden) for name in banned(reading.capitals))
        )

    def _settle(self) -> None:
        """Count what was said since a text was last searched."""
        for row in range(self._read, len(self._said)):
            turn, user = self._said[row], self._said.user(row)
            reading = self._texts.of(turn.text)
            self._all.add(turn, reading)
            own = self._by_user.get(user)
            if own is None:
                own = self._by_user[user] = Tally()
            own.add(turn, reading)
            if self._all.loose > MOST:
                for tally in (self._all, *self._by_user.values()):
                    tally.pack()
        self._read = len(self._said)


class Free:
    """What a user may be told: the turns still visible, and the words of the question."""

    def __init__(
        self,
        texts: Texts,
        query: str,
        visible: Callable[[], Iterable[Turn | Line]],
        gone: Iterable[Turn | Line],
    ) -> None:
        self._texts = texts
        self._query: Reading = texts.of(query)
        self._visible = visible
        self.gone = Tally()
        for turn in gone:
            self.gone.add(turn, texts.of(turn.text))

    def holds(self, key: str, own: Tally) -> bool:
        """Tell whether a key is free; `own` counts the keys of all the user's turns."""
        if f" {key} " in self._query.joined or key in self._query.keys:
            return True
        if own[key] > self.gone[key]:
            return True
        aside = f" {key} " if " " in key and key.count(" ") + 1 < RUN else ""
        return bool(aside) and any(
            aside in self._texts.of(turn.text).joined for turn in self._visible()
        )


def _chains(reading: Reading, runs: frozenset[str]) -> Iterator[set[str]]:
    """Yield the tokens of every longest stretch of which each four are among the runs."""
    for line in reading.lines if runs else ():
        chain: set[str] = set()
        for i in range(len(line)):
            window = line[i : i + RUN]
            if " ".join(window) in runs:
                chain.update(window)
            elif chain:
                yield chain
                chain = set()


def _weigh(tokens: Iterable[str], hidden: Hidden) -> float:
    # An exact sum: a set comes in any order, which must not change a verdict.
    return math.fsum(map(hidden.weight, tokens))


def _named(name: str, hidden: Hidden) -> bool:
    return hidden[f"^{name}"] > 0 and hidden.weight(name) >= RARE


def _telling(aside: str) -> bool:
    return not all(map(everyday, aside.split(" ")))


_NOTHING = Tally()
