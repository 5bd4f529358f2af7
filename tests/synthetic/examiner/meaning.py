"""What a question means: its answer, worked out from rows alone.

`answer` is what must be said, `basis` what it was worked out from: the same for the kinds that
pick one member of a set (the first of the trips is known only if all of them are), so that a
row is necessary if the basis changes without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from examiner.values import means, same_written
from examiner.words import Words
from memlab.synthetic.ledger import Person, Row
from memlab.synthetic.values import Value

Answer = Value | date | int | tuple[Value, ...] | frozenset[Value]
FIRST_HAND = 1.0


class Question(NamedTuple):
    """What a probe asks, in terms of the ledger; `asker` is who says "I", if anybody."""

    kind: str
    subject: str
    fact: str
    key: str
    args: tuple[str, ...]
    via: str
    n: int
    as_of: date | None
    today: date
    asker: str
    words: Words
    people: Mapping[str, Person]


class Finding(NamedTuple):
    """An answer, the rows it rests on, and what makes it doubtful."""

    answer: Answer
    rows: tuple[Row, ...]
    basis: object
    doubt: str = ""


Solver = Callable[[Sequence[Row], Question], Finding | None]


def about(rows: Sequence[Row], question: Question) -> list[Row]:
    """Return the rows on the question's subject, fact and key, hearsay too, in order said."""
    found = [
        row
        for row in rows
        if row.fact == question.fact
        and row.subject == question.subject
        and not row.feeling
        and (not question.key or same_written(question.key, row.key, question.words))
    ]
    return sorted(found, key=lambda row: (row.position, row.id))


def first_hand(rows: Sequence[Row], question: Question) -> list[Row]:
    """Return those of them that the speaker knows at first hand."""
    return [row for row in about(rows, question) if row.authority == FIRST_HAND]


def holding(rows: Sequence[Row], day: date) -> tuple[Row, str] | None:
    """Return the row whose value holds on a day, and a doubt if two readings differ.

    The value said last of those begun by then, and the value begun last, must be one.
    """
    begun = [row for row in rows if row.valid_from <= day]
    if not begun:
        return None
    said = max(begun, key=lambda row: row.position)
    latest = max(begun, key=lambda row: (row.valid_from, row.position))
    doubt = "" if said.value == latest.value else f"{said.id} was said last, {latest.id} began last"
    return said, doubt


