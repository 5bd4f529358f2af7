"""What must not come back: foreign and forgotten turns, known again by runs of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from memlab.shingles import RUN, Reading, Texts
from memlab.types import Turn


class Echoes:
    """The runs of words of everything said, by user, so that a text can be searched for them.

    A turn is known again by four tokens in a row, or by all of its two or three. A run that a
    turn the user may see or the question holds as well gives nothing away.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._fresh: list[Turn] = []
        self._all: Counter[str] = Counter()
        self._by_user: dict[str, Counter[str]] = {}

    def add(self, turn: Turn) -> None:
        """Take in a turn; it is read when a text is first searched."""
        self._fresh.append(turn)

    def foreign(self, text: str, user: str, free: Free) -> bool:
        """Tell whether a text holds a run of another user's turn that is not `free`."""
        self._settle()
        own = self._by_user.get(user, Counter())
        return self._any(text, lambda run: self._all[run] > own[run], user, free)

    def gone(self, text: str, user: str, free: Free) -> bool:
        """Tell whether a text holds a run of a turn gone from the user that is not `free`."""
        self._settle()
        return self._any(text, lambda run: free.gone[run] > 0, user, free)

    def _any(self, text: str, banned: Callable[[str], bool], user: str, free: Free) -> bool:
        own = self._by_user.get(user, Counter())
        return any(banned(run) and not free.holds(run, own) for run in self._texts.of(text).runs)

    def _settle(self) -> None:
        for turn in self._fresh:
            marks = self._texts.of(turn.text).marks
            self._all.update(marks)
            self._by_user.setdefault(turn.user, Counter()).update(marks)
        self._fresh.clear()


class Free:
    """What a user may be told: the turns still visible, and the words of the question."""

    def __init__(
        self, texts: Texts, query: str, visible: Iterable[Turn], gone: Iterable[Turn]
    ) -> None:
        self._texts = texts
        self._query: Reading = texts.of(query)
        self._visible = visible
        self.gone = Counter(mark for turn in gone for mark in texts.of(turn.text).marks)

    def holds(self, run: str, own: Counter[str]) -> bool:
        """Tell whether the run is free; `own` counts the runs of all the user's turns."""
        words = f" {run} "
        if words in self._query.joined:
            return True
        if run.count(" ") + 1 == RUN:
            return own[run] > self.gone[run]
        return any(words in self._texts.of(turn.text).joined for turn in self._visible)
