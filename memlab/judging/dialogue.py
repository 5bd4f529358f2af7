"""Everything said in a conversation, whose it is and what was forgotten: 25 bytes a turn."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from memlab.errors import DataError
from memlab.ids import Ids
from memlab.judging.archive import BLOCK, Archive, Line
from memlab.types import Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEWEST = 256 * BLOCK
"""So many turns at most are held as they came; few data sets have longer dialogues."""


class Own(NamedTuple):
    """One user's turns that are not forgotten: how many, of how many sessions and tokens."""

    turns: int
    sessions: int
    tokens: int


class Dialogue:
    """The turns of a conversation in rows 0, 1, 2, …, and which of them are forgotten."""

    def __init__(self) -> None:
        self._archive = Archive()
        self._ids = Ids()
        self._newest: dict[str, Turn] = {}
        self._turns: list[Turn] = []
        self._row_of: dict[str, int] = {}
        self._found: dict[str, int] = {}
        self._user_of: dict[str, int] = {}
        self._session_of: dict[str, int] = {}
        self._users, self._sessions, self._tokens = array("i"), array("i"), array("i")
        self._gone = bytearray()
        self._own: dict[str, Own] = {}
        self.forgotten = 0

    def __len__(self) -> int:
        return len(self._tokens)

    def add(self, turn: Turn, tokens: int = 0) -> None:
        """Take in a turn that was said, and how many tokens it has.

        Raises:
            DataError: its id was used before; told at the latest `NEWEST` turns later.
            RunError: the temporary file cannot be written.
        """
        newest = self._newest
        if turn.id in newest:
            raise _twice(turn.id)
        newest[turn.id] = turn
        self._tokens.append(tokens)
        if len(newest) >= NEWEST:
            self._store()

    def __getitem__(self, row: int) -> Turn | Line:
        self._settle()
        stored = len(self._archive)
        return self._turns[row - stored] if row >= stored else self._archive[row]

    def lines(self, rows: Iterable[int]) -> Iterator[Turn | Line]:
        """Yield the turns of rows."""
        return map(self.__getitem__, rows)

    def row(self, turn_id: str) -> int | None:
        """Return the row of a turn; None if it was not said."""
        self._settle()
        row = self._row_of.get(turn_id, self._found.get(turn_id))
        if row is None and len(self._archive) and isinstance(turn_id, str):
            row = self._stored(turn_id)
            if row is not None:
                if len(self._found) > NEWEST:
                    self._found.clear()
                self._found[turn_id] = row
        return row

    def _stored(self, turn_id: str) -> int | None:
        # Ids are told by their hash; the turn itself makes sure.
        rows = self._ids.rows(turn_id)
        return next((row for row in rows if self._archive[row].id == turn_id), None)

    def session(self, row: int) -> int:
        """Return the number of a turn's session, in the order they began."""
        self._settle()
        return self._sessions[row]

    def user(self, row: int) -> int:
        """Return the number of the user whose turn it is."""
        self._settle()
        return self._users[row]

    def number(self, user: str) -> int:
        """Return the number of a user; −1 of one who said nothing."""
        self._settle()
        return self._user_of.get(user, -1)

    def others(self, user: str) -> bool:
        """Tell whether anybody else said something."""
        return len(self._user_of) > (self.number(user) >= 0)

    def is_forgotten(self, row: int) -> bool:
        """Tell whether a turn was forgotten."""
        self._settle()
        return bool(self._gone[row])

    def forget(self, turn_ids: Iterable[str], user: str | None = None) -> list[int]:
        """Mark turns of a user, or of anybody, as forgotten; return the rows newly so."""
        self._settle()
        owner = None if user is None else self.number(user)
        rows = []
        for row in map(self.row, dict.fromkeys(turn_ids)):
            if row is None or self._gone[row] or owner not in (None, self._users[row]):
                continue
            self._gone[row] = 1
            rows.append(row)
        self.forgotten += len(rows)
        self._own.clear()
        return rows

    def rows(self, user: str, *, forgotten: bool = False) -> list[int]:
        """Return the rows of a user's turns that are not forgotten, or that are."""
        found: list[int] = self._mask(user, forgotten=forgotten).nonzero()[0].tolist()
        return found

    def sample(self, user: str, most: int) -> list[int]:
        """Return rows of a user that are not forgotten: all, or about n / 2^j of n over `most`.

        A row is drawn by its number alone, so what is drawn changes little as more is said.
        """
        import numpy as np

        rows = self._mask(user, forgotten=False).nonzero()[0]
        halvings = max(0, math.ceil(math.log2(max(1, len(rows)) / most)))
        if halvings:
            # Fibonacci hashing spreads them evenly; every 2nd turn would be one speaker's.
            spread = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            rows = rows[spread < np.uint64(1 << (64 - halvings))]
        chosen: list[int] = rows.tolist()
        return chosen

    def own(self, user: str) -> Own:
        """Return what a user has that is not forgotten."""
        self._settle()
        known = self._own.get(user)
        if known is None:
            import numpy as np

            mask = self._mask(user, forgotten=False)
            known = self._own[user] = Own(
                int(mask.sum()),
                int(np.count_nonzero(np.bincount(_view(self._sessions)[mask]))),
                int(_view(self._tokens)[mask].sum()),
            )
        return known

    def _mask(self, user: str, *, forgotten: bool) -> NDArray[np.bool_]:
        import numpy as np

        number = self.number(user)
        mine = _view(self._users) == number
        gone = np.frombuffer(self._gone, dtype=bool)
        mask: NDArray[np.bool_] = mine & (gone if forgotten else ~gone)
        return mask

    def _settle(self) -> None:
        """Work out the columns of what was said since."""
        if len(self._users) == len(self._tokens):
            return
        turns = list(islice(self._newest.values(), len(self._turns), None))
        users, sessions = self._user_of, self._session_of
        self._row_of.update(
            zip([t.id for t in turns], range(len(self._users), len(self)), strict=True)
        )
        self._users.extend([users.setdefault(t.user, len(users)) for t in turns])
        self._sessions.extend([sessions.setdefault(t.session, len(sessions)) for t in turns])
        self._gone.extend(bytes(len(turns)))
        self._turns += turns
        self._own.clear()

    def _store(self) -> None:
        """Put the newest turns away."""
        self._settle()
        self._archive.extend(self._turns)
        for turn_id in self._ids.extend(self._newest):
            if self._stored(turn_id) != self._row_of[turn_id]:
                raise _twice(turn_id)
        for held in (self._newest, self._turns, self._row_of):
            held.clear()


def _view(column: array[int]) -> NDArray[np.int32]:
    import numpy as np

    return np.frombuffer(column, dtype=np.int32)


def _twice(turn_id: str) -> DataError:
    return DataError(f"turn id {turn_id!r} is used twice", "ids unique in a conversation")
