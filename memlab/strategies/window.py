"""The last turns, or the last exchanges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import ClassVar

from memlab.checking import check_flag, check_whole
from memlab.errors import ConfigError
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.taxonomy import Tags
from memlab.types import Item, Query


@strategy
class Window(TurnMemory):
    """Return the user's last `turns` messages, or their last `exchanges`; newest first.

    An exchange is a user turn and all that follows it up to the next user turn, so a
    question still waiting for its answer is an exchange of its own. `turns` and `exchanges`
    exclude each other; without either, the window is 10 turns. A window is a view: the
    turns before it are kept. With `system` what the system said is in every window, before the
    others.

    >>> Window(exchanges=5)
    Window(exchanges=5)
    """

    taxonomy: ClassVar[Tags] = Tags("short-term", "in-memory", "dialogue", "recency")

    turns: int | None = None
    exchanges: int | None = None
    system: bool = False

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: both sizes given, or a negative one.
        """
        if self.turns is not None and self.exchanges is not None:
            raise ConfigError(
                f"turns={self.turns} and exchanges={self.exchanges}", "one of the two sizes"
            )
        for name, size in (("turns", self.turns), ("exchanges", self.exchanges)):
            if size is not None:
                check_whole(name, size)
        check_flag("system", self.system)
        super().reset()

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the window, newest first, as far as it fits the budget."""
        return self.history.window(query.user, self._view(query.user), budget, system=self.system)

    def _view(self, user: str) -> Iterator[int]:
        if self.exchanges is None:
            return islice(self.history.newest(user), 10 if self.turns is None else self.turns)
        return chain.from_iterable(islice(self.history.exchanges(user), self.exchanges))
