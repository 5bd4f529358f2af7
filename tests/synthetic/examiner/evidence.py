"""Whether evidence, stale turns and answers of an answerable probe follow from the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from examiner.meaning import Finding, Question, about, solve
from examiner.values import in_order, means, means_day, means_number
from memlab.synthetic.ledger import Row
from memlab.synthetic.values import Value

PLAIN = ("current", "restated", "own", "negated")


def answer_faults(answers: tuple[str, ...], found: Finding, question: Question) -> Iterator[str]:
    """Yield the answers that are not what the rows give."""
    if not answers:
        yield f"has no answers; the ledger gives {found.answer}"
    for text in answers:
        if reason := _wrong(text, found, question):
            yield reason


def _wrong(text: str, found: Finding, question: Question) -> str:
    answer, words = found.answer, question.words
    if isinstance(answer, Value):
        right = means(text, answer, words)
    elif isinstance(answer, date):
        right = means_day(text, answer)
    elif isinstance(answer, int):
        right = means_number(text, answer)
    else:
        return in_order(text, tuple(answer), words, ordered=isinstance(answer, tuple))
    return "" if right else f"answer {text!r}, the ledger gives {answer}"


def turns_of(rows: Iterable[Row]) -> set[str]:
    """Return the turns that say some rows."""
    return {turn for row in rows for turn in row.turns}


def evidence_faults(
    evidence: tuple[str, ...], known: list[Row], found: Finding, question: Question
) -> Iterator[str]:
    """Yield what is missing, superfluous, insufficient or not necessary, and rival evidence."""
    given, wanted = set(evidence), turns_of(found.rows)
    if missing := wanted - given:
        yield f"evidence lacks {sorted(missing)}"
    if extra := given - wanted:
        yield f"evidence has {sorted(extra)} besides"
    alone = solve(_said_in(known, given), question)
    if alone is None or alone.answer != found.answer:
        yield f"evidence does not suffice: it gives {alone and alone.answer}"
    for turn in evidence:
        without = solve(_said_in(known, given - {turn}), question)
        if without is not None and alone is not None and without.basis == alone.basis:
            yield f"evidence {turn} is not necessary"
    rest = solve((row for row in known if given.isdisjoint(row.turns)), question)
    if rest is not None and rest.answer == found.answer:
        yield f"other turns answer as well: {sorted(turns_of(rest.rows))}"


def _said_in(rows: Iterable[Row], turns: set[str]) -> list[Row]:
    return [row for row in rows if turns.issuperset(row.turns)]


def stale_faults(
    stale: tuple[str, ...], known: list[Row], found: Finding, question: Question
) -> Iterator[str]:
    """Yield what differs from the superseded and less reliable values of what is asked for."""
    evidence = turns_of(found.rows)
    others = [row for row in about(known, question) if row not in found.rows]
    if question.kind in PLAIN:
        denied = question.kind == "negated"
        others = [r for r in others if r.negated == denied and r.value != found.answer]
        if missing := turns_of(others) - set(stale) - evidence:
            yield f"stale lacks {sorted(missing)}"
    if extra := set(stale) - turns_of(others):
        yield f"stale has {sorted(extra)} besides"
