"""The words of a language: fact types with their forms, talk, names and values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memlab.digests import file_digest
from memlab.synthetic.forms import Form

FOLDER = Path(__file__).with_name("lexicon")
TOPICS = "work home food health hobby travel family money project things".split()
_FORMS = ("oblique change hint list count nth what feel ask_feel negated ask_negated call").split()

_OWN = re.compile(r"\b(?:I|I'm|I'd|I've|I'll|my|mine|me|we|our|us)\b|我|咱", re.IGNORECASE)

Forms = tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """Statements and questions that share their content words."""

    say: Forms
    ask: Forms


@dataclass(frozen=True, slots=True, eq=False)
class FactType:
    """A kind of fact: what it is about, its values, and how it is said and asked for.

    `value` and `key` name a pool of values, or a generated kind such as `@code`.
    """

    id: str
    group: str
    topic: str
    value: str
    key: str
    wordings: tuple[Wording, ...]
    forms: Mapping[str, Forms]
    thing: str

    @property
    def says(self) -> Forms:
        """Every plain statement."""
        return tuple(form for wording in self.wordings for form in wording.say)

    @property
    def asks(self) -> Forms:
        """Every question for the value, those without a common word last."""
        return tuple(q for w in self.wordings for q in w.ask) + self.forms["oblique"]


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """Everything that is said in one language; `column` is its place in the value pools."""

    code: str
    column: int
    facts: Mapping[str, FactType]
    pools: Mapping[str, tuple[tuple[str, str], ...]]
    talk: Mapping[str, tuple[str, ...]]
    topics: Mapping[str, Mapping[str, Any]]
    slots: Mapping[str, tuple[str, ...]]
    given: tuple[tuple[str, str], ...]
    family: tuple[str, ...]
    relations: Mapping[str, tuple[str, str]]
    domains: Mapping[str, Mapping[str, tuple[str, ...]]]
    frames: Mapping[str, tuple[str, ...]]

    relation_forms: Forms
    impersonal: Mapping[str, tuple[str, ...]]
    """Reactions by topic that tell nothing of the one who reacts."""

    @property
    def space(self) -> str:
        """What stands between two sentences."""
        return "" if self.code == "zh" else " "


@cache
def language(code: str) -> Language:
    """Return the words of a language, `en` or `zh`."""
    facts, talk, long = (_toml(f"{prefix}{code}") for prefix in ("", "talk_", "long_"))
    names = talk["names"]
    return Language(
        code=code,
        column=("en", "zh").index(code),
        facts={name: _fact(name, table, code) for name, table in facts["fact"].items()},
        pools={name: tuple(map(tuple, pairs)) for name, pairs in _toml("values").items()},
        talk={name: tuple(lines) for name, lines in talk["talk"].items()},
        topics={name: _tuples(talk["topic"][name]) for name in TOPICS},
        slots={name: tuple(words) for name, words in talk["slot"].items()},
        given=tuple((name, gender) for name, gender in names["given"]),
        family=tuple(names["family"]),
        relations={r["id"]: (r["word"], r["gender"]) for r in talk["relations"]},
        domains={name: _tuples(table) for name, table in long["domain"].items()},
        frames=_tuples(_toml("frames")[code]),
        impersonal={name: _impersonal(talk["topic"][name]["reaction"]) for name in TOPICS},
        relation_forms=tuple(Form.of(line, code) for line in talk["talk"]["relation"]),
    )


@cache
def lexicon_digest() -> str:
    """Return the hash of all files of the lexicon."""
    return file_digest(*sorted(FOLDER.glob("*.toml")))


def _impersonal(lines: list[str]) -> tuple[str, ...]:
    return tuple(line for line in lines if not _OWN.search(line))


def _toml(name: str) -> dict[str, Any]:
    with (FOLDER / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def _tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()}


def _fact(name: str, table: Mapping[str, Any], code: str) -> FactType:
    def forms(lines: list[str]) -> Forms:
        return tuple(Form.of(line, code) for line in lines)

    return FactType(
        id=name,
        group=table["group"],
        topic=table["topic"],
        value=table["value"],
        key=table.get("key", ""),
        wordings=tuple(Wording(forms(w["say"]), forms(w["ask"])) for w in table["wording"]),
        forms={kind: forms(table.get(kind, [])) for kind in _FORMS},
        thing=table.get("thing", "").replace("{s's}", "{ss}"),
    )
