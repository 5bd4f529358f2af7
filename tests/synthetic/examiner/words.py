"""What the examiner may know of the lexicon: value pools, relation words, groups. No forms."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import memlab.synthetic

FOLDER = Path(memlab.synthetic.__file__).parent / "lexicon"
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Pools of [English, Chinese] values, relation words by id, and the group of each fact."""

    pools: Mapping[str, tuple[tuple[str, str], ...]]
    relations: Mapping[str, tuple[str, str]]
    groups: Mapping[str, str]
    surnames: tuple[str, ...] = ()


@cache
def shipped() -> Words:
    """Read the words from the files of the lexicon."""
    talk = {code: _toml(f"talk_{code}") for code in LANGUAGES}
    pairs = [{r["id"]: r["word"] for r in talk[code]["relations"]} for code in LANGUAGES]
    return Words(
        pools={name: tuple((p[0], p[1]) for p in pool) for name, pool in _toml("values").items()},
        relations={name: (word, pairs[1][name]) for name, word in pairs[0].items()},
        groups={name: str(fact["group"]) for name, fact in _toml("en")["fact"].items()},
        surnames=tuple(talk["zh"]["names"]["family"]),
    )


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
