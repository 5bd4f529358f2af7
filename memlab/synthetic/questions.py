"""Put a question into words: as close to its evidence, word by word, as was wished."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from memlab.synthetic.asks import Ask
from memlab.synthetic.draw import Draw
from memlab.synthetic.forms import Form, possessive
from memlab.synthetic.ledger import Person
from memlab.synthetic.lexicon import FactType, Language
from memlab.synthetic.speech import apart, named
from memlab.synthetic.values import ago_phrase, day_answers, ordinal, write
from memlab.text import terms

_NOW = re.compile(
    r"\b(?:current(?:ly)?|now|these days|at the moment|today|tonight)\b"
    r"|现在|目前|手头|这会儿|眼下|最近|今晚"
)
"""Words of the present, which do not fit a question on the past."""

_OPENERS = frozenset(
    "What Which Where When Who How Whose Why As At By In On Of From Do Does Did Has Have Is Are "
    "Was Were To For With Under Around Roughly The My A An Can Could Would Should Any Counting "
    "Put Please According".split()
)


class Setting(NamedTuple):
    """Where a question is asked: in which language, by whom, on which day."""

    words: Language
    people: Mapping[str, Person]
    owner: Person
    first_person: bool
    today: date
    matter: str = ""
    """What the evidence was a part of, where messages are long."""


def overlap(question: str, evidence: Sequence[frozenset[str]]) -> float:
    """Return the share of the question's terms found in its evidence, mean over the turns."""
    asked = set(terms(question))
    if not asked or not evidence:
        return 0.0
    return sum(len(asked & turn) for turn in evidence) / (len(asked) * len(evidence))


def worded(
    ask: Ask, setting: Setting, evidence: Sequence[frozenset[str]], wish: float, draw: Draw
) -> str:
    """Return the wording whose overlap with the evidence is nearest to the wish."""
    options = draw.shuffled(list(_options(ask, setting, draw)))
    if setting.matter:
        frame = draw.pick(setting.words.frames["matter"])
        options = [frame.format(matter=setting.matter, ask=_inner(text)) for text in options]
    if not evidence:
        return options[0]
    return min(options, key=lambda text: _misses(text, evidence, wish))


def _misses(question: str, evidence: Sequence[frozenset[str]], wish: float) -> float:
    """Return how far a wording is from the wish; turns without a common term count against it."""
    asked = set(terms(question))
    apart = sum(not asked & turn for turn in evidence) / len(evidence)
    return abs(overlap(question, evidence) - wish) + apart * wish


def _options(ask: Ask, setting: Setting, draw: Draw) -> Iterator[str]:
    """Yield every way to ask."""
    words = setting.words
    fact = words.facts[ask.fact]
    slots = _slots(ask, setting, fact)
    match ask.kind:
        case "past" | "history":
            frame = "as_of" if ask.kind == "past" else "history"
            day = day_answers(ask.as_of, words)[0] if ask.as_of else ""
            timeless = [form for form in fact.asks if not _NOW.search(form.source)]
            for asked in _said(timeless, ask, setting, slots):
                yield draw.pick(words.frames[frame]).format(day=day, ask=_inner(asked))
        case "order" | "ago":
            things = [fact.thing.format(v=write(v, words), s="", ss="") for v in ask.args]
            bare = things[0].removeprefix("the ")
            for frame in words.frames[ask.kind]:
                own = {"a": things[0], "b": things[-1], "bare": bare}
                yield _capital(frame.format(**own, who=slots["me"], whose=slots["ss"]))
        case _:
            yield from _said(_forms(ask, fact), ask, setting, slots)


def _forms(ask: Ask, fact: FactType) -> Sequence[Form]:
    forms = {
        "list": fact.forms["list"],
        "count": fact.forms["count"],
        "nth": fact.forms["nth"],
        "relative": fact.forms["what"],
        "feeling": fact.forms["ask_feel"],
    }.get(ask.kind) or fact.asks
    return fact.forms["ask_negated"] if ask.negated else forms


def _slots(ask: Ask, setting: Setting, fact: FactType) -> dict[str, str]:
    words = setting.words
    filled = _subject(ask, setting)
    if ask.key is not None:
        key = write(ask.key, words)
        filled |= {"k": key, "thing": fact.thing.format(v=key, s="", ss="")}
    if ask.args:
        filled["v"] = write(ask.args[0], words)
    if ask.as_of is not None:
        filled["when"] = ago_phrase(ask.as_of, setting.today, words)
    if ask.n:
        filled["nth"] = ordinal(ask.n, ask.n < 0, words)
    return filled


def _subject(ask: Ask, setting: Setting) -> dict[str, str]:
    words, person = setting.words, setting.people[ask.subject]
    english = words.code == "en"
    if ask.via:
        relation = words.relations[ask.via][0]
        if setting.first_person:
            name = f"my {relation}" if english else f"我{relation}"
        else:
            name = possessive(setting.owner.name, words.code) + (" " if english else "") + relation
        return {"s": name, "ss": possessive(name, words.code), "me": name}
    if setting.first_person and person == setting.owner:
        return (
            {"s": "I", "ss": "my", "me": "me"} if english else {"s": "我", "ss": "我的", "me": "我"}
        )
    return named(person, words)


def _said(
    forms: Sequence[Form], ask: Ask, setting: Setting, slots: Mapping[str, str]
) -> Iterator[str]:
    own = setting.first_person and ask.subject == setting.owner.id and not ask.via
    for form in forms:
        text = (form.first if own else form.third).format(**slots)
        yield _capital(text if own else apart(text, setting.people[ask.subject].name))


def _inner(question: str) -> str:
    """Return a question as it stands inside a sentence; it begins with a word, not a name."""
    first = question.split(" ", 1)[0].removesuffix("'s")
    return question[0].lower() + question[1:] if first in _OPENERS else question


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
