"""Derive from the ledger what is true for a question: its evidence, its answer, its traps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

from memlab.synthetic.asks import Ask
from memlab.synthetic.ledger import Ledger, Row, trusted
from memlab.synthetic.values import Value


class Truth(NamedTuple):
    """What the ledger says: rows that answer, rows that mislead, rows that must not come.

    `answer` are the values of the answer, in order; `day` an answer that is a day, `number`
    one that is a count.
    """

    evidence: tuple[Row, ...] = ()
    stale: tuple[Row, ...] = ()
    forbidden: tuple[Row, ...] = ()
    answer: tuple[Value, ...] = ()
    day: date | None = None
    number: int | None = None
    answerable: bool = True


def truth(ask: Ask, ledger: Ledger, today: date, owner: str) -> Truth:
    """Return the truth for a question as the ledger stood when it was asked.

    `today` is the day of the question, `owner` the person whose store is asked.
    """
    said = ledger.about(ask.subject, ask.fact, before=ask.position, feeling=ask.kind == "feeling")
    if ask.key is not None:
        said = [row for row in said if row.key == ask.key]
    if ask.args:
        said = [row for row in said if row.value in ask.args]
    if any(row.negated for row in said):
        said = [row for row in said if row.negated == ask.negated]
    found = _KINDS[ask.kind](ask, said, today)
    if ask.via:
        related = ledger.about(owner, "relation", before=ask.position)
        hop = tuple(row for row in related if row.key is not None and row.key.text == ask.via)
        found = found._replace(evidence=hop + found.evidence)
    if ask.kind == "other_person":
        return Truth(evidence=_bait(ask, ledger), answerable=False)
    if ask.kind in ("own", "foreign"):
        return found._replace(forbidden=_foreign(ask, ledger))
    return found


def _current(_: Ask, said: Sequence[Row], __: date) -> Truth:
    kept = trusted(said)
    gone = tuple(row for row in said if row.forgotten)
    if not kept:
        return Truth(forbidden=gone, answerable=False)
    last = kept[-1]
    holding = [row for row in kept if row.value == last.value]
    stale = [row for row in said if not row.forgotten and row.value != last.value]
    return Truth((holding[-1],), tuple(stale), gone, (last.value,))


def _past(ask: Ask, said: Sequence[Row], _: date) -> Truth:
    held = [row for row in trusted(said) if ask.as_of and row.valid_from <= ask.as_of]
    return Truth((held[-1],), answer=(held[-1].value,))


def _history(_: Ask, said: Sequence[Row], __: date) -> Truth:
    kept = tuple(trusted(said))
    return Truth(kept, answer=tuple(row.value for row in kept))


def _list(_: Ask, said: Sequence[Row], __: date) -> Truth:
    return Truth(tuple(said), answer=tuple(row.value for row in said))


def _count(_: Ask, said: Sequence[Row], __: date) -> Truth:
    return Truth(tuple(said), number=len({row.value for row in said}))


def _when(_: Ask, said: Sequence[Row], __: date) -> Truth:
    return Truth((said[-1],), day=said[-1].day)


def _ago(_: Ask, said: Sequence[Row], today: date) -> Truth:
    return Truth((said[-1],), number=(today - said[-1].valid_from).days)


def _order(_: Ask, said: Sequence[Row], __: date) -> Truth:
    first = min(said, key=lambda row: row.valid_from)
    return Truth(tuple(said), answer=(first.value,))


def _nth(ask: Ask, said: Sequence[Row], _: date) -> Truth:
    by_day = sorted(said, key=lambda row: row.valid_from)
    chosen = by_day[ask.n if ask.n < 0 else ask.n - 1]
    return Truth(tuple(said), answer=(chosen.value,))


def _relative(ask: Ask, said: Sequence[Row], _: date) -> Truth:
    rows = tuple(row for row in said if row.day == ask.as_of)
    return Truth(rows, answer=tuple(row.value for row in rows))


def _unknown(_: Ask, __: Sequence[Row], ___: date) -> Truth:
    return Truth(answerable=False)


def _of_others(ask: Ask, ledger: Ledger) -> dict[str, list[Row]]:
    """Return what was said on the matter of a question of other people, by person."""
    found: dict[str, list[Row]] = {}
    for row in ledger.on(ask.fact, before=ask.position):
        asked = not ask.args or row.value in ask.args
        if row.subject != ask.subject and not row.feeling and asked:
            found.setdefault(row.subject, []).append(row)
    return found


def _bait(ask: Ask, ledger: Ledger) -> tuple[Row, ...]:
    """Return what is known of others of the same store, by the best source for each."""
    rows = [row for said in _of_others(ask, ledger).values() for row in trusted(said)]
    own = (row for row in rows if row.owner == ask.owner)
    return tuple(sorted(own, key=lambda row: row.position))


def _foreign(ask: Ask, ledger: Ledger) -> tuple[Row, ...]:
    """Return what the users of other stores said of themselves."""
    rows = (row for said in _of_others(ask, ledger).values() for row in said)
    theirs = (row for row in rows if row.owner != ask.owner and row.subject == row.said_by)
    return tuple(sorted(theirs, key=lambda row: row.position))


_KINDS: dict[str, Callable[[Ask, Sequence[Row], date], Truth]] = {
    "current": _current,
    "deleted": _current,
    "restated": _current,
    "negated": _current,
    "own": _current,
    "feeling": _current,
    "past": _past,
    "history": _history,
    "list": _list,
    "count": _count,
    "when": _when,
    "ago": _ago,
    "order": _order,
    "nth": _nth,
    "relative": _relative,
    "never": _unknown,
    "other_person": _unknown,
    "foreign": _unknown,
}
