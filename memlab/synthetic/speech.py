"""How a row of the ledger is said: its clause, with its subject named or resolved."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from memlab.synthetic.asks import Slot
from memlab.synthetic.draw import Draw
from memlab.synthetic.forms import PRONOUNS, Form, possessive, sentence
from memlab.synthetic.ledger import Person, Row
from memlab.synthetic.lexicon import FactType, Language
from memlab.synthetic.values import time_phrase, write


class Voice(NamedTuple):
    """What decides how things are worded: language, people, habits, randomness."""

    words: Language
    people: Mapping[str, Person]
    pronouns: float
    draw: Draw


def named(person: Person, words: Language, *, related: bool = False) -> dict[str, str]:
    """Return the slots of a subject that is named, with its relation or without."""
    name = person.name
    if related and person.relation:
        word = words.relations[person.relation][0]
        name = f"我{word}{name}" if words.code == "zh" else f"my {word} {name}"
    return {"s": name, "ss": possessive(name, words.code), "me": name}


def apart(text: str, name: str) -> str:
    """Part a name in Latin letters from a number that follows it, as in "Tobias 3月9日".

    >>> apart("Tobias3月9日", "Tobias")
    'Tobias 3月9日'
    """
    return re.sub(f"({re.escape(name)})(?=[0-9])", r"\1 ", text) if name.isascii() else text


def statement(row: Row, slot: Slot, today: date, voice: Voice) -> str:
    """Return the sentences that say a row, in the manner of its slot."""
    words, draw = voice.words, voice.draw
    filled = _slots(row, slot, today, voice)
    if slot.manner == "relation":
        form = draw.pick(words.relation_forms)
        return sentence(form.first.format(**filled), words.code)
    fact = words.facts[row.fact]
    if slot.manner == "bare":
        return sentence(draw.pick(words.talk["elliptic"]).format(**filled), words.code)
    form = _form(row, fact, slot, voice)
    if row.subject == row.said_by or row.group in ("advice", "tool"):
        clause, before = form.first.format(**filled), ""
    else:
        before, subject = _subject(voice.people[row.subject], voice, slot.manner, form)
        clause = form.third.format(**subject, **filled)
        if words.code == "zh":
            clause = apart(clause, voice.people[row.subject].name)
    if row.group == "state" and row.day is not None:
        frame = "since_change" if slot.manner == "change" else "since"
        when = filled["when"].removeprefix("on ") if frame == "since" else filled["when"]
        clause = draw.pick(words.frames[frame]).format(when=when, clause=clause)
    if slot.manner == "hearsay":
        clause = draw.pick(words.talk["hearsay"]) + words.space + clause
    elif row.group not in ("tool", "advice") and draw.chance(0.4):
        clause = draw.pick(words.talk["opener"]) + words.space + clause
    return before + sentence(clause, words.code)


def _form(row: Row, fact: FactType, slot: Slot, voice: Voice) -> Form:
    draw = voice.draw
    if row.group == "twin":
        # Both twins in the same words: a near duplicate differs in its detail alone.
        at = Draw(row.fact, row.subject, voice.words.code).below(1000)
        forms = fact.forms["negated"] if row.negated else fact.says
        return forms[at % len(forms)]
    match slot.manner:
        case "hint" | "feel":
            return draw.pick(fact.forms[slot.manner])
        case "change":
            fitting = [f for f in fact.forms["change"] if slot.old or "old" not in f.slots]
            return draw.pick(fitting)
    return draw.pick(draw.pick(fact.wordings).say)


def _slots(row: Row, slot: Slot, today: date, voice: Voice) -> dict[str, str]:
    words = voice.words
    filled = {"v": write(row.value, words)}
    if row.group == "relation" and row.key is not None:
        return {"who": row.value.text, "rel": words.relations[row.key.text][0]}
    if row.key is not None:
        key = write(row.key, words)
        filled["k"] = key
        if row.feeling:
            filled["thing"] = words.facts[row.fact].thing.format(v=key, ss="", s="")
    if slot.old is not None:
        filled["old"] = write(slot.old, words)
    if row.day is not None:
        filled["when"] = time_phrase(row.day, today, voice.draw, words)
    return filled


def _subject(person: Person, voice: Voice, manner: str, form: Form) -> tuple[str, dict[str, str]]:
    """Name somebody else: in the clause, or in a sentence before it."""
    words, draw = voice.words, voice.draw
    related = not person.discreet and draw.chance(0.4)
    own = named(person, words, related=related)
    if manner != "hearsay" and form.slots & {"s", "ss", "me"} and draw.chance(voice.pronouns):
        opening = draw.pick(words.talk["antecedent"]).format(who=own["s"])
        return sentence(opening, words.code) + words.space, PRONOUNS[words.code][person.gender]
    return "", own


def question_forms(row: Row, words: Language) -> Sequence[Form]:
    """Return the questions to which the value of a row alone is an answer."""
    fact = words.facts[row.fact]
    return [form for wording in fact.wordings for form in wording.ask]
