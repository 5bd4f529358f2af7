"""Several memories that share one budget."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from memlab.checking import check_methods, check_number
from memlab.errors import ConfigError
from memlab.history import MOST
from memlab.judging.items import CARRIED
from memlab.naming import part, strategy
from memlab.protocols import Held
from memlab.taxonomy import CHOICES, Tags, tags_of
from memlab.types import Item, Query
from memlab.wrapping import Wrapper, ability


class _All:
    """The members as one memory, which can do what all of them can."""

    def __init__(self, members: Sequence[Any]) -> None:
        self._members = members

    def __getattr__(self, name: str) -> Callable[..., None]:
        methods = [getattr(member, name) for member in self._members]

        def each(*arguments: object) -> None:
            for method in methods:
                method(*arguments)

        return each


class _Shown:
    """What was returned so far, and by which member."""

    def __init__(self) -> None:
        self._turns: dict[str, int] = {}
        self._texts: set[tuple[str, str]] = set()

    def fresh(self, items: Sequence[Item], member: int) -> list[Item]:
        """Return the items of a member that say what was not returned yet."""
        return [item for item in items if not self._known(item, member)]

    def add(self, items: Sequence[Item], member: int) -> None:
        """Note what a member returned."""
        for item in items:
            self._texts.update((item.text, source) for source in item.sources)
            if item.kind in CARRIED:
                self._turns.setdefault(item.sources[0], member)

    def _known(self, item: Item, member: int) -> bool:
        if any((item.text, source) in self._texts for source in item.sources):
            return True
        return item.kind in CARRIED and self._turns.get(item.sources[0], member) != member


@strategy
class Combined(Wrapper):
    """Read several memories side by side and let them share the budget.

    Each turn is written into every member, nothing of one into another. The members are read
    without a budget, and at the budget where that holds more; then always that member gives its
    next item whose tokens so far, this one included, are the least beside its share (equal: the
    one named first). So every beginning of the list is shared that way, whatever the budget, and
    what a member has no use for goes to the others by their shares. No turn comes twice: one that
    a member has given, whole or in part, is passed over in the others' lists, at no cost to them.

    `shares` are any positive numbers, one for each member; without, all are equal. Scores of
    different members cannot be compared, and stay as they are.

    Source: Demers, Keshav and Shenker (1989), "Analysis and Simulation of a Fair Queueing
        Algorithm", SIGCOMM, for the order.

    >>> from memlab.strategies import BM25, Window
    >>> Combined(members=(Window(turns=4), BM25()), shares=(1, 3))
    Combined(members=(Window(turns=4), BM25()), shares=(1, 3))
    """

    members: tuple[Any, ...] = part("(Window(), BM25())")
    shares: tuple[float, ...] | None = None

    @property
    def inner(self) -> Any:  # noqa: ANN401 - as of every wrapper
        """All members as one memory."""
        return _All(self.members)

    @property
    def taxonomy(self) -> Tags | None:
        """The kind of the members, together."""
        found = [tags for tags in map(tags_of, self.members) if tags is not None]
        if not found:
            return None
        longest = max(found, key=lambda tags: CHOICES["duration"].index(tags.duration))
        storage, content, access = (
            values.pop() if len(values) == 1 else mixed
            for values, mixed in (
                ({tags.storage for tags in found}, "several"),
                ({tags.content for tags in found}, "several"),
                ({tags.access for tags in found}, "hybrid"),
            )
        )
        return Tags(longest.duration, storage, content, access)

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: no members, one that is none or stands there twice, shares that do not
                fit them.
        """
        for member in self.members:
            check_methods("member", member, "reset write read")
        distinct = len({id(member) for member in self.members})
        if not self.members or distinct < len(self.members):
            raise ConfigError(
                f"{len(self.members)} members, {distinct} of them distinct objects",
                "at least one, and no object twice",
            )
        for share in self._parted():
            check_number("share", share)
        if len(self._parted()) != len(self.members) or not all(self._parted()):
            raise ConfigError(f"shares={self.shares!r}", "a positive share for each member")
        super().reset()

    def _parted(self) -> tuple[float, ...]:
        return (1.0,) * len(self.members) if self.shares is None else tuple(self.shares)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return the items of all members, in the order of their shares."""
        if budget == 0:
            return []
        lists = [self._hits(member, query, budget) for member in self.members]
        return self.fitting(self._shared(lists), budget)

    def _hits(self, member: Any, query: Query, budget: int | None) -> list[Item]:  # noqa: ANN401
        hits: list[Item] = member.read(query, None)
        if budget is None or 2 * len(hits) < MOST or self.tokens_in(hits) > budget:
            return hits
        more: list[Item] = member.read(query, budget)
        return more

    def _shared(self, lists: Sequence[list[Item]]) -> Iterator[list[Item]]:
        """Yield groups of items: always the one with which its member has had the least."""
        waiting = [deque(self.together(items)) for items in lists]
        used, shares, shown = [0] * len(lists), self._parted(), _Shown()
        while True:
            heads: dict[int, tuple[float, list[Item]]] = {}
            for member, queue in enumerate(waiting):
                while queue and not shown.fresh(queue[0], member):
                    queue.popleft()
                if queue:
                    fresh = shown.fresh(queue[0], member)
                    heads[member] = (used[member] + self.tokens_in(fresh)) / shares[member], fresh
            if not heads:
                return
            member = min(heads, key=lambda number: heads[number][0])
            waiting[member].popleft()
            shown.add(heads[member][1], member)
            used[member] += self.tokens_in(heads[member][1])
            yield heads[member][1]

    @ability
    def held(self) -> Iterable[Held]:
        """Yield what each member keeps; what two of them keep counts twice."""
        for member in self.members:
            yield from member.held()

    @ability
    def save(self, path: Path) -> None:
        """Write each member into a folder of its own under `path`."""
        (path / "calls.json").write_text(json.dumps(self._calls), "utf-8")
        for number, member in enumerate(self.members):
            (path / f"member{number}").mkdir(parents=True, exist_ok=True)
            member.save(path / f"member{number}")

    @ability
    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        self.reset()
        for number, member in enumerate(self.members):
            member.load(path / f"member{number}")
        calls = json.loads((path / "calls.json").read_text("utf-8"))
        self._calls = {turn: (user, call) for turn, (user, call) in calls.items()}
