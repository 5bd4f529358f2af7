"""Statements that belong together: one fact, its changes in time, several of one kind."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memlab.synthetic.ledger import Person, Row
from memlab.synthetic.lexicon import FactType
from memlab.synthetic.plan import Plan
from memlab.synthetic.stage import NoRoom


def one(
    plan: Plan,
    person: Person,
    fact: FactType,
    position: int,
    distance: int,
    manner: str = "say",
    **details: Any,  # noqa: ANN401 - fields of Row
) -> Row:
    """State one fact so many turns before `position`; some as the bare answer to a question."""
    want = position - distance
    if manner == "say" and not details and plan.draw.chance(plan.spec.ellipsis):
        at = plan.spot(person.owner, want, 0, position, before=1)
        manner, details = "bare", {"needs": f"t{at - 1}"}
    else:
        at = plan.spot(person.owner, want, -1, position)
    details["hinted"] = manner == "hint"
    return plan.state(fact.id, person.id, plan.value(fact.value, at), at, manner, **details)


def chain(
    plan: Plan,
    person: Person,
    fact: FactType,
    position: int,
    distance: int,
    changes: int,
    *,
    open_old: bool = True,
    late: bool = False,
) -> list[Row]:
    """State a fact and its changes, the last one so many turns before `position`.

    `open_old` lets a change name the value before; `late` lets some say since when it holds.
    """
    if not changes:
        return [one(plan, person, fact, position, distance)]
    places = _places(plan, person.owner, position, distance, changes + 1)
    rows: list[Row] = []
    for place in places:
        old = rows[-1].value if rows else None
        value = plan.other(fact.value, place, [row.value for row in rows])
        manner = "change" if rows and plan.draw.chance(0.6) else "say"
        day = None
        if late and rows and plan.draw.chance(0.5):
            earliest = rows[-1].valid_from + timedelta(days=1)
            day = max(earliest, plan.day_before(place))
            day = day if day < plan.layout.time(place).date() else None
        rows.append(
            plan.state(
                fact.id, person.id, value, place, manner, old=old if open_old else None, day=day
            )
        )
    return rows


def several(
    plan: Plan, person: Person, fact: FactType, position: int, distance: int, count: int
) -> list[Row]:
    """State values of one kind; events lie on different days, set values hold together."""
    rows: list[Row] = []
    for place in _places(plan, person.owner, position, distance, count):
        day = None
        if fact.group == "event":
            day = plan.day_before(place)
            used = {row.day for row in rows}
            while day in used:
                day -= timedelta(days=1)
        value = plan.new_value(person.id, fact, place)
        rows.append(plan.state(fact.id, person.id, value, place, day=day))
    return rows


def _places(plan: Plan, sayer: str, position: int, distance: int, count: int) -> list[int]:
    """Return places for statements in order, the last so many turns before `position`.

    The others lie anywhere before it.

    Raises:
        NoRoom: there are too few.
    """
    places = [plan.spot(sayer, position - distance, -1, position)]
    for _ in range(count - 1):
        for _ in range(8):
            place = plan.spot(sayer, plan.draw.below(places[0] + 1), -1, max(places))
            if place not in places:
                places.append(place)
                break
        else:
            raise NoRoom
    return sorted(places)
