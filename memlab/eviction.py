"""The base of eviction policies: what a policy keeps, copied, saved and restored."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar, Self

from memlab.pages import MemoryPage

Draw = Callable[[int, int], int]
"""Returns the n-th random number of a user's memory, a whole one below the second argument."""


class Policy:
    """Base of eviction policies: it only saves typing, duck typing does as well.

    `kept` names the attributes that are the policy's state: JSON values, made in `reset`.
    """

    kept: ClassVar[tuple[str, ...]] = ()

    def reset(self, limit: int, draw: Draw) -> None:
        """Forget everything; main memory will hold `limit` tokens."""
        self.limit, self.draw = limit, draw

    def miss(self, page: MemoryPage, now: datetime) -> None:
        """Note that a page is about to come in, before room is made for it."""

    def admit(self, page: MemoryPage, now: datetime) -> None:
        """Note that a page came in, or that one in main memory has another size now."""

    def touch(self, page: MemoryPage, now: datetime) -> None:
        """Note that a page in main memory was accessed."""

    def drop(self, page_id: str) -> None:
        """Forget a page that was deleted."""

    def twin(self) -> Self:
        """Return a copy that changes nothing of this one."""
        made = copy.copy(self)
        for name in self.kept:
            setattr(made, name, copy.copy(getattr(self, name)))
        return made

    def state(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        return {name: getattr(self, name) for name in self.kept}

    def restore(self, state: dict[str, Any]) -> None:
        """Replace the state by what `state` returned."""
        for name in self.kept:
            setattr(self, name, type(getattr(self, name))(state[name]))
