"""Sentence forms: text with slots, in first, second and third person.

Slots are `{s}` the subject, `{s's}` its possessive, `{me}` its object case, `{v}` a value,
`{old}` the value before, `{k}` a key, `{when}`, `{nth}`, `{thing}`; in English also `[a/b]`, a
for "I" and b for anybody else, and `{do}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_CHOICE = re.compile(r"\[([^/\]]*)/([^\]]*)\]")
_SLOT = re.compile(r"\{([a-z]+)\}")
_PLURAL = {"am": "are", "was": "were", "'m": "'re"}
FIRST = {
    "en": {"s": "I", "ss": "my", "me": "me"},
    "zh": {"s": "我", "ss": "我的", "me": "我"},
}
SECOND = {
    "en": {"s": "you", "ss": "your", "me": "you"},
    "zh": {"s": "你", "ss": "你的", "me": "你"},
}
PRONOUNS = {
    "en": {
        "f": {"s": "she", "ss": "her", "me": "her"},
        "m": {"s": "he", "ss": "his", "me": "him"},
    },
    "zh": {
        "f": {"s": "她", "ss": "她的", "me": "她"},
        "m": {"s": "他", "ss": "他的", "me": "他"},
    },
}


@dataclass(frozen=True, slots=True)
class Form:
    """One form: `first` and `second` have their subject in place, `third` leaves it open."""

    source: str
    first: str
    second: str
    third: str

    @classmethod
    def of(cls, source: str, language: str) -> Form:
        """Compile a form as it is written in the lexicon."""
        text = source.replace("{s's}", "{ss}")
        first = _CHOICE.sub(lambda m: m[1], text).replace("{do}", "do")
        second = _CHOICE.sub(lambda m: _PLURAL.get(m[1], m[1]), text).replace("{do}", "do")
        third = _CHOICE.sub(lambda m: m[2], text).replace("{do}", "does")
        return cls(source, _as(first, FIRST[language]), _as(second, SECOND[language]), third)

    @property
    def slots(self) -> frozenset[str]:
        """The slots of the form, `ss` for the possessive."""
        return frozenset(_SLOT.findall(self.source.replace("{s's}", "{ss}")))


def _as(text: str, subject: dict[str, str]) -> str:
    """Put a subject in place, and leave the other slots open."""
    return filled(text, lambda slot: subject.get(slot, f"{{{slot}}}"))


def filled(text: str, pick: Callable[[str], str]) -> str:
    """Return a sentence of small talk with its slots filled by what `pick` draws for each.

    >>> filled("so much {thing}!", {"thing": "laundry"}.get)
    'so much laundry!'
    """
    return _SLOT.sub(lambda m: pick(m[1]), text) if "{" in text else text


def possessive(name: str, language: str) -> str:
    """Return the possessive of a name.

    >>> possessive("Mia", "en"), possessive("James", "en"), possessive("小雨", "zh")
    ("Mia's", "James's", '小雨的')
    """
    return f"{name}的" if language == "zh" else f"{name}'s"


def sentence(text: str, language: str) -> str:
    """Return a clause as a sentence: a capital in front, a full stop behind.

    >>> sentence("my car is a Fiesta", "en"), sentence("我换了车", "zh")
    ('My car is a Fiesta.', '我换了车。')
    """
    if text[:1].islower() and language == "en":
        text = text[0].upper() + text[1:]
    if text[-1:] in ".?!。？！…~～":
        return text
    return text + ("。" if language == "zh" else ".")
