"""Plan a conversation: which facts are said where, and what is asked about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from memlab.errors import DataError
from memlab.synthetic.asks import Ask, Slot
from memlab.synthetic.draw import Draw, quota
from memlab.synthetic.ledger import Ledger, Person, Row
from memlab.synthetic.reserve import Reserve
from memlab.synthetic.spec import DialogueSpec
from memlab.synthetic.stage import ASSISTANT, TRIES, NoRoom
from memlab.synthetic.values import Value

_TRIES_AT_ONCE = 5
"""Tries with other facts before another distance is drawn, which would favour short ones."""


class Plan(Reserve):
    """The facts of one conversation that are asked for, their places, and the questions.

    The facts that nobody asks for are made while the dialogue is written (`memlab.synthetic.
    filler`), so that a plan is as large as its questions and not as the dialogue.
    """

    def __init__(self, spec: DialogueSpec, number: int) -> None:
        super().__init__(spec, number)
        self.ledger = Ledger()
        self.asks: list[Ask] = []
        self.forgets: dict[int, tuple[str, ...]] = {}
        self.open_share = 0.0

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
        self.undoing.append(lambda: self.ledger.remove(row))
        self.fill(position, Slot(row.id, manner, old))
        if row.needs:
            self.fill(position - 1, Slot(row.id, "question"))
        return row

    def forget(self, row: Row, position: int) -> None:
        """Let the owner ask at a position to delete a statement."""
        self.fill(position, Slot(row.id, "forget"))
        self.forgets[position] = row.turns
        self.ledger.forget(row.id, position)
        self.undoing.append(lambda: self.forgets.pop(position))

    def day_before(self, position: int) -> date:
        """Draw the day of an event that is told at a position."""
        return day_before(self.layout.time(position).date(), self.draw)

    def subject(self, owner: int | None = None, *, contact: bool | None = None) -> Person:
        """Draw whom a question is about: a speaker, or somebody a speaker knows."""
        speaker = self.draw.pick(self.speakers) if owner is None else self.speakers[owner]
        if contact is None:
            contact = self.draw.chance(self.spec.contacts)
        if not contact:
            return speaker
        known = [p for p in self.people.values() if p.owner == speaker.id and p.id != speaker.id]
        return self.draw.pick(known)

    def ask(
        self,
        position: int,
        person: Person,
        category: str,
        kind: str,
        fact: str,
        **parts: Any,  # noqa: ANN401 - fields of Ask
    ) -> None:
        """Enter a question on a person, put to the store that holds what concerns them."""
        self.asks.append(
            Ask(
                position=position,
                owner=self.store(person.id),
                category=category,
                kind=kind,
                subject=person.id,
                fact=fact,
                **parts,
            )
        )

    def attempt(self, ability: Ability, position: int, distance: int) -> bool:
        """Add the facts and the question of one probe; nothing where there is no room."""
        self.undoing.clear()
        asked = len(self.asks)
        try:
            ability(self, position, distance)
        except NoRoom:
            del self.asks[asked:]
            while self.undoing:
                self.undoing.pop()()
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
    for _ in range(TRIES):
        log = spec.distance == "log"
        distance = draw.log_uniform(spec.turns - 1) if log else draw.between(1, spec.turns - 1)
        end = spec.timing == "end"
        position = _when(plan, spec.turns if end else draw.between(distance, spec.turns))
        yield position, min(distance, position)
