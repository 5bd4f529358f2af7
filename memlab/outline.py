"""Take the repr of a component apart, without importing or making anything that it names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_CALL = re.compile(r"([^\W\d][\w.:<>]*)\((.*)\)", re.DOTALL)
_GIVEN = re.compile(r"([^\W\d]\w*)=(.+)", re.DOTALL)
_LISTED = re.compile(r"[(\[](.*)[)\]]", re.DOTALL)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_VALUES = ("set", "frozenset")
Scalar = str | int | float | bool | None


def outline(text: str) -> dict[str, str]:
    """Return every parameter of a component and of its parts, by dotted name, as text.

    The name "" stands for the component itself; a component's text is its class, that of a list
    of components their classes. What cannot be taken apart is one text.

    >>> outline("Vector(embedder=Hashing(dimension=256), form='text')")
    {'': 'Vector', 'embedder': 'Hashing', 'embedder.dimension': '256', 'form': "'text'"}
    >>> list(outline("Hybrid(legs=(BM25(k1=0.9), Window()), weights=(0.4, 0.6))"))
    ['', 'legs', 'legs.0', 'legs.0.k1', 'legs.1', 'weights']
    """
    return dict(_leaves("", text))


def plain(text: str) -> Scalar:
    """Return the number, text, truth value or None that a text stands for; else the text.

    >>> plain("0.5"), plain("'text'"), plain("(0.4, 0.6)")
    (0.5, 'text', '(0.4, 0.6)')
    """
    if text in ("inf", "-inf", "nan"):
        return float(text)
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return value if value is None or isinstance(value, str | int | float) else text


def _leaves(path: str, text: str) -> Iterator[tuple[str, str]]:
    if (found := _component(text)) is not None:
        name, parts = found
        yield path, name
    elif (members := _members(text)) is not None:
        yield path, f"({', '.join(outline(member)[''] for member in members)})"
        parts = {str(at): member for at, member in enumerate(members)}
    else:
        yield path, text
        return
    for step, part in parts.items():
        yield from _leaves(f"{path}.{step}" if path else step, part)


def _component(text: str) -> tuple[str, dict[str, str]] | None:
    """Return class and parameters of `Name(key=…, …)`."""
    call = _CALL.fullmatch(text)
    if call is None or call[1] in _VALUES:
        return None
    given = [_GIVEN.fullmatch(part) for part in _split(call[2]) or ("",)] if call[2] else []
    if any(one is None for one in given):
        return None
    return call[1], {one[1]: one[2] for one in given if one is not None}


def _members(text: str) -> list[str] | None:
    """Return the members of a list or tuple that holds components."""
    listed = _LISTED.fullmatch(text)
    members = _split(listed[1]) if listed is not None else None
    return members if any(_component(member) for member in members or ()) else None


def _split(text: str) -> list[str] | None:
    """Cut a text at the commas outside of brackets and quotes; None if these do not close."""
    parts, begin, quote, expected = [], 0, "", [""]
    at = 0
    while at < len(text):
        letter = text[at]
        if quote:
            at += letter == "\\"
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in _PAIRS:
            expected.append(_PAIRS[letter])
        elif letter in ")]}" and expected.pop() != letter:
            return None
        elif letter == "," and len(expected) == 1:
            parts.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    last = text[begin:].strip()
    return None if quote or len(expected) != 1 else [*parts, last] if last else parts
