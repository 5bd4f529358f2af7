"""Pronouns and ellipsis of a question, resolved from the turns before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memlab.mentions import Mention, gender_of, people, recent
from memlab.text import has_cjk, terms
from memlab.types import Turn

_PRONOUN = re.compile(r"\b(he|she|him|his|hers|her)\b|([他她])(?!们)(的)?", re.IGNORECASE)
_ZH_PERSON = re.compile("的人|那个|那位|这位|有个|谁|哪位|家伙|朋友|同事|同学|表[哥姐弟妹]")
"""Somebody that a Chinese question speaks of without a name."""
_NOT_NOUN = re.compile(
    r"\s*(?:[?.!,;:]|$|(?:to|in|at|on|for|with|when|while|before|after|about|and|or|last|this|"
    r"yesterday|today|that|by|from|the|a|an|is|was|did)\b)",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"^\W*(?:(?:and|but|so|then)\b(?!\s+(?:far|that)\b)|what about|how about|那|还有|然后|后来)"
    r"|呢[？?]?$",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^\W*(?:why|when|where|which(?: one)?|who|who else|what else|anything else|since when|"
    r"how long|how come|how so)\W*$|^\W*(?:为什么|什么时候|在哪里?|哪里|多久|怎么了?|谁)\W*$",
    re.IGNORECASE,
)


def with_names(text: str, tail: Sequence[Turn]) -> str:
    """Return a question with "he", "she", 他, 她 replaced by whom the turns named last.

    A pronoun stays where the question itself names somebody before it, or nobody fits.

    >>> from memlab.types import utc
    >>> tail = [Turn(id="1", text="I met Ana. She moved to Oslo.", time=utc("2024-01-01"))]
    >>> with_names("When did she move, and is it her first time?", tail)
    "When did Ana move, and is it Ana's first time?"
    """
    if _PRONOUN.search(text) is None:
        return text
    speakers = {turn.speaker for turn in tail}
    named = people(text, speakers)
    latest = recent(tail)

    def put(match: re.Match[str]) -> str:
        own = [m for m in named if m.at < match.start()]
        if own or _ZH_PERSON.search(text, 0, match.start()):
            return match[0]
        name = _fitting(match[1] or match[2], latest)
        return match[0] if name is None else _inflected(name, match, text)

    return _PRONOUN.sub(put, text)


def _fitting(pronoun: str, latest: Sequence[Mention]) -> str | None:
    """Return the latest person of that gender, else the latest of none that is known."""
    wanted = gender_of(pronoun)
    for gender in (wanted, ""):
        for mention in reversed(latest):
            if mention.gender == gender:
                return mention.name
    return None


def _inflected(name: str, match: re.Match[str], text: str) -> str:
    if match[2]:
        return name + (match[3] or "")
    word = match[1].lower()
    owned = word in ("his", "hers") or (
        word == "her" and _NOT_NOUN.match(text, match.end()) is None
    )
    return f"{name}'s" if owned else name


def ellipsis_of(text: str, tail: Sequence[Turn]) -> str:
    """Return what an elliptic question leaves out: the last full message of the asker, or "".

    Elliptic is a bare question word ("Why?", 什么时候？), and a question with at most one word
    of content that begins like "And", "what about", 那, or ends in 呢. Messages of the role
    `user` are the asker's; where the dialogue has none, anybody's.

    >>> from memlab.types import utc
    >>> tail = [Turn(id="1", text="Where does Ana work now?", time=utc("2024-01-01"))]
    >>> ellipsis_of("And Bo?", tail), ellipsis_of("Where is my flat?", tail)
    ('Where does Ana work now?', '')
    """
    elliptic = _BARE.search(text) or (_OPENED.search(text) and _weight(text) <= 1)
    if not elliptic:
        return ""
    asker = [turn for turn in tail if turn.role == "user"] or list(tail)
    return next((turn.text for turn in reversed(asker) if _weight(turn.text) > 1), "")


def _weight(text: str) -> int:
    """Count the words of content: terms, or pairs of Chinese characters that are not particles."""
    if has_cjk(text):
        return len(re.sub(r"[那还有然后来呢吗啊呀的了是\W]", "", text)) // 2
    light = {"about", "else", "then", "and", "so"}
    return len([term for term in terms(text) if term not in light])
