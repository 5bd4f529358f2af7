"""Plan a conversation: which facts are said where, and what is asked about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from memlab.errors import DataError
from memlab.synthetic.asks import Ask, Slot
from memlab.synthetic.draw import Draw, quota
from memlab.synthetic.layout import Layout
from memlab.synthetic.ledger import Ledger, Person, Row
from memlab.synthetic.lexicon import FactType, Language, language
from memlab.synthetic.spec import DialogueSpec
from memlab.synthetic.values import Value, draw_value
from memlab.synthetic.world import people

ASSISTANT = "assistant"
OWN, SHARED = "own", "shared"
_TRIES = 60
_TRIES_AT_ONCE = 5
"""Tries with other facts before another distance is drawn, which would favour short ones."""


class NoRoom(Exception):  # noqa: N818 - it is no error: the planner tries elsewhere
    """There is no place left that fits."""


class Plan:
    """The facts of one conversation that are asked for, their places, and the questions.

    The facts that nobody asks for are made while the dialogue is written (`memlab.synthetic.
    talk`), so that a plan is as large as its questions and not as the dialogue.
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
        self.ledger = Ledger()
        self.slots: dict[int, Slot] = {}
        self.asks: list[Ask] = []
        self.forgets: dict[int, tuple[str, ...]] = {}
        self.taken: dict[tuple[str, str], str] = {}
        self.baits: set[tuple[str, str, Value | None]] = set()
        self.keys: dict[str, list[Value]] = {}
        self._given: dict[tuple[str, str], list[Value]] = {}
        self.open_share = 0.0
        self._undo: list[Callable[[], object]] = []
        self._cursors: dict[str, tuple[list[int], int]] = {}

    @property
    def id(self) -> str:
        """The id of the conversation."""
        return f"{self.spec.language}{self.number + 1}"

    @property
    def facts(self) -> Mapping[str, FactType]:
        """The fact types; their groups, topics and pools are the same in every language."""
        return self.words[0].facts

    def topic(self, fact: str) -> str:
        """Return the topic of a fact type; that of relations is the family."""
        known = self.facts.get(fact)
        return known.topic if known is not None else "family"

    def store(self, person: str) -> str:
        """Return the user whose store holds what concerns a person."""
        return self._stores[person]

    # Values

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
        for _ in range(_TRIES):
            value = self.value(kind, position)
            if value not in used:
                return value
        raise NoRoom

    # Places

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

    # Statements

    def state(
        self,
        fact: str,
        subject: str,
        value: Value,
        position: int,
        manner: str = "say",
        *,
        old: Value | None = None,
        **details: Any,  # noqa: ANN401 - fields of Row
    ) -> Row:
        """Enter a statement in the ledger and in the dialogue."""
        turn = f"t{position}"
        row = Row(
            id=f"f{position}",
            owner=self.store(subject),
            subject=subject,
            fact=fact,
            value=value,
            position=position,
            turn=turn,
            said_at=self.layout.time(position),
            said_by=details.pop("said_by", self.sayer(position)),
            group=self.facts[fact].group if fact in self.facts else "relation",
            **details,
        )
        self.ledger.add(row)
        self._undo.append(lambda: self.ledger.remove(row))
        self.fill(position, Slot(row.id, manner, old))
        if row.needs:
            self.fill(position - 1, Slot(row.id, "question"))
        return row

    def fill(self, position: int, slot: Slot) -> None:
        """Let a turn say something."""
        self.slots[position] = slot
        self._undo.append(lambda: self.slots.pop(position))

    def forget(self, row: Row, position: int) -> None:
        """Let the owner ask at a position to delete a statement."""
        self.fill(position, Slot(row.id, "forget"))
        self.forgets[position] = row.turns
        self.ledger.forget(row.id, position)
        self._undo.append(lambda: self.forgets.pop(position))

    def day_before(self, position: int) -> date:
        """Draw the day of an event that is told at a position."""
        return day_before(self.layout.time(position).date(), self.draw)

    # Subjects and facts

    def subject(self, owner: int | None = None, *, contact: bool | None = None) -> Person:
        """Draw whom a question is about: a speaker, or somebody a speaker knows."""
        speaker = self.draw.pick(self.speakers) if owner is None else self.speakers[owner]
        if contact is None:
            contact = self.draw.chance(self.spec.contacts)
        if not contact:
            return speaker
        known = [p for p in self.people.values() if p.owner == speaker.id and p.id != speaker.id]
        return self.draw.pick(known)

    def fresh(self, subject: str, *groups: str) -> FactType:
        """Reserve and return a fact type that nothing is said of yet for a subject.

        Raises:
            NoRoom: there is none.
        """
        free = [
            f
            for f in self.facts.values()
            if f.group in groups and (subject, f.id) not in self.taken
        ]
        if not free:
            raise NoRoom
        fact = self.draw.pick(free)
        self.reserve(subject, fact.id)
        return fact

    def reserve(self, subject: str, fact: str) -> None:
        """Keep a fact of a subject for one question.

        Raises:
            NoRoom: it is reserved already.
        """
        if (subject, fact) in self.taken:
            raise NoRoom
        self.taken[subject, fact] = OWN
        self._undo.append(lambda: self.taken.pop((subject, fact)))

    def shared(self, subject: str) -> FactType:
        """Return an event type of a subject of which each value is a matter of its own.

        "When did I visit Lisbon" and "when did I visit Malta" can be asked side by side; how
        many cities I visited can not.

        Raises:
            NoRoom: there is none.
        """
        free = [
            f
            for f in self.facts.values()
            if f.group == "event" and self.taken.get((subject, f.id)) != OWN
        ]
        if not free:
            raise NoRoom
        fact = self.draw.pick(free)
        self._share(subject, fact.id)
        return fact

    def _share(self, subject: str, fact: str) -> None:
        if (subject, fact) not in self.taken:
            self.taken[subject, fact] = SHARED
            self._undo.append(lambda: self.taken.pop((subject, fact)))

    def new_value(self, subject: str, fact: FactType, position: int) -> Value:
        """Return a value that nothing was planned with for this subject.

        Raises:
            NoRoom: all are used.
        """
        used = self._given.setdefault((subject, fact.id), [])
        value = self.other(fact.value, position, used)
        self._use(used, value)
        return value

    def _use(self, used: list[Value], value: Value) -> None:
        used.append(value)
        self._undo.append(lambda: used.remove(value))

    def new_key(self, fact: FactType, position: int) -> Value:
        """Return a key of a fact type that no other question is about.

        Raises:
            NoRoom: all are used.
        """
        used = self.keys.setdefault(fact.id, [])
        key = self.other(fact.key, position, used)
        self._use(used, key)
        return key

    def never(self, subject: str, fact: str, value: Value) -> None:
        """See to it that a value is never told of a subject.

        Raises:
            NoRoom: it is told already.
        """
        used = self._given.setdefault((subject, fact), [])
        if value in used:
            raise NoRoom
        self._use(used, value)
        self._share(subject, fact)

    def bait(self, subject: str, fact: str, value: Value | None) -> None:
        """Keep a fact, or one value of it, of everybody for a question on the wrong person."""
        bait = (self.store(subject), fact, value)
        if bait not in self.baits:
            self.baits.add(bait)
            self._undo.append(lambda: self.baits.discard(bait))

    def ask(self, **parts: Any) -> Ask:  # noqa: ANN401 - fields of Ask
        """Enter a question."""
        asked = Ask(**parts)
        self.asks.append(asked)
        return asked

    def attempt(self, ability: Ability, position: int, distance: int) -> bool:
        """Add the facts and the question of one probe; nothing where there is no room."""
        self._undo.clear()
        asked = len(self.asks)
        try:
            ability(self, position, distance)
        except NoRoom:
            del self.asks[asked:]
            while self._undo:
                self._undo.pop()()
            return False
        return True


