"""What sentences state of single-valued attributes, by a small table of patterns."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from memlab.mentions import people
from memlab.text import has_cjk, sentences, terms, words
from memlab.types import Turn

_HEARSAY = re.compile(
    r"\b(?:swore|heard|gossip|rumou?r|apparently|second-hand|word has it|seems? to think|"
    r"reckons?|somebody|someone|supposedly|told me|hearsay|picked up)\b|"
    "听说|据说|听来|道听途说|听人|有人|告诉我|都在传|跟我讲|说是",
    re.IGNORECASE,
)
_NOT_NOW = re.compile(
    r"\b(?:if|would|could|should|might|wish|when i was|years ago|as a (?:kid|child))\b|"
    "如果|要是|小时候|想要|打算|以前",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:I|I['’]\w+|my|mine|me|we|our)\b|(?<![\u4e00-\u9fff])我(?!们)", re.IGNORECASE
)
_THIRD = re.compile(r"\b(?:he|she|his|her|him)\b|[他她](?!们)", re.IGNORECASE)
_OTHERS = re.compile(
    "我.{0,4}?(?:邻居|室友|朋友|同事|同学|妹妹|姐姐|哥哥|弟弟|表[哥姐弟妹]|老板|领导|上司)"
)
_CLAUSE = re.compile(r"[,;—，；、]\s*|[:：](?!\d)\s*|\s+-\s+")
_EMPTY = frozenset(
    terms(
        "now new old just still already these days currently since last well am been being got "
        "get have set make made start started change changed reset switch switched more little"
    )
)
_LIGHT_ZH = re.compile("[我你他她的了在是就也都还一这那个]")


class Statement(NamedTuple):
    """An attribute of somebody and the words of its value; the subject "" is the speaker."""

    subject: str
    attribute: str
    value: frozenset[str]


def statements(turn: Turn) -> Iterator[Statement]:
    """Yield what a turn states; questions, hearsay and what is only wished state nothing.

    >>> from memlab.types import utc
    >>> turn = Turn(id="1", text="I moved to Oslo. Ana works as a baker.", time=utc("2024-01-01"))
    >>> [(s.subject, s.attribute, sorted(s.value)) for s in statements(turn)]
    [('', 'home', ['oslo']), ('Ana', 'job', ['baker'])]
    """
    known = {turn.speaker} - {"user", "assistant", "system", "tool"}
    named: str | None = None
    for sentence in sentences(turn.text) if turn.role in ("user", "assistant") else ():
        told = people(sentence, known)
        subject = _subject(sentence, told[0].at if told else None, told and told[0].name, named)
        named = told[-1].name if told else named
        doubted = _HEARSAY.search(sentence) or _NOT_NOW.search(sentence)
        if sentence[-1] not in "?？" and not doubted and subject is not None:
            yield from _stated(sentence, subject)


def _subject(sentence: str, at: int | None, name: object, before: str | None) -> str | None:
    """Return whom a sentence is about: who is named first, "" the speaker, he or she of before."""
    first = _FIRST.search(sentence)
    if at is not None and not (first and first.start() < at):
        return str(name)
    if _OTHERS.search(sentence):
        return None
    third = _THIRD.search(sentence)
    if third and not (first and first.start() < third.start()):
        return before
    return "" if first else None


def _stated(sentence: str, subject: str) -> Iterator[Statement]:
    language = "zh" if has_cjk(sentence) else "en"
    for clause in _CLAUSE.split(sentence):
        for attribute, pattern in _patterns(language).items():
            found = pattern.search(clause)
            if found is None:
                continue
            of = " ".join(words(" ".join(filter(None, found.groups()))))
            drop = {*terms(found[0]), *terms(subject), *_EMPTY} if language == "en" else set()
            rest = clause if language == "en" else clause.replace(found[0], " ")
            value = frozenset(t for t in terms(rest) if t not in drop and not _LIGHT_ZH.search(t))
            if value:
                yield Statement(subject, f"{attribute} {of}".strip(), value)


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    """Read the patterns of one language from `statements.toml`."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    edge = r"\b" if language == "en" else ""
    return {
        name: re.compile(f"{edge}(?:{'|'.join(forms[language])}){edge}", re.IGNORECASE)
        for name, forms in table.items()
    }