def current(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find the value that holds now."""
    if question.via:
        return _through(rows, question)
    own = [row for row in first_hand(rows, question) if not row.negated]
    return _state(own, question.today)


def _state(rows: Sequence[Row], day: date) -> Finding | None:
    found = holding(rows, day)
    if found is None:
        return None
    row, doubt = found
    return Finding(row.value, (row,), row.value, doubt)


def _through(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find who the relation is, then what is known of that person."""
    links = [
        row
        for row in rows
        if row.fact == "relation"
        and row.subject == question.people[question.subject].owner
        and row.key is not None
        and row.key.text == question.via
    ]
    if not links:
        return None
    link = links[-1]
    persons = [p for p in question.people.values() if is_called(p, link, question.words)]
    if not persons:
        return None
    found = current(rows, question._replace(via="", subject=persons[0].id))
    if found is None:
        return None
    doubt = found.doubt
    if len(persons) > 1:
        doubt = f"{link.value.text} may be any of {', '.join(p.id for p in persons)}"
    if persons[0].id != question.subject:
        doubt = f"the {question.via} is {persons[0].id}, not {question.subject}"
    return Finding(found.answer, (link, *found.rows), found.basis, doubt)


def is_called(person: Person, link: Row, words: Words) -> bool:
    """Tell whether a relation row names a person."""
    return person.owner == link.subject and means(person.name, link.value, words)


def past(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find the value that held on `as_of`."""
    return _state(first_hand(rows, question), question.as_of) if question.as_of else None


def history(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find all values in turn."""
    held = sorted(first_hand(rows, question), key=lambda row: (row.valid_from, row.position))
    values = tuple(row.value for row in held)
    doubt = "" if held == first_hand(rows, question) else "said in another order than begun"
    return Finding(values, tuple(held), values, doubt) if len(held) > 1 else None


def listed(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find all values of a set."""
    found = about(rows, question)
    values = frozenset(row.value for row in found)
    doubt = "" if len(values) == len(found) else "a value was said twice"
    if any(row.authority < FIRST_HAND for row in found):
        doubt = "a member is hearsay"
    return Finding(values, tuple(found), values, doubt) if found else None


def counted(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find the number of values of a set."""
    found = listed(rows, question)
    return found and found._replace(answer=len(found.rows))


def _event(rows: Sequence[Row], question: Question, arg: str) -> Finding | None:
    found = [r for r in first_hand(rows, question) if same_written(arg, r.value, question.words)]
    if not found:
        return None
    doubt = f"{len(found)} events with the value {arg!r}" if len(found) > 1 else ""
    row = found[-1]
    return Finding(row.valid_from, (row,), row.valid_from, doubt)


def when(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find the day of an event."""
    return _event(rows, question, question.args[0]) if question.args else None


def ago(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find how many days ago an event was."""
    found = when(rows, question)
    return found and found._replace(answer=(question.today - found.rows[0].valid_from).days)


def order(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find which of two events was first."""
    both = [_event(rows, question, arg) for arg in question.args]
    events = [event for event in both if event]
    if len(events) != 2 or len(both) != 2:
        return None
    pair = sorted((e.rows[0] for e in events), key=lambda row: row.valid_from)
    doubt = "on the same day" if pair[0].valid_from == pair[1].valid_from else ""
    doubt = doubt or events[0].doubt or events[1].doubt
    return Finding(pair[0].value, tuple(pair), pair[0].value, doubt)


def nth(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find the n-th of the events by day; -1 is the last."""
    found = sorted(first_hand(rows, question), key=lambda row: row.valid_from)
    place = question.n - 1 if question.n > 0 else question.n
    if not found or not -len(found) <= place < len(found):
        return None
    row = found[place]
    same = [r for r in found if r.valid_from == row.valid_from]
    doubt = f"{len(same)} events on {row.valid_from}" if len(same) > 1 else ""
    return Finding(row.value, tuple(found), tuple(r.value for r in found), doubt)


def relative(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find the event of the day `as_of`."""
    found = [r for r in first_hand(rows, question) if r.valid_from == question.as_of]
    if not found:
        return None
    doubt = f"{len(found)} events on {question.as_of}" if len(found) > 1 else ""
    return Finding(found[-1].value, (found[-1],), found[-1].value, doubt)


def feeling(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find how somebody felt about an event."""
    found = [
        row
        for row in rows
        if row.feeling
        and (row.fact, row.subject) == (question.fact, question.subject)
        and same_written(question.key, row.key, question.words)
    ]
    if not found:
        return None
    doubt = f"{len(found)} feelings about {question.key!r}" if len(found) > 1 else ""
    return Finding(found[-1].value, (found[-1],), found[-1].value, doubt)


def negated(rows: Sequence[Row], question: Question) -> Finding | None:
    """Find the value that is denied."""
    return _state([r for r in first_hand(rows, question) if r.negated], question.today)


SOLVERS: dict[str, Solver] = {
    "current": current,
    "restated": current,
    "own": current,
    "past": past,
    "history": history,
    "list": listed,
    "count": counted,
    "when": when,
    "ago": ago,
    "order": order,
    "nth": nth,
    "relative": relative,
    "feeling": feeling,
    "negated": negated,
}
UNANSWERABLE = ("never", "other_person", "deleted", "foreign")


def solve(rows: Iterable[Row], question: Question) -> Finding | None:
    """Return the answer that some rows give."""
    return SOLVERS[question.kind](list(rows), question)
