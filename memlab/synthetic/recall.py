"""Questions for what was said: one function for each ability plans the facts and asks."""

from __future__ import annotations

from datetime import timedelta

from memlab.synthetic.asks import Slot
from memlab.synthetic.facts import chain, one, several
from memlab.synthetic.ledger import HEARSAY
from memlab.synthetic.plan import Plan
from memlab.synthetic.stage import NoRoom
from memlab.synthetic.values import Value, draw_feeling


def single_fact(plan: Plan, position: int, distance: int) -> None:
    """Ask for one fact; a share of them has changed before."""
    person = plan.subject()
    fact = plan.fresh(person.id, "state")
    changes = plan.draw.between(1, 2) if plan.draw.chance(plan.spec.updates) else 0
    chain(plan, person, fact, position, distance, changes)
    plan.ask(position, person, "single_fact", "current", fact.id)


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
    plan.ask(position, person, "update", kind, fact.id, as_of=as_of)


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
    plan.ask(position, person, "contradiction", "current", fact.id)


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
    plan.ask(position, person, "multi_hop", "current", fact.id, via=person.relation)


def aggregation(plan: Plan, position: int, distance: int) -> None:
    """Ask for all values of a set, or for their number; they are spread over the sessions."""
    person = plan.subject()
    fact = plan.fresh(person.id, plan.draw.pick(("event", "set")))
    several(plan, person, fact, position, distance, plan.draw.between(2, plan.spec.set_size))
    kind = plan.draw.weighted({"list": 0.6, "count": 0.4})
    plan.ask(position, person, "aggregation", kind, fact.id)


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
    plan.ask(
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
    plan.ask(position, person, "preference", "current", fact.id)


def procedure(plan: Plan, position: int, distance: int) -> None:
    """Ask how something is done, or what was learnt from a mishap."""
    person = plan.subject(contact=False)
    fact = plan.draw.pick(plan.of("procedure", "lesson"))
    row = one(plan, person, fact, position, distance, key=plan.new_key(fact, position))
    plan.ask(position, person, "procedure", "current", fact.id, key=row.key)


def assistant(plan: Plan, position: int, distance: int) -> None:
    """Ask what the assistant (in a chat: the other person) once advised, or advised in all."""
    draw, person = plan.draw, plan.subject(contact=False)
    fact = draw.pick(plan.of("advice"))
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
    plan.ask(position, person, "assistant", kind, fact.id, key=key)


def tool(plan: Plan, position: int, distance: int) -> None:
    """Ask for what a tool returned."""
    person = plan.subject(contact=False)
    fact = plan.draw.pick(plan.of("tool"))
    asked = plan.spot(person.id, position - distance - 2, -1, position - 3, after=3)
    key, value = plan.new_key(fact, position), plan.value(fact.value, position)
    row = plan.state(fact.id, person.id, value, asked + 2, "result", key=key, said_by="tool")
    for place, manner in ((asked, "tool_ask"), (asked + 1, "call"), (asked + 3, "tool_ack")):
        plan.fill(place, Slot(row.id, manner))
    plan.ask(position, person, "tool", "current", fact.id, key=key)


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
    plan.ask(position, person, "emotion", "feeling", fact.id, key=event)
