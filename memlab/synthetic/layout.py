"""Where and when everything is said: sessions, their owners and languages, times of turns."""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, datetime, timedelta

from memlab.synthetic.draw import Draw
from memlab.synthetic.spec import DialogueSpec

EPOCH = datetime(2024, 1, 8, tzinfo=UTC)
_DAY = 86400
_EVENING = 3.5 * 3600
"""Seconds that a session may last; none begins later than at eight in the evening."""

_PACE = 75.0
"""Seconds between two turns of a session, where the calendar leaves so much."""


class Layout:
    """The sessions of one conversation; positions count its turns from 0."""

    def __init__(self, spec: DialogueSpec, number: int) -> None:
        draw = Draw(spec.seed, number, "layout")
        self.turns = spec.turns
        self.paired = spec.style == "assistant"
        self.starts = _starts(spec, draw)
        self.ends = [*self.starts[1:], spec.turns]
        slot = spec.days * 86400 / spec.sessions
        self.times = [_session_time(draw, slot, i) for i in range(spec.sessions)]
        longest = max(end - start for start, end in zip(self.starts, self.ends, strict=True))
        room = _EVENING if slot >= _DAY else 0.5 * slot
        self._pace = timedelta(microseconds=int(1e6 * min(_PACE, room / longest)))
        self.owners = _dealt(draw, spec.users, spec.sessions)
        self.first_speakers = [0 if self.paired else draw.below(2) for _ in self.starts]
        codes = spec.codes
        self.languages = [codes[i] for i in _dealt(draw, len(codes), spec.sessions)]

    def session(self, position: int) -> int:
        """Return the number of the session that holds a position."""
        return bisect_right(self.starts, position) - 1

    def time(self, position: int) -> datetime:
        """Return when the turn at a position is said."""
        session = self.session(position)
        return self.times[session] + self._pace * (position - self.starts[session])

    def asked(self, position: int) -> datetime:
        """Return when a question is asked after so many turns: before the next is said."""
        return self.time(position - 1) + self._pace / 2 if position else self.times[0]

    def side(self, position: int, session: int) -> int:
        """Return who speaks in a session: 0 or 1; where there is an assistant, it is 1."""
        return (self.first_speakers[session] + position - self.starts[session]) % 2

    def pace(self) -> timedelta:
        """Return the time between two turns."""
        return self._pace


def _starts(spec: DialogueSpec, draw: Draw) -> list[int]:
    """Divide the turns into sessions of similar size; with an assistant, of even size."""
    step = spec.turns / spec.sessions
    even = 2 if spec.style == "assistant" else 1
    starts = [0]
    for i in range(1, spec.sessions):
        wished = int(step * (i + 0.5 * (draw.unit() - 0.5)))
        starts.append(max(starts[-1] + even, wished // even * even))
    return starts


def _session_time(draw: Draw, slot: float, number: int) -> datetime:
    """Return when a session begins: in the daytime of a day of its own, where days suffice."""
    if slot < _DAY:
        return EPOCH + timedelta(microseconds=int(1e6 * slot * (number + 0.4 * draw.unit())))
    first, last = int(slot * number) // _DAY, int(slot * (number + 1)) // _DAY - 1
    return EPOCH + timedelta(days=draw.between(first, last), minutes=draw.between(420, 1200))


def _dealt(draw: Draw, hands: int, count: int) -> list[int]:
    """Deal numbers below `hands` so that each comes equally often, in random order."""
    dealt: list[int] = []
    while len(dealt) < count:
        dealt += draw.shuffled(range(hands))
    return dealt[:count]
