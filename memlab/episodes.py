"""What a conversation is made of, turn by turn: episodes, speakers, substance."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memlab.column import Column
from memlab.text import sentences, terms
from memlab.types import Turn

_MUCH = 5.0
"""The distinct words at which a turn has 1 − 1/e of the most substance."""


class Episodes:
    """The turns of one user in the order written, a growing array for each property.

    Every answer is as if a removed turn had never been there.
    """

    def __init__(self) -> None:
        self.speakers: dict[str, tuple[int, str]] = {}
        """Number and role of each speaker, in order of appearance."""
        self._sessions: dict[str, int] = {}
        self._place: dict[int, int] = {}
        self._alive = Column(np.bool_)
        self._tokens = Column(np.int64)
        self._session = Column(np.int64)
        self._time = Column(np.float64)
        self._speaker = Column(np.int64)
        self._substance = Column(np.float64)

    def add(self, row: int, turn: Turn, tokens: int) -> None:
        """Append a turn."""
        self._place[row] = len(self._alive)
        self._alive.append(True)
        self._tokens.append(tokens)
        self._session.append(self._sessions.setdefault(turn.session, len(self._sessions)))
        self._time.append(turn.time.timestamp())
        number, _ = self.speakers.setdefault(turn.speaker, (len(self.speakers), turn.role))
        self._speaker.append(number)
        self._substance.append(substance(turn.text))

    def remove(self, row: int) -> None:
        """Take a turn out."""
        self._alive.values[self._place.pop(row)] = False

    def tokens(self) -> NDArray[np.int64]:
        """Return the tokens of each turn."""
        tokens: NDArray[np.int64] = self._tokens.values[self._alive.values]
        return tokens

    def numbers(self, pause: float) -> NDArray[np.int64]:
        """Return the episode of each turn, counted from 0.

        An episode ends with its session, and where nothing is said for over `pause` seconds.
        """
        alive = self._alive.values
        session, time = self._session.values[alive], self._time.values[alive]
        ends = (np.diff(session) != 0) | (np.diff(time) > pause)
        numbers: NDArray[np.int64] = np.r_[0, np.cumsum(ends)][: len(session)]
        return numbers

    def said_by(self, speakers: frozenset[str]) -> NDArray[np.float64]:
        """Return 1 for the turns of these speakers, 0 for others."""
        wanted = [self.speakers[name][0] for name in sorted(speakers)]
        return np.isin(self._speaker.values[self._alive.values], wanted).astype(np.float64)

    def near(self, spans: Iterable[tuple[float, float]], fade: float) -> NDArray[np.float64]:
        """Return how near each turn's time is to the nearest span: exp(−distance / `fade`).

        Times and `fade` are in seconds; inside a span it is 1, without a span 0.
        """
        time = self._time.values[self._alive.values]
        nearest = np.full(len(time), np.inf)
        for start, end in spans:
            nearest = np.minimum(nearest, np.maximum(0.0, np.maximum(start - time, time - end)))
        return np.exp(-nearest / fade)

    def substances(self) -> NDArray[np.float64]:
        """Return the substance of each turn, see `substance`."""
        substances: NDArray[np.float64] = self._substance.values[self._alive.values]
        return substances


def substance(text: str) -> float:
    """Return how much a text states, in [0, 1): 1 − exp(−distinct words / 5), questions apart.

    >>> round(substance("We drove to Oslo on Monday. And you?"), 3), substance("Really?")
    (0.451, 0.0)
    """
    stated = (s for s in sentences(text) if not s.rstrip("\"'”’)）」』 ").endswith(("?", "？")))
    distinct = {word for sentence in stated for word in terms(sentence)}
    return float(1.0 - np.exp(-len(distinct) / _MUCH))
