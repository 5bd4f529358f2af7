"""Distractors: the same attribute of other people, other attributes of the same person."""

from __future__ import annotations

from functools import partial

from memlab.synthetic.asks import Ask, Slot
from memlab.synthetic.facts import several
from memlab.synthetic.plan import Plan
from memlab.synthetic.stage import NoRoom

_GROUPS = ("state", "event", "set", "preference")


def add_rivals(plan: Plan) -> None:
    """State distractors for every question, as many as the dials say on average.

    Where no place is left fewer are stated; the dials of a probe tell how many there are.
    """
    spec, draw = plan.spec, plan.draw
    for ask in list(plan.asks):
        if ask.kind == "other_person":
            continue  # it has its own: what was said of another
        keyed = ask.key is not None
        rival = _mention if keyed else _other_person
        for _ in range(int(spec.same_attribute + draw.unit())):
            plan.attempt(partial(rival, ask), ask.position, 0)
        for _ in range(int(spec.same_person + draw.unit())):
            plan.attempt(partial(_other_fact, ask), ask.position, 0)


def _other_person(ask: Ask, plan: Plan, position: int, _: int) -> None:
    owner = plan.people[ask.subject].owner
    known = [p for p in plan.people.values() if p.owner == owner and p.id != ask.subject]
    free = [person for person in known if (person.id, ask.fact) not in plan.taken]
    if not free:
        raise NoRoom
    person = plan.draw.pick(free)
    plan.reserve(person.id, ask.fact)
    several(plan, person, plan.facts[ask.fact], position, plan.draw.between(1, position), 1)


def _mention(ask: Ask, plan: Plan, position: int, _: int) -> None:
    """Talk of what is asked about without telling it: of a device, an order, an event."""
    feeling = ask.kind == "feeling"
    said = plan.ledger.about(ask.subject, ask.fact, before=position, feeling=feeling)
    row = next(row for row in said if row.key == ask.key)
    sayer = plan.people[ask.subject].owner
    place = plan.spot(sayer, plan.draw.below(position), -1, position)
    plan.fill(place, Slot(row.id, "mention"))


def _other_fact(ask: Ask, plan: Plan, position: int, _: int) -> None:
    person = plan.people[ask.subject]
    fact = plan.fresh(person.id, *_GROUPS)
    several(plan, person, fact, position, plan.draw.between(1, position), 1)
