"""Texts of others, made safe to look at: no control characters, no endless lines."""

from __future__ import annotations

import re

MOST = 400
"""Characters of a name or a message that are shown in a table."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_FOLDERS = re.compile(r"(?<![\w:/.…])(?:[A-Za-z]:)?[\\/](?:[^\s\\/:;'\"]+[\\/])+")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA, _HANGUL = re.compile("[\u3040-\u30ff]"), re.compile("[\uac00-\ud7af\u1100-\u11ff]")


def visible(text: str, most: int | None = MOST) -> str:
    r"""Return a text whose control characters can be seen, cut to `most` characters.

    >>> print(visible("a\0b"), visible("abcdef", 3), sep="; ")
    a\x00b; abc… (3 more characters)
    """
    more = 0 if most is None else len(text) - most
    if more > 0:
        text = f"{text[:most]}… ({more:,} more characters)"
    return _CONTROL.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def placeless(text: str) -> str:
    """Return a message without the folders of this machine, which are nobody's business.

    >>> placeless("cannot read /home/ann/data/x.json: gone; see https://a.org/b/c")
    'cannot read …/x.json: gone; see https://a.org/b/c'
    """
    return _FOLDERS.sub("…/", text)


def many(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> many(1, "turn"), many(1200, "turn")
    ('1 turn', '1,200 turns')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def language(text: str) -> str:
    """Return the language tag of a text by its script; English has none.

    >>> language("咖啡"), language("コーヒー"), language("coffee")
    ('zh', 'ja', '')
    """
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    return "zh" if _HAN.search(text) else ""
