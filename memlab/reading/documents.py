"""Telling a JSON document from JSON lines, so that one mistake is one fault."""

from __future__ import annotations

import json

HEAD = 1 << 16
"""Bytes of a file's beginning that are enough to tell."""


def is_document(head: bytes) -> bool:
    r"""Tell by up to `HEAD` bytes of a file whether its first JSON value is all that it holds.

    So it is where the value goes on over several lines, or where a single line holds a list, or
    an object that says nothing of a type or a conversation.

    >>> is_document(b'[\n  {"qa": []}\n]'), is_document(b'{"type": "tick"}\n{"type": "tick"}')
    (True, False)
    """
    text = head.decode("utf-8-sig", "ignore").lstrip()
    cut = len(head) >= HEAD
    if cut and "\n" in text:
        text = text[: text.rindex("\n")]
    first, _, rest = text.partition("\n")
    try:
        value = json.loads(first)
    except json.JSONDecodeError:
        return _goes_on(text, cut) if rest.strip() else cut and first.startswith("[")
    except (ValueError, RecursionError):
        return False
    known = isinstance(value, dict) and bool({"type", "conversation"} & value.keys())
    return not rest.strip() and isinstance(value, dict | list) and not known


def _goes_on(text: str, cut: bool) -> bool:
    """Tell whether the first value, which its first line does not end, is whole, or only cut."""
    try:
        json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        return cut and error.pos >= len(text.rstrip()) - 1
    except (ValueError, RecursionError):
        return False
    return True
