"""The base of memories around another memory: what a wrapper does not change, it passes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from inspect import getattr_static
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from memlab.checking import check_methods
from memlab.history import MOST
from memlab.naming import inside, providers
from memlab.protocols import Held
from memlab.run import Run
from memlab.types import Item, Query, Turn

if TYPE_CHECKING:
    from memlab.taxonomy import Tags

F = TypeVar("F", bound=Callable[..., Any])


class _Ability:
    """A method that a wrapper has if the memory inside has one of that name."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, wrapper: Any, owner: type) -> Any:  # noqa: ANN401
        if wrapper is None:
            return self.method
        name = self.method.__name__
        # Not for a call of super(): whoever overrides a method answers for it.
        if getattr_static(owner, name) is self and not _offers(wrapper.inner, name):
            raise AttributeError(name)  # `__getattr__` says why
        return self.method.__get__(wrapper, owner)


def _offers(memory: object, method: str) -> bool:
    # Only deletion reaches a part by itself; the state of a part is not that of the memory.
    parts = providers(memory, method) if method == "forget" else []
    return bool(parts) or callable(getattr(memory, method, None))


def ability(method: F) -> F:
    """Make a method of a wrapper one that is there only if the memory inside has it as well."""
    return cast("F", _Ability(method))


class PassesOn:
    """Passes on to every part what the run asks of a memory now and then."""

    def _parts(self, method: str) -> list[Any]:
        return [found for member in inside(self) for found in providers(member, method)]

    def maintain(self, now: datetime) -> None:
        """Let every part that works between sessions do so."""
        for able in self._parts("maintain"):
            able.maintain(now)

    def flush(self) -> None:
        """Let every part that buffers its writes finish them."""
        for able in self._parts("flush"):
            able.flush()

    def stats(self) -> Mapping[str, int | float]:
        """Return the counters of the parts."""
        found: dict[str, int | float] = {}
        for able in self._parts("stats"):
            found.update(able.stats())
        return found


class Wrapper(PassesOn):
    """Base of strategies with one `inner` memory: it only saves typing, duck typing does as well.

    What the run asks of a memory now and then goes to every part (`attach`, `maintain`, `flush`,
    `stats`). Deletion, saving and `held` are there if the inner memory has them.
    """

    inner: Any
    _run: Run | None = None

    def __getattr__(self, name: str) -> NoReturn:
        """Say what is missing: an ability of the memory inside, or the state made in `reset`."""
        hint = "" if name.startswith("__") else "; reset() comes before write() and read()"
        if isinstance(getattr_static(type(self), name, None), _Ability):
            hint = f", because {self.inner!r} has none"
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")

    @property
    def taxonomy(self) -> Tags | None:
        """The kind of the memory inside."""
        return getattr(self.inner, "taxonomy", None)

    @property
    def run(self) -> Run:
        """The run this memory works in; one made for trials if none was attached."""
        if self._run is None:
            self._run = Run()
        return self._run

    def attach(self, run: Run) -> None:
        """Work in `run`, with everything inside."""
        self._run = run
        for able in self._parts("attach"):
            able.attach(run)

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: an inner memory that is none.
        """
        check_methods("inner", self.inner, "reset write read")
        self.inner.reset()
        self._calls: dict[str, tuple[str, str]] = {}

    def write(self, turn: Turn) -> None:
        """Write a turn into the memory inside."""
        if "call" in turn.meta:
            self._calls[turn.id] = (turn.user, str(turn.meta["call"]))
        self.inner.write(turn)

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return what the memory inside returns."""
        items: list[Item] = self.inner.read(query, budget)
        return items

    @ability
    def forget(self, turn_ids: Sequence[str], user: str) -> None:
        """Delete turns of a user in the memory inside."""
        for able in providers(self.inner, "forget"):
            able.forget(turn_ids, user)
        for turn_id in turn_ids:
            if turn_id in self._calls and self._calls[turn_id][0] == user:
                del self._calls[turn_id]

    @ability
    def held(self) -> Iterable[Held]:
        """Yield what the memory inside keeps."""
        yield from self.inner.held()

    @ability
    def save(self, path: Path) -> None:
        """Write the memory inside into a folder under `path`."""
        (path / "inner").mkdir(parents=True, exist_ok=True)
        self.inner.save(path / "inner")
        (path / "calls.json").write_text(json.dumps(self._calls), "utf-8")

    @ability
    def load(self, path: Path) -> None:
        """Replace the state by what `save` wrote."""
        self.reset()
        self.inner.load(path / "inner")
        calls = json.loads((path / "calls.json").read_text("utf-8"))
        self._calls = {turn: (user, call) for turn, (user, call) in calls.items()}

    def together(self, items: Sequence[Item]) -> Iterator[list[Item]]:
        """Yield the items in groups that go together: a tool call with its results, else one."""
        groups: dict[object, list[Item]] = {}
        for number, item in enumerate(items):
            call = self._calls.get(item.sources[0]) if len(item.sources) == 1 else None
            groups.setdefault(call or number, []).append(item)
        yield from groups.values()

    def tokens_in(self, items: Iterable[Item]) -> int:
        """Return the tokens of the texts of items."""
        return sum(self.run.count(item.text) for item in items)

    def deeper(self, query: Query, hits: list[Item], budget: int | None) -> list[Item]:
        """Return what the memory inside has at the budget, if that may hold more than `hits`.

        `hits` are what it has without a budget, which ends at 100 items; a large budget does not.
        """
        if budget is None or 2 * len(hits) < MOST or self.tokens_in(hits) > budget:
            return hits
        items: list[Item] = self.inner.read(query, budget)
        return items

    def fitting(
        self, groups: Iterable[Sequence[Item]], budget: int | None, most: int | None = None
    ) -> list[Item]:
        """Return the items of the groups up to the first group that does not fit.

        `budget` is in tokens, `most` in items; without either it is 100 items.
        """
        kept: list[Item] = []
        left = 0 if budget is None else budget
        limit = MOST if budget is None and most is None else most or sys.maxsize
        for group in groups:
            if budget is not None:
                left -= self.tokens_in(group)
            if left < 0 or len(kept) + len(group) > limit:
                break
            kept.extend(group)
        return kept
