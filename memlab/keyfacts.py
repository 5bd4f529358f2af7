"""What people state of themselves, by patterns in English and Chinese."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from memlab.lexicon import has, negated
from memlab.text import has_cjk, length, sentences

_LIST = re.compile(
    r"(?<![\w'’-])([\w'’-]+(?: [\w'’-]+)?), "
    r"(?=(?:[\w'’-]+(?: [\w'’-]+)?, ){0,5}[\w'’-]+(?: [\w'’-]+)?,? "
    r"(?:and|or) (?!(?:I|my|he|she|we|they|it|you|that|then)\b)|"
    r"(?:and|or) (?!(?:I|my|he|she|we|they|it|you|that|then)\b))"
)
_CLAUSE_EN = re.compile(
    r"[;,—]\s+|:\s+|\s+-\s+|,?\s+(?=(?:but|because|although|though|while|whereas|since|so that|"
    r"unless|until|if|when)\b)|,?\s+(?=(?:and|so|or) (?:I|my|he|she|we|they|it|you|that)\b)",
    re.IGNORECASE,
)
_CLAUSE_ZH = re.compile("[，；：,;—]+|(?=但是|可是|不过|因为|所以|而且)")
_LEAD = re.compile(r"^(?:and|but|so|or|because|well|also|oh|ah)\b,?\s*", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:\s+(?:now|right now|these days|too|as well|a lot|so much|very much|the most|"
    r"at the moment|of course|actually|though|anyway))+\s*$",
    re.IGNORECASE,
)
_TAIL_ZH = re.compile("(?:了|呢|啊|呀|哦|吧|的)+$")
_ENDS = " .!?…。！？;；,，\"'“”‘’()（）~"
_WIDEST = 30
"""Words of an object at most: what is longer is a story, not a value."""
_LONGEST = 600
"""Characters of a clause at most."""

Rejected = str


class Found(NamedTuple):
    """A fact in a clause: its predicate and object, the clause, and whether it has one value."""

    predicate: str
    object: str
    text: str
    one: bool


def found(text: str) -> Iterator[Found | Rejected]:
    """Yield the facts of a text in order; in place of what is none though it looks so, why.

    >>> [(f.predicate, f.object) for f in found("我叫张三，我喜欢 Python")]
    [('name', '张三'), ('like', 'Python')]
    >>> list(found("Do I like tea?"))
    ['question']
    """
    for sentence in (" ".join(piece.split()) for piece in sentences(text)):
        language = "zh" if has_cjk(sentence) else "en"
        if _asks(sentence):
            if any(_stated(clause, language) for clause in _clauses(sentence, language)):
                yield "question"
            continue
        if _decided(sentence, language):
            body = sentence.strip(_ENDS)
            yield "too long" if length(body) > 2 * _WIDEST else Found("decision", body, body, False)
            continue
        for clause in _clauses(sentence, language):
            fact = _stated(clause, language)
            if fact is not None:
                yield fact


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \"'”’)）")[-1:] in ("?", "？") or has("asking", sentence)


def _decided(sentence: str, language: str) -> bool:
    said = re.search(_table()["decision"][language], sentence, re.IGNORECASE)
    return said is not None and not _denied(sentence[: said.end()], language)


def _denied(text: str, language: str) -> bool:
    return negated(text, len(text)) if language == "en" else bool(re.search("[没不未]", text[-8:]))


def _clauses(sentence: str, language: str) -> list[str]:
    if language == "zh":
        return [piece.strip() for piece in _CLAUSE_ZH.split(sentence) if piece.strip()]
    kept = _LIST.sub(lambda m: f"{m[1]}\0 ", sentence)
    pieces = (_LEAD.sub("", piece.strip()) for piece in _CLAUSE_EN.split(kept))
    return [piece.replace("\0", ",") for piece in pieces if piece]


def _stated(clause: str, language: str) -> Found | Rejected | None:
    """Return the fact of a clause, why it is none, or None where nothing looks like one."""
    if len(clause) > _LONGEST:
        return "too long"
    for pattern in _patterns(language):
        said = pattern.form.search(clause)
        if said is None:
            continue
        if pattern.void.search(clause[: said.start()].rstrip()):
            return "reported"
        return _fact(clause, said, pattern, language)
    return None


class _Pattern(NamedTuple):
    predicate: str
    one: bool
    form: re.Pattern[str]
    void: re.Pattern[str]


def _fact(clause: str, said: re.Match[str], pattern: _Pattern, language: str) -> Found | Rejected:
    value = said["object"].strip(_ENDS)
    value = (_TAIL_ZH if language == "zh" else _TAIL).sub("", value).strip(_ENDS)
    if not value or re.match(_table()["never"][language], value, re.IGNORECASE):
        return "no value"
    if length(value) > _WIDEST:
        return "too long"
    predicate = pattern.predicate
    if "{" in predicate:
        if pattern.one and re.match(_table()["dull"][language], value, re.IGNORECASE):
            return "no value"
        predicate = predicate.format(attribute=said["attribute"].strip())
    before = said[0][: said.start("object") - said.start()]
    if pattern.predicate == "dislike":
        before = re.sub(_table()["bitter"][language], "", before, flags=re.IGNORECASE)
    if re.search(_negation(language), before, re.IGNORECASE):
        if pattern.predicate not in ("like", "prefer"):
            return "negation"
        predicate = "dislike"
    return Found(predicate, value, clause.strip(_ENDS), pattern.one)


@cache
def _table() -> dict[str, Any]:
    """Read `keyfacts.toml`."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@cache
def _negation(language: str) -> str:
    forms = "|".join(_table()["not"][language])
    return rf"\b(?:{forms})\b" if language == "en" else f"(?:{forms})"


@cache
def _patterns(language: str) -> tuple[_Pattern, ...]:
    table = _table()
    between = "|".join([*table["adverbs"][language], *table["not"][language]])
    adv = rf"(?: (?:{between})\b){{0,4}}" if language == "en" else f"(?:{between}){{0,4}}"
    void = re.compile(table["void"][language], re.IGNORECASE)
    return tuple(
        _Pattern(
            each["predicate"],
            bool(each.get("one")),
            re.compile(each["form"].format(adv=adv), re.IGNORECASE),
            void,
        )
        for each in table[language]
    )


def original(text: str) -> Iterator[tuple[str, str]]:
    """Yield what the original patterns take, each with the kind of its list.

    They run to the end of the line, drop the predicate, take questions for facts and, of what is
    "my … is …", the attribute without its value.

    >>> list(original("我叫张三，我喜欢 Python"))
    [('fact', ' Python'), ('fact', '张三，我喜欢 Python')]
    """
    table = _table()["original"]
    for form in [*table["zh"], *table["en"]]:
        for said in re.finditer(form, text, re.IGNORECASE):
            yield "fact", said[1]
    if re.search(table["decision"], text, re.IGNORECASE):
        yield "decision", text
