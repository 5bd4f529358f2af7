"""Whether the text of a question asks what its meta says, and keeps its answer to itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from examiner.days import named, number
from examiner.meaning import Finding, Question
from examiner.rivals import rivals
from examiner.rows import OPEN_GROUPS
from examiner.scene import Asked, Scene
from examiner.text import FIRST, denies, fold, holds
from examiner.values import names, written
from memlab.synthetic.values import Value

_SPAN = re.compile(r"\bhow (?:long|many)\b|多少天|几天|多久")
_NOW = re.compile(r"(?<!until )\bnow\b|\bcurrent\b|these days|at the moment|(?<!到)现在|目前|眼下")
_PLACES = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_PLACE = re.compile(rf"\b(last|{'|'.join(_PLACES)})\b|第([一二三四五六七八九十]+)|(最后|最近)")


def question_faults(
    scene: Scene, asked: Asked, question: Question, found: Finding | None
) -> Iterator[str]:
    """Yield what is wrong with the text of a probe."""
    text = asked.probe.text
    reasons = (
        *_who(scene, text, question),
        *_what(text, question, found),
        *_date(text, question),
        *_place(text, question),
        *_tense(text, question),
        *rivals(text, question, scene.known(asked)),
        *_language(asked),
    )
    yield from (f"question {text!r}: {reason}" for reason in reasons)
    if found is not None:
        yield from _given_away(text, question, found)


def _who(scene: Scene, text: str, question: Question) -> Iterator[str]:
    person = scene.people.get(question.subject)
    if person is None:
        if question.subject:
            yield f"its subject {question.subject!r} is nobody"
        return
    if question.via:
        if not holds(text, scene.words.relations[question.via]):
            yield f"does not name the {question.via}"
        if holds(text, names(person.name, scene.words)):
            yield f"names {person.name}: the second hop is not needed"
        yield from _owner(scene, text, question, person.owner)
        if others := _same_word(scene, text, question):
            yield f"may mean any of {[question.subject, *others]}"
    elif question.subject == question.asker:
        if not FIRST.search(fold(text)) and not _open(question):
            yield "does not name the asker"
    elif not holds(text, names(person.name, scene.words)) and not _open(question):
        yield f"does not name {person.name}"


def _same_word(scene: Scene, text: str, question: Question) -> list[str]:
    """Return others whom the same word of relation fits: an aunt's son and her daughter."""
    owner = scene.people[question.subject].owner
    return [
        p.id
        for p in scene.people.values()
        if p.owner == owner
        and p.id != question.subject
        and holds(text, scene.words.relations.get(p.relation, ()))
    ]


def _owner(scene: Scene, text: str, question: Question, owner: str) -> Iterator[str]:
    """Yield what is missing for whose relation is meant."""
    if question.asker:
        if not FIRST.search(fold(text)):
            yield "does not say whose relation is meant"
    elif not holds(text, names(scene.people[owner].name, scene.words)):
        yield f"does not say whose relation is meant: {scene.people[owner].name}"


def _open(question: Question) -> bool:
    group = question.words.groups.get(question.fact, "")
    return bool(question.key) and group in OPEN_GROUPS


def _what(text: str, question: Question, found: Finding | None) -> Iterator[str]:
    """The key and the events asked about must be named, in either language."""
    named_key = holds(text, (question.key,)) or (found and _names_key(text, question, found))
    if question.key and not named_key:
        yield f"does not name the key {question.key!r}"
    if question.kind in ("when", "ago", "order"):
        for arg in question.args:
            if not holds(text, _forms(arg, question, found)):
                yield f"does not name {arg!r}"
    polar = question.words.groups.get(question.fact) == "twin" and not question.key
    if polar and denies(text) != (question.kind == "negated"):
        yield "asks for the opposite"


def _names_key(text: str, question: Question, found: Finding) -> bool:
    key = found.rows[-1].key
    return key is not None and holds(text, written(key, question.words))


def _forms(arg: str, question: Question, found: Finding | None) -> tuple[str, ...]:
    rows = found.rows if found else ()
    forms = [written(r.value, question.words) for r in rows]
    return next((f for f in forms if arg in f or fold(arg) in map(fold, f)), (arg,))


def _date(text: str, question: Question) -> Iterator[str]:
    days = [d.day for d in named(text, question.today)]
    if question.kind in ("past", "relative"):
        if question.as_of is None:
            yield "has no as_of"
        elif days != [question.as_of]:
            yield f"should name {question.as_of} (asked {question.today:%a %Y-%m-%d}), names {days}"
    elif any(day != question.today for day in days):
        yield f"names a day: {days}"


def _tense(text: str, question: Question) -> Iterator[str]:
    """A day is asked for as a day, a span as a span, and the past not as the present."""
    said = fold(text)
    span = _SPAN.search(said) is not None
    if question.kind == "when" and span:
        yield "asks for a span of time, its answer is a day"
    if question.kind == "ago" and not span:
        yield "does not ask for a span of time"
    if question.kind in ("past", "history") and (now := _NOW.search(said)):
        yield f"asks for the past with {now[0]!r}"


def _place(text: str, question: Question) -> Iterator[str]:
    if question.kind != "nth":
        return
    found = list(_PLACE.finditer(fold(text)))
    if not found:
        yield "names no place in the order"
        return
    match = found[-1]  # a preface may count something else
    n = -1 if match[3] or match[1] == "last" else None
    n = n or (_PLACES.index(match[1]) + 1 if match[1] else number(match[2]))
    if n != question.n:
        yield f"asks for number {n}, not {question.n}"


def _language(asked: Asked) -> Iterator[str]:
    """A question ends as its language does; names and matters in it may be of the other."""
    language = asked.probe.meta.get("language")
    if not asked.probe.text.endswith(tuple("？。" if language == "zh" else "?.")):
        yield f"does not end as a sentence of {language!r}"


def _given_away(text: str, question: Question, found: Finding) -> Iterator[str]:
    if question.kind == "order":
        return
    answer = found.answer
    values = (answer,) if isinstance(answer, Value) else answer
    days = named(text, question.today)
    for day in reversed(days):
        text = f"{text[: day.start]}…{text[day.end :]}"
    if isinstance(values, date):
        given = values in {d.day for d in days if d.absolute}
    elif isinstance(values, int):
        given = holds(text, (str(values),))
    else:
        given = any(holds(text, written(v, question.words)) for v in values)
    if given:
        yield f"question {text!r} gives the answer away: {answer}"
