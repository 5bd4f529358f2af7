"""What is asked: one function for each ability, which plans the facts and the question."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memlab.synthetic.asks import Slot
from memlab.synthetic.facts import chain, one, several
from memlab.synthetic.ledger import HEARSAY, Person
from memlab.synthetic.plan import OWN, Ability, NoRoom, Plan
from memlab.synthetic.values import Value, draw_feeling, neighbour


def single_fact(plan: Plan, position: int, distance: int) -> None:
    """Ask for one fact; a share of them has changed before."""
    person = plan.subject()
    fact = plan.fresh(person.id, "state")
    changes = plan.draw.between(1, 2) if plan.draw.chance(plan.spec.updates) else 0
    chain(plan, person, fact, position, distance, changes)
    _ask(plan, position, person, "single_fact", "current", fact.id)


def update(plan: Plan, position: int, distance: int) -> None:
    """Ask for a fact that has changed: now, on a day in the past, or how it changed."""
    person = plan.subject()
    fact = plan.fresh(person.id, "state")
    kind = plan.draw.weighted({"current": 0.5, "past": 0.25, "history": 0.25})
    changes = plan.draw.between(1, 4 if kind == "current" else 2)
    late = plan.draw.chance(0.3)
    rows = chain(
        plan, person, fact, position, distance, changes, open_old=kind == "current", late=late
    )
    as_of = None
    if kind == "past":
        earlier = plan.draw.below(len(rows) - 1)
        since, until = rows[earlier].valid_from, rows[earlier + 1].valid_from
        if (until - since).days < 2:
            raise NoRoom
        as_of = since + timedelta(days=plan.draw.between(1, (until - since).days - 1))
    _ask(plan, position, person, "update", kind, fact.id, as_of=as_of)


def contradiction(plan: Plan, position: int, distance: int) -> None:
    """Ask for a fact on which somebody less reliable says otherwise."""
    person = plan.subject(contact=True)
    fact = plan.fresh(person.id, "state")
    row = one(plan, person, fact, position, distance)
    wrong = plan.other(fact.value, row.position, [row.value])
    draw = plan.draw
    if draw.chance(0.7):
        want, low = draw.between(row.position + 1, position), row.position
    else:
        want, low = draw.below(row.position + 1), -1
    high = position if low >= 0 else row.position
    at = plan.spot(person.owner, want, low, high)
    plan.state(fact.id, person.id, wrong, at, "hearsay", authority=HEARSAY)
    _ask(plan, position, person, "contradiction", "current", fact.id)


def multi_hop(plan: Plan, position: int, distance: int) -> None:
    """Ask for a fact of somebody who is only known by what they are to a speaker."""
    draw = plan.draw
    known = [p for p in plan.people.values() if p.discreet and p.relation]
    person = draw.pick(known)
    fact = plan.fresh(person.id, "state", "preference")
    row = one(plan, person, fact, position, distance)
    if (person.owner, f"relation:{person.id}") not in plan.taken:
        plan.reserve(person.owner, f"relation:{person.id}")
        at = plan.spot(person.owner, draw.below(row.position + 1), -1, row.position)
        relation, name = Value("relation", 0, person.relation), Value("name", 0, person.name)
        plan.state("relation", person.owner, name, at, "relation", key=relation)
    elif not any(
        r.value.text == person.name
        for r in plan.ledger.about(person.owner, "relation", before=row.position)
    ):
        raise NoRoom
    _ask(plan, position, person, "multi_hop", "current", fact.id, via=person.relation)


def aggregation(plan: Plan, position: int, distance: int) -> None:
    """Ask for all values of a set, or for their number; they are spread over the sessions."""
    person = plan.subject()
    fact = plan.fresh(person.id, plan.draw.pick(("event", "set")))
    several(plan, person, fact, position, distance, plan.draw.between(2, plan.spec.set_size))
    kind = plan.draw.weighted({"list": 0.6, "count": 0.4})
    _ask(plan, position, person, "aggregation", kind, fact.id)


def temporal(plan: Plan, position: int, distance: int) -> None:
    """Ask when something happened, what came first, how long ago, or the n-th of a kind."""
    draw, person = plan.draw, plan.subject()
    kind = draw.weighted({"when": 0.4, "order": 0.2, "ago": 0.15, "nth": 0.15, "relative": 0.1})
    whole = kind in ("nth", "relative")  # these are about all events of their kind
    fact = plan.fresh(person.id, "event") if whole else plan.shared(person.id)
    count = {"order": 2, "nth": draw.between(2, min(3, plan.spec.set_size))}.get(kind, 1)
    rows = several(plan, person, fact, position, distance, count)
    today = plan.layout.asked(position).date()
    if kind in ("relative", "ago") and rows[-1].day == today:
        raise NoRoom
    _ask(
        plan,
        position,
        person,
        "temporal",
        kind,
        fact.id,
        args=() if whole else tuple(r.value for r in draw.shuffled(rows)),
        as_of=rows[-1].day if kind == "relative" else None,
        n=(draw.pick([*range(1, count), -1]) if kind == "nth" else 0),
    )


def preference(plan: Plan, position: int, distance: int) -> None:
    """Ask for a preference that was stated, or only implied."""
    person = plan.subject()
    fact = plan.fresh(person.id, "preference")
    manner = "hint" if plan.draw.chance(0.5) else "say"
    one(plan, person, fact, position, distance, manner)
    _ask(plan, position, person, "preference", "current", fact.id)


def procedure(plan: Plan, position: int, distance: int) -> None:
    """Ask how something is done, or what was learnt from a mishap."""
    person = plan.subject(contact=False)
    fact = plan.facts[plan.draw.pick(_ids(plan, "procedure", "lesson"))]
    row = one(plan, person, fact, position, distance, key=plan.new_key(fact, position))
    _ask(plan, position, person, "procedure", "current", fact.id, key=row.key)


def assistant(plan: Plan, position: int, distance: int) -> None:
    """Ask what the assistant (in a chat: the other person) once advised, or advised in all."""
    draw, person = plan.draw, plan.subject(contact=False)
    fact = plan.facts[draw.pick(_ids(plan, "advice"))]
    many = draw.chance(0.3)
    count = draw.between(2, plan.spec.set_size) if many else 1
    key = plan.new_key(fact, position)
    given: list[Value] = []
    last = asked = plan.spot(person.id, position - distance - 1, -1, position - 1, after=1)
    for number in range(count):
        if number:
            asked = plan.spot(person.id, draw.below(last + 1), -1, last, after=1)
        given.append(plan.other(fact.value, position, given))
        row = plan.state(fact.id, person.id, given[-1], asked + 1, key=key)
        plan.fill(asked, Slot(row.id, "advice_ask"))
    kind = "list" if many else "current"
    _ask(plan, position, person, "assistant", kind, fact.id, key=key)


def tool(plan: Plan, position: int, distance: int) -> None:
    """Ask for what a tool returned."""
    person = plan.subject(contact=False)
    fact = plan.facts[plan.draw.pick(_ids(plan, "tool"))]
    asked = plan.spot(person.id, position - distance - 2, -1, position - 3, after=3)
    key, value = plan.new_key(fact, position), plan.value(fact.value, position)
    row = plan.state(fact.id, person.id, value, asked + 2, "result", key=key, said_by="tool")
    for place, manner in ((asked, "tool_ask"), (asked + 1, "call"), (asked + 3, "tool_ack")):
        plan.fill(place, Slot(row.id, manner))
    _ask(plan, position, person, "tool", "current", fact.id, key=key)


def emotion(plan: Plan, position: int, distance: int) -> None:
    """Ask how somebody felt about an event."""
    person = plan.subject()
    fact = plan.shared(person.id)
    at = plan.spot(person.owner, position - distance, -1, position)
    told = plan.spot(person.owner, plan.draw.below(at + 1), -1, at)
    event = plan.new_value(person.id, fact, told)
    plan.state(fact.id, person.id, event, told, day=plan.day_before(told))
    feeling = draw_feeling(fact.id, plan.draw, plan.words[0])
    plan.state(fact.id, person.id, feeling, at, "feel", key=event, feeling=True)
    _ask(plan, position, person, "emotion", "feeling", fact.id, key=event)


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
    _ask(plan, position, person, "abstention", kind, fact.id)


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
    _ask(plan, position, person, "abstention", "other_person", fact.id, args=args)


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
    _ask(plan, position, person, "deletion", kind, fact.id)


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
    _ask(plan, position, one_user, "isolation", kind, fact.id)


def near_duplicate(plan: Plan, position: int, distance: int) -> None:
    """Ask for one of two facts that differ in a number, a date or a negation."""
    draw, person = plan.draw, plan.subject(contact=False)
    fact = plan.facts[draw.pick(_ids(plan, "twin"))]
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
    _ask(plan, position, person, "near_duplicate", kind, fact.id, key=asked.key)


def _ask(
    plan: Plan,
    position: int,
    person: Person,
    category: str,
    kind: str,
    fact: str,
    **parts: Any,  # noqa: ANN401 - fields of Ask
) -> None:
    plan.ask(
        position=position,
        owner=plan.store(person.id),
        category=category,
        kind=kind,
        subject=person.id,
        fact=fact,
        **parts,
    )


def _ids(plan: Plan, *groups: str) -> list[str]:
    return [fact.id for fact in plan.facts.values() if fact.group in groups]


ABILITY: dict[str, Ability] = {
    function.__name__: function
    for function in (
        single_fact, multi_hop, aggregation, temporal, update, contradiction, preference,
        procedure, assistant, tool, emotion, abstention, deletion, isolation, near_duplicate,
    )
}  # fmt: skip