def day_before(today: date, draw: Draw) -> date:
    """Draw the day of an event that is told today: mostly in the week before."""
    ago = draw.between(0, 6) if draw.chance(0.7) else draw.between(7, 40)
    return today - timedelta(days=ago)


Ability = Callable[[Plan, int, int], None]
"""Adds the facts and the question of one probe: (plan, position of the question, distance)."""


def make_plan(
    spec: DialogueSpec,
    number: int,
    abilities: Mapping[str, Ability],
    distract: Callable[[Plan], None],
) -> Plan:
    """Plan a conversation: its questions first, then what `distract` adds against them.

    Raises:
        DataError: the dialogue is too small for its questions.
    """
    plan = Plan(spec, number)
    for name in plan.draw.shuffled(quota(spec.abilities, spec.probes)):
        _placed(plan, name, abilities[name])
    distract(plan)
    plan.open_share = _open_share(plan)
    plan.asks.sort(key=lambda ask: ask.position)
    plan.ledger.close()
    return plan


def _open_share(plan: Plan) -> float:
    """Return how likely an open turn must state a fact for the share of facts to come out."""
    people = plan.spec.turns / 2 if plan.layout.paired else plan.spec.turns
    busy = sum(plan.sayer(position) != ASSISTANT for position in plan.slots)
    stated = sum(row.said_by in plan.people for row in plan.ledger)
    open_turns, missing = people - busy, plan.spec.facts * people - stated
    return min(1.0, max(0.0, missing / open_turns)) if open_turns > 0 else 0.0


def _placed(plan: Plan, name: str, ability: Ability) -> None:
    """Place one question; where no new fact is left, ask for one a second time, later."""
    moments = (moment for moment in _moments(plan) for _ in range(_TRIES_AT_ONCE))
    if any(plan.attempt(ability, *moment) for moment in moments):
        return
    if any(_asked_again(plan, name, distance) for _, distance in _moments(plan)):
        return
    raise DataError(
        f"no room for another question of {name!r} in {plan.spec.turns} turns and "
        f"{plan.spec.sessions} sessions",
        f"space for {plan.spec.probes} probes",
        "give more turns, or fewer probes",
    )


def _asked_again(plan: Plan, name: str, distance: int) -> bool:
    asked = [ask for ask in plan.asks if ask.category == name]
    if not asked:
        return False
    ask = plan.draw.pick(asked)
    said = plan.ledger.about(ask.subject, ask.fact, before=ask.position)
    last = said[-1].position if said else ask.position
    position = _when(plan, last + distance)
    if not ask.position < position <= plan.spec.turns:
        return False
    plan.asks.append(replace(ask, position=position))
    return True


def _when(plan: Plan, position: int) -> int:
    """Return the next place at or after `position` where the timing lets questions be asked."""
    if plan.spec.timing == "end":
        return plan.spec.turns
    if plan.spec.timing == "session":
        return plan.layout.ends[plan.layout.session(min(position, plan.spec.turns - 1))]
    return position


def _moments(plan: Plan) -> Iterator[tuple[int, int]]:
    """Yield places for a question, with its distance to the evidence."""
    spec, draw = plan.spec, plan.draw
    for _ in range(_TRIES):
        log = spec.distance == "log"
        distance = draw.log_uniform(spec.turns - 1) if log else draw.between(1, spec.turns - 1)
        end = spec.timing == "end"
        position = _when(plan, spec.turns if end else draw.between(distance, spec.turns))
        yield position, min(distance, position)
