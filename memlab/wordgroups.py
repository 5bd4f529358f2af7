"""Words that mean the same: spellings, synonyms, and the usual words in English and Chinese."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from memlab.text import has_cjk, stem, words

Table = Mapping[str, Mapping[str, None]]
"""For a stem, or a Chinese word, the other words of its group in order."""


def spellings(text: str) -> list[str]:
    """Return the other spellings of the words of a text.

    >>> spellings("What is my favourite colour?")
    ['favorite', 'color']
    """
    return _looked_up(text, _table("spelling"))


def synonyms(text: str) -> list[str]:
    """Return everyday synonyms of the words of a text.

    >>> synonyms("Which film did we see?"), synonyms("他多大？")
    (['movie'], ['年龄', '年纪'])
    """
    return _looked_up(text, _table("synonyms"))


def translations(text: str) -> list[str]:
    """Return the usual words of a text in the other language, English or Chinese.

    >>> translations("Which city?"), translations("我的生日")
    (['城市'], ['birthday'])
    """
    return _looked_up(text, _table("across"))


def _looked_up(text: str, table: Table) -> list[str]:
    found: dict[str, None] = {}
    held = set(map(_key, words(text)))
    for word in words(text):
        found.update(table.get(_key(word), {}))
    if has_cjk(text):
        for key, group in table.items():
            if len(key) > 2 and has_cjk(key) and key in text:
                found.update(group)
    return [
        word for word in found if _key(word) not in held and not (has_cjk(word) and word in text)
    ]


def _key(word: str) -> str:
    return word if has_cjk(word) else stem(word)


@cache
def _table(name: str) -> Table:
    """Read one table of `wordgroups.toml`."""
    lines = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))[name]
    found: dict[str, dict[str, None]] = {}
    for group in filter(str.strip, re.split(r"[;\n]", lines)):
        for word, others in _pairs(group):
            found.setdefault(_key(word), {}).update(dict.fromkeys(others))
    return found


def _pairs(group: str) -> Iterable[tuple[str, list[str]]]:
    """Yield each word with what it is another word for: the group, or its other side."""
    here, across, there = (side.split() for side in group.partition("|"))
    for word in here:
        yield word, there if across else [w for w in here if w != word]
    for word in there:
        yield word, here
