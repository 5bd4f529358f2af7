"""Every mention of a value in the text, and whether a ledger row accounts for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from examiner.scene import Scene
from examiner.text import CJK, bare, fold, holds, sentences
from examiner.values import money, names, written
from examiner.words import Words
from memlab.synthetic.ledger import Person, Row
from memlab.synthetic.values import Value
from memlab.types import Turn

_WORD = re.compile(r"[^\W_\u3400-\u9fff]+")
_DIGIT = re.compile(r"\d")
Known = tuple[str, int]


class Mention(NamedTuple):
    """A value of a pool or of the ledger in a text; one spelling may stand for several."""

    start: int
    end: int
    values: frozenset[Known]


class Finder:
    """Finds the values of all pools in a text, the longest where they overlap."""

    def __init__(self, words: Words) -> None:
        self._latin: dict[str, list[tuple[tuple[str, ...], set[Known]]]] = {}
        self._chinese: dict[str, list[tuple[str, set[Known]]]] = {}
        spelt: dict[str, set[Known]] = {}
        for pool, pairs in words.pools.items():
            for n, pair in enumerate(pairs):
                for phrase in pair:
                    spelt.setdefault(fold(bare(phrase)), set()).add((pool, n))
        for phrase, values in spelt.items():
            if CJK.search(phrase):
                self._chinese.setdefault(phrase[0], []).append((phrase, values))
            elif tokens := tuple(_WORD.findall(phrase)):
                self._latin.setdefault(tokens[0], []).append((tokens, values))

    def find(self, text: str) -> list[Mention]:
        """Return the mentions in order, none inside another."""
        folded = fold(text)
        found = [*self._words(folded), *self._characters(folded)]
        found.sort(key=lambda m: (m.start, -m.end))
        kept: list[Mention] = []
        for mention in found:
            if not kept or mention.end > kept[-1].end:
                kept.append(mention)
        return kept

    def _words(self, text: str) -> Iterator[Mention]:
        tokens = list(_WORD.finditer(text))
        words = [t[0] for t in tokens]
        for i, word in enumerate(words):
            for phrase, values in self._latin.get(word, ()):
                last = i + len(phrase) - 1
                if tuple(words[i : last + 1]) == phrase:
                    yield Mention(tokens[i].start(), tokens[last].end(), frozenset(values))

    def _characters(self, text: str) -> Iterator[Mention]:
        for i, character in enumerate(text):
            for phrase, values in self._chinese.get(character, ()):
                if text.startswith(phrase, i):
                    yield Mention(i, i + len(phrase), frozenset(values))


@cache
def finder(words: Words) -> Finder:
    """Return the finder of a lexicon."""
    return Finder(words)


class Stray(NamedTuple):
    """A value in a turn whose rows do not account for it."""

    turn: str
    spelt: str
    values: frozenset[Known]


def strays(scene: Scene) -> Iterator[Stray]:
    """Yield the mentions that no row of their turn accounts for."""
    generated = _generated(scene.rows)
    asked_for = _keys_asked_for(scene)
    for turn in scene.turns.values():
        known = accounted(scene, turn) | asked_for.get(turn.id, set())
        for mention in finder(scene.words).find(turn.text):
            if mention.values.isdisjoint(known):
                yield Stray(turn.id, turn.text[mention.start : mention.end], mention.values)
        for value in generated if _DIGIT.search(turn.text) else ():
            own = frozenset({(value.kind, value.n)})
            if not own.isdisjoint(known) or _same_spelling(value, known):
                continue
            if holds(turn.text, _unmistakable(value)):
                yield Stray(turn.id, _unmistakable(value)[0], own)


def accounted(scene: Scene, turn: Turn) -> set[Known]:
    """Return the values that the rows of a turn account for: value, key, day, and former value."""
    found: set[Known] = set()
    for row in scene.rows_of.get(turn.id, ()):
        if row.key is not None:
            found.add((row.key.kind, row.key.n))
        if row.day is not None:
            found.add(("@date", row.day.toordinal()))
        if row.turn != turn.id:
            continue
        found.add((row.value.kind, row.value.n))
        found.update((old.value.kind, old.value.n) for old in former(scene, row))
    return found


def former(scene: Scene, row: Row) -> list[Row]:
    """Return earlier rows of the same state: a change may name what it replaces."""
    return [
        old
        for old in scene.rows
        if row.group == "state"
        and old.owner == row.owner
        and (old.subject, old.fact) == (row.subject, row.fact)
        and old.position < row.position
    ]


def _generated(rows: Iterable[Row]) -> list[Value]:
    """Return the generated values of the ledger that cannot be mistaken for a common number."""
    values = (v for row in rows for v in (row.value, row.key) if v is not None)
    return list(
        dict.fromkeys(v for v in values if v.kind in ("@code", "@money", "@clock", "@date"))
    )


def _unmistakable(value: Value) -> tuple[str, ...]:
    return money(value.n) if value.kind == "@money" else written(value, Words({}, {}, {}))


def _same_spelling(value: Value, known: set[Known]) -> bool:
    """Tell whether a known value of another kind is written in the same way (a day as a date)."""
    if value.kind != "@date":
        return False
    spelt = set(_unmistakable(value))
    return any(kind == "@date" and spelt & set(_unmistakable(Value(kind, n))) for kind, n in known)


def _keys_asked_for(scene: Scene) -> dict[str, set[Known]]:
    """Return by turn the keys of what is said next: whoever asks or looks up names the matter.

    Advice follows its question, a result its call and the request before the call.
    """
    order = list(scene.turns.values())
    keys: dict[str, set[Known]] = {}
    for row in scene.rows:
        if row.group not in ("advice", "tool") or row.key is None or row.turn not in scene.turns:
            continue
        place = scene.place[row.turn]
        for turn in order[max(0, place - 2) : place]:
            if turn.session == scene.turns[row.turn].session:
                keys.setdefault(turn.id, set()).add((row.key.kind, row.key.n))
    return keys


def without_values(text: str, words: Words) -> str:
    """Return a text without its values: there is a leader (领导) in leadership (领导力)."""
    for mention in reversed(finder(words).find(text)):
        text = f"{text[: mention.start]}…{text[mention.end :]}"
    return text


def betrayed(scene: Scene, person: Person) -> list[str]:
    """Return the turns, apart from the relation rows, that say in a sentence who somebody is."""
    users = {row.owner for row in scene.rows if row.said_by == person.owner}
    told = {t for row in scene.rows if row.fact == "relation" for t in row.turns}
    relation = scene.words.relations.get(person.relation, ())
    own = names(person.name, scene.words)
    return [
        turn.id
        for turn in scene.turns.values()
        if turn.id not in told
        and turn.user in users
        and holds(turn.text, own)
        and any(
            holds(said, own) and holds(said, relation)
            for said in sentences(without_values(turn.text, scene.words))
        )
    ]
