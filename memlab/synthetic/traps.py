"""Questions that set a trap: for what was not said, was deleted, is another's, or looks alike."""

from __future__ import annotations

from memlab.synthetic.facts import one, several
from memlab.synthetic.ledger import Person
from memlab.synthetic.plan import Plan
from memlab.synthetic.reserve import OWN
from memlab.synthetic.stage import NoRoom
from memlab.synthetic.values import Value, neighbour


def abstention(plan: Plan, position: int, distance: int) -> None:
    """Ask for what was never said, or was said of somebody else."""
    draw, person = plan.draw, plan.subject()
    kind = draw.weighted({"never": 0.3, "other_person": 0.4, "other_event": 0.3})
    if kind == "other_event":
        _other_event(plan, person, position, distance)
        return
    fact = plan.fresh(person.id, "state", "preference")
    if kind == "other_person":
        other = _somebody_else(plan, person)
        plan.reserve(other.id, fact.id)
        plan.bait(person.id, fact.id, None)
        one(plan, other, fact, position, distance)
    elif person.id != person.owner:  # somebody of whom nothing at all is known is no question
        known = plan.fresh(person.id, "state")
        one(plan, person, known, position, distance)
    plan.ask(position, person, "abstention", kind, fact.id)


def _other_event(plan: Plan, person: Person, position: int, distance: int) -> None:
    """Ask when somebody did what somebody else did."""
    other = _somebody_else(plan, person)
    fact = plan.shared(other.id)
    if plan.taken.get((person.id, fact.id)) == OWN:
        raise NoRoom
    rows = several(plan, other, fact, position, distance, 1)
    plan.never(person.id, fact.id, rows[0].value)
    plan.bait(person.id, fact.id, rows[0].value)
    args = (rows[0].value,)
    plan.ask(position, person, "abstention", "other_person", fact.id, args=args)


def _somebody_else(plan: Plan, person: Person) -> Person:
    """Draw whom a fact is told of that is asked of `person`; in a chat mostly the other one."""
    if not plan.layout.paired and plan.draw.chance(0.7):
        return plan.draw.pick([p for p in plan.speakers if p != person])
    others = [p for p in plan.people.values() if p.owner == person.owner and p != person]
    return plan.draw.pick(others)


def deletion(plan: Plan, position: int, distance: int) -> None:
    """Ask for what was deleted, or for what was said anew after a deletion."""
    draw, person = plan.draw, plan.subject()
    fact = plan.fresh(person.id, "state")
    kind = draw.weighted({"deleted": 0.6, "restated": 0.4})
    if kind == "restated":
        new = plan.spot(person.owner, position - distance, -1, position)
        gap = plan.spot(person.owner, draw.below(new + 1), -1, new)
        at = plan.spot(person.owner, draw.below(gap + 1), -1, gap)
    else:
        at = plan.spot(person.owner, position - distance, -1, position)
        gap = plan.spot(person.owner, draw.between(at + 1, position), at, position)
    first = plan.value(fact.value, position)
    row = plan.state(fact.id, person.id, first, at)
    if kind == "restated":
        plan.state(fact.id, person.id, plan.other(fact.value, position, [first]), new)
    plan.forget(row, gap)
    plan.ask(position, person, "deletion", kind, fact.id)


def isolation(plan: Plan, position: int, distance: int) -> None:
    """Ask for a fact of which another user of the store has one of their own."""
    draw = plan.draw
    one_user, other_user = draw.shuffled(plan.speakers)[:2]
    kind = draw.weighted({"own": 0.6, "foreign": 0.4})
    fact = plan.fresh(one_user.id, "state")
    for speaker in plan.speakers:
        if speaker != one_user:
            plan.reserve(speaker.id, fact.id)
    used: list[Value] = []
    want = position - distance
    if kind == "own":
        used.append(one(plan, one_user, fact, position, distance).value)
        want = draw.below(position)
    theirs = plan.other(fact.value, position, used)
    plan.state(fact.id, other_user.id, theirs, plan.spot(other_user.id, want, -1, position))
    plan.ask(position, one_user, "isolation", kind, fact.id)


def near_duplicate(plan: Plan, position: int, distance: int) -> None:
    """Ask for one of two facts that differ in a number, a date or a negation."""
    draw, person = plan.draw, plan.subject(contact=False)
    fact = draw.pick(plan.of("twin"))
    keyed = bool(fact.key)
    if not keyed:
        person = plan.subject()
        plan.reserve(person.id, fact.id)
        plan.reserve(person.id, "allergy")  # "what can I not eat" would ask for both
    first = plan.value(fact.value, position)
    second = neighbour(first, draw) if keyed else plan.other(fact.value, position, [first])
    at = plan.spot(person.owner, position - distance, -1, position)
    earlier = plan.spot(person.owner, draw.below(at + 1), -1, at)
    rows = []
    for place, value in ((earlier, first), (at, second)):
        key = plan.new_key(fact, position) if keyed else None
        negated = not keyed and place == at
        rows.append(plan.state(fact.id, person.id, value, place, key=key, negated=negated))
    asked = draw.pick(rows)
    kind = "negated" if asked.negated else "current"
    plan.ask(position, person, "near_duplicate", kind, fact.id, key=asked.key)
