"""The facts of each user: the newest value of a slot holds, the older ones are kept as history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memlab.protocols import Fact, Held, ScoresImportance
from memlab.text import normal
from memlab.types import Item, Turn


class FactBook:
    """Keep facts by user and slot; repeats are merged, and a newer value supersedes.

    Nothing is lost but by `forget`: then what was superseded by it holds again.
    """

    def __init__(self, importance: ScoresImportance) -> None:
        self._importance = importance
        self._slots: dict[str, dict[str, list[tuple[Turn, Fact]]]] = {}
        self._of: dict[str, tuple[str, list[str]]] = {}
        self._items: dict[str, list[Item]] = {}

    def add(self, turn: Turn, facts: Iterable[Fact]) -> None:
        """Take in what a turn states."""
        slots = self._slots.setdefault(turn.user, {})
        for fact in facts:
            # A slot moves to the end when it is told anew, so that the order is that of telling.
            told = slots.pop(fact.slot, [])
            told.append((turn, fact))
            slots[fact.slot] = told
            self._of.setdefault(turn.id, (turn.user, []))[1].append(fact.slot)
            self._items.pop(turn.user, None)

    def forget(self, turn_ids: Iterable[str], user: str) -> None:
        """Drop what turns of a user stated."""
        for turn_id in turn_ids:
            owner, slots = self._of.get(turn_id, ("", []))
            if owner != user or not slots:
                continue
            del self._of[turn_id]
            for slot in dict.fromkeys(slots):
                kept = [told for told in self._slots[user][slot] if told[0].id != turn_id]
                self._slots[user][slot] = kept
                if not kept:
                    del self._slots[user][slot]
        if user in self._slots:
            self._slots[user] = self._in_order(user)
        self._items.pop(user, None)

    def _in_order(self, user: str) -> dict[str, list[tuple[Turn, Fact]]]:
        """Return the slots by when they were last told, as if nothing forgotten had been said."""
        told = ((turn_id, slot) for turn_id, (_, slots) in self._of.items() for slot in slots)
        place = {pair: n for n, pair in enumerate(told)}
        slots = self._slots[user].items()
        return dict(sorted(slots, key=lambda slot: place[slot[1][-1][0].id, slot[0]]))

    def current(self, user: str) -> list[Item]:
        """Return the facts that hold, the most important first, then the newest.

        The score of an item is its importance; its sources are the turns that gave this value
        since the last one that gave another, in dialogue order.
        """
        if user not in self._items:
            newest = reversed(self._slots.get(user, {}).values())
            made = [self._item(told) for told in newest]
            self._items[user] = sorted(made, key=lambda item: -item.score)
        return self._items[user]

    def _item(self, told: Sequence[tuple[Turn, Fact]]) -> Item:
        run = list(_last_run(told))
        text = run[0][1].text
        sources = dict.fromkeys(turn.id for turn, _ in reversed(run))
        return Item(text, tuple(sources), "fact", self._importance.importance(text))

    def versions(self, user: str) -> dict[str, list[Fact]]:
        """Return all that was stated, by slot, oldest first."""
        return {
            slot: [fact for _, fact in told] for slot, told in self._slots.get(user, {}).items()
        }

    def held(self) -> Iterator[Held]:
        """Yield the facts kept, superseded ones too."""
        for slots in self._slots.values():
            for told in slots.values():
                yield from (Held("fact", fact.text, turn.time) for turn, fact in told)

    def stats(self) -> dict[str, int | float]:
        """Return how many facts hold, were merged into the same one, and are superseded."""
        told = [slot for slots in self._slots.values() for slot in slots.values()]
        runs = [len(list(_last_run(slot))) for slot in told]
        return {
            "facts": len(told),
            "facts merged": sum(runs) - len(runs),
            "facts superseded": sum(map(len, told)) - sum(runs),
        }


def _last_run(told: Sequence[tuple[Turn, Fact]]) -> Iterator[tuple[Turn, Fact]]:
    """Yield the newest statement and those before it that say the same, newest first."""
    value = _value(told[-1][1])
    for turn, fact in reversed(told):
        if _value(fact) != value:
            return
        yield turn, fact


def _value(fact: Fact) -> tuple[str, str]:
    return fact.predicate, normal(fact.object)
