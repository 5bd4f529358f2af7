"""Whose words a question asks for: the speakers it names, or its own first or second person."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memlab.text import has_cjk, normal

_FIRST = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b|我|咱", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|your|yours|yourself)\b|你|您", re.IGNORECASE)
_ROLES = frozenset(("user", "assistant", "system", "tool"))


def asked(question: str, speakers: Mapping[str, str]) -> frozenset[str]:
    """Return the speakers that a question is about, as far as its words tell.

    `speakers` holds the role of each. Meant are those the question names; without a name,
    speakers in the role `user` for a question in the first person ("Where did I park?"), in the
    role `assistant` for one in the second person alone ("What did you advise?").

    >>> sorted(asked("What did Ana say to Bo?", {"Ana": "user", "Bo": "user", "Cy": "user"}))
    ['Ana', 'Bo']
    >>> asked("我的车停在哪里？", {"user": "user", "assistant": "assistant"})
    frozenset({'user'})
    """
    text = normal(question)
    named = frozenset(name for name in speakers if name not in _ROLES and _says(text, name))
    if named:
        return named
    role = "user" if _FIRST.search(question) else "assistant" if _SECOND.search(question) else ""
    return frozenset(name for name, kind in speakers.items() if kind == role)


def _says(text: str, name: str) -> bool:
    found = normal(name).strip()
    return bool(found) and (found in text if has_cjk(found) else f" {found} " in text)
