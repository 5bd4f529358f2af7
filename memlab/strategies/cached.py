"""A memory whose answers are kept until something is written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from memlab.checking import check_number, check_whole
from memlab.errors import ConfigError
from memlab.naming import part, strategy
from memlab.protocols import Memory, learns_on_read
from memlab.run import Run
from memlab.types import Item, Query, Turn
from memlab.wrapping import Wrapper, ability

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

_COUNTED = ("reads", "hits", "misses", "evictions", "expirations", "invalidations")


class _Watched(Query):
    """A question that notes whether anybody looks at its time; to others it is a `Query`."""

    __slots__ = ("seen",)

    def __init__(self, query: Query) -> None:
        super().__init__(query.text, query.time, query.user)
        object.__setattr__(self, "seen", False)

    def __getattribute__(self, name: str) -> Any:  # noqa: ANN401
        if name == "time":
            object.__setattr__(self, "seen", True)
        # Queries of different classes are never equal.
        return Query if name == "__class__" else super().__getattribute__(name)


class _Kept(NamedTuple):
    """An answer, when it was given, and whether it depends on that time."""

    items: tuple[Item, ...]
    time: datetime
    timed: bool


@strategy
class CachedRetriever(Wrapper):
    """Keep what the memory inside answered, and answer so until its store changes.

    One cache of the `size` answers last used, by user, text and budget; where the memory inside
    looked at the question's time, by that as well. Every write, deletion, maintenance, flush and
    load empties it, so that an answer is never older than the store: what comes back is always
    what the memory inside would have said. An answer is kept for `ttl` seconds of the dialogue's
    clock (None: until the store changes). Nothing of the cache is saved.

    Counted (`stats`): reads, hits, misses, evictions, and answers dropped because they expired or
    the store changed.

    >>> CachedRetriever(size=10)
    CachedRetriever(size=10)
    """

    inner: Memory = part("BM25()")
    size: int = 1000
    ttl: float | None = None

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: a memory that learns when it is read, size below 1, ttl below 0.
        """
        check_whole("size", self.size, least=1)
        if self.ttl is not None:
            check_number("ttl", self.ttl)
        super().reset()
        if learns_on_read(self.inner):
            raise ConfigError(
                f"{self.inner!r} learns when it is read", "touch=False", "or leave the cache out"
            )
        self._kept: dict[tuple[str, str, int | None], _Kept] = {}
        self._counts = dict.fromkeys(_COUNTED, 0)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return what the memory inside returns, or returned to the same question."""
        self._counts["reads"] += 1
        key = query.user, query.text, budget
        kept = self._kept.pop(key, None)
        if kept is not None and self._expired(kept, query.time):
            self._counts["expirations"] += 1
            kept = None
        if kept is None or (kept.timed and kept.time != query.time):
            self._counts["misses"] += 1
            kept = self._fresh(query, budget)
        else:
            self._counts["hits"] += 1
        self._kept[key] = kept  # now the one last used
        if len(self._kept) > self.size:
            del self._kept[next(iter(self._kept))]
            self._counts["evictions"] += 1
        return list(kept.items)

    def _fresh(self, query: Query, budget: int | None) -> _Kept:
        watched = _Watched(query)
        items = tuple(self.inner.read(watched, budget))
        return _Kept(items, query.time, watched.seen)

    def _expired(self, kept: _Kept, now: datetime) -> bool:
        # An answer from later than the question has no age: it is not used either.
        return self.ttl is not None and not (
            timedelta() <= now - kept.time <= timedelta(seconds=self.ttl)
        )

    def _changed(self) -> None:
        self._counts["invalidations"] += len(self._kept)
        self._kept.clear()

    def attach(self, run: Run) -> None:
        """Work in `run`; drop every answer."""
        self._changed()
        super().attach(run)

    def write(self, turn: Turn) -> None:
        """Write a turn; drop every answer."""
        self._changed()
        self.inner.write(turn)

    def maintain(self, now: datetime) -> None:
        """Let the memory inside do what is due; drop every answer."""
        self._changed()
        super().maintain(now)

    def flush(self) -> None:
        """Let the memory inside finish its writes; drop every answer."""
        self._changed()
        super().flush()

    @ability
    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user; drop every answer."""
        self._changed()
        super().forget(turn_ids, user)

    @ability
    def scores(self, query: Query) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
        """Return the scores of the memory inside, which are not kept."""
        found: tuple[NDArray[np.int64], NDArray[np.floating]]
        found = self.inner.scores(query)  # type: ignore[attr-defined]
        return found

    @ability
    def explain(self, query: Query) -> pd.DataFrame:
        """Return the explanation of the memory inside."""
        table: pd.DataFrame = self.inner.explain(query)  # type: ignore[attr-defined]
        return table

    def stats(self) -> dict[str, int | float]:
        """Return the counters of the cache, and of the memory inside."""
        return {**super().stats(), **self._counts}
