"""The stage of a conversation: its people, when and where they speak, what values there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memlab.synthetic.asks import Slot
from memlab.synthetic.draw import Draw
from memlab.synthetic.layout import Layout
from memlab.synthetic.ledger import Person
from memlab.synthetic.lexicon import FactType, Language, language
from memlab.synthetic.spec import DialogueSpec
from memlab.synthetic.values import Value, draw_value
from memlab.synthetic.world import people

ASSISTANT = "assistant"
TRIES = 60


class NoRoom(Exception):  # noqa: N818 - it is no error: the planner tries elsewhere
    """There is no place left that fits."""


class Stage:
    """Who speaks where in one conversation, which turns are taken, and values to draw.

    What is added while `undoing` is noted there, so that it can be taken back.
    """

    def __init__(self, spec: DialogueSpec, number: int) -> None:
        self.spec, self.number = spec, number
        self.layout = Layout(spec, number)
        self.words: tuple[Language, ...] = tuple(language(code) for code in spec.codes)
        self.people: dict[str, Person] = people(spec, number, self.words)
        shared = spec.users == 1
        self._stores = {
            p.id: self.id if shared else f"user{int(p.owner[1:]) + 1}" for p in self.people.values()
        }
        self.speakers = [p for p in self.people.values() if p.id == p.owner]
        self.draw = Draw(spec.seed, number, "plan")
        self.slots: dict[int, Slot] = {}
        self.undoing: list[Callable[[], object]] = []
        self._cursors: dict[str, tuple[list[int], int]] = {}

    @property
    def id(self) -> str:
        """The id of the conversation."""
        return f"{self.spec.language}{self.number + 1}"

    @property
    def facts(self) -> Mapping[str, FactType]:
        """The fact types; their groups, topics and pools are the same in every language."""
        return self.words[0].facts

    def of(self, *groups: str) -> list[FactType]:
        """Return the fact types of some groups."""
        return [fact for fact in self.facts.values() if fact.group in groups]

    def topic(self, fact: str) -> str:
        """Return the topic of a fact type; that of relations is the family."""
        known = self.facts.get(fact)
        return known.topic if known is not None else "family"

    def store(self, person: str) -> str:
        """Return the user whose store holds what concerns a person."""
        return self._stores[person]

    def value(self, kind: str, position: int) -> Value:
        """Draw a value; those of a pool come once each before any comes again."""
        if kind.startswith("@"):
            near = self.layout.time(min(position, self.spec.turns - 1)).date()
            return draw_value(kind, self.draw, self.words[0], near)
        order, at = self._cursors.get(kind, ([], 0))
        if at == len(order):
            order, at = self.draw.shuffled(range(len(self.words[0].pools[kind]))), 0
        self._cursors[kind] = (order, at + 1)
        return Value(kind, order[at])

    def other(self, kind: str, position: int, used: Sequence[Value]) -> Value:
        """Draw a value that is none of `used`."""
        for _ in range(TRIES):
            value = self.value(kind, position)
            if value not in used:
                return value
        raise NoRoom

    def spot(
        self, sayer: str, want: int, low: int, high: int, *, before: int = 0, after: int = 0
    ) -> int:
        """Return the free position nearest to `want` in (low, high) where `sayer` speaks.

        `before` and `after` are the numbers of neighbours in the same session that must be
        free as well.

        Raises:
            NoRoom: there is none.
        """
        low, high = max(low, -1), min(high, self.spec.turns)
        for offset in range(max(want - low, high - want) + 1):
            for position in (want - offset, want + offset) if offset else (want,):
                if low < position < high and self._fits(sayer, position, before, after):
                    return position
        raise NoRoom

    def _fits(self, sayer: str, position: int, before: int, after: int) -> bool:
        first, last = position - before, position + after
        if first < 0 or last >= self.spec.turns or self.sayer(position) != sayer:
            return False
        if any(p in self.slots for p in range(first, last + 1)):
            return False
        return self.layout.session(first) == self.layout.session(last)

    def sayer(self, position: int) -> str:
        """Return the person who speaks at a position, or the assistant."""
        session = self.layout.session(position)
        side = self.layout.side(position, session)
        if not self.layout.paired:
            return f"u{side}"
        return ASSISTANT if side else f"u{self.layout.owners[session]}"

    def fill(self, position: int, slot: Slot) -> None:
        """Let a turn say something."""
        self.slots[position] = slot
        self.undoing.append(lambda: self.slots.pop(position))
