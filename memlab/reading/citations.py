"""Evidence given as message numbers: lists, objects of lists, nested, repeated."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from memlab.reading.references import Mended
from memlab.reading.sources import Source, name_of, shown
from memlab.types import Action

_NUMBER = re.compile(r"[0-9]+")


def cited(value: object, known: Container[str]) -> Mended:
    """Return the turns that cited numbers mean, in their order, each once.

    Args:
        value: a number or text, or a list or an object of them, nested in any way.
        known: the ids of the turns.

    >>> cited({"first": [3, [4, 3]], "second": ["chat_id: 5", 99]}, {"3", "4", "5"}).evidence
    ('3', '4', '5')
    """
    faults: list[tuple[str, str, Action]] = []
    found: list[str] = []
    nested = False
    for leaf, depth in _leaves(value):
        nested = nested or depth > 1
        good, fault = _meant(leaf, known)
        found += good
        if fault:
            faults.append((fault, shown(leaf), "repaired" if good else "dropped"))
    if nested:
        faults.append(("nested list", shown(value), "repaired"))
    once = tuple(dict.fromkeys(found))
    if len(once) < len(found):
        twice = [name for name in once if found.count(name) > 1]
        faults.append(("repeated id", " ".join(twice), "repaired"))
    if not once:
        faults.append(("no evidence", shown(value), "reported"))
    return Mended(once, faults)


def evidence(
    source: Source, where: str, value: object, order: Mapping[str, int]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the turns that a question cites, and its meta; what is wrong is reported.

    `meta["lost_evidence"]` counts the citations of no turn, `meta["distance"]` the turns that
    follow the last one cited.

    Args:
        source: takes the defects.
        where: the question.
        value: what it cites, as in `cited`.
        order: the turns with their places, from 0.
    """
    found = cited(value, order)
    for kind, what, action in found.faults:
        source.note(kind, where, what, action)
    lost = sum(action == "dropped" for _, _, action in found.faults)
    meta = {"lost_evidence": {"unknown": lost}} if lost else {}
    return found.evidence, {**meta, **distance(found.evidence, order)}


def distance(turns: Iterable[str], order: Mapping[str, int]) -> dict[str, int]:
    """Return the number of turns that follow the last of these, as meta; none give none."""
    places = [order[turn] for turn in turns]
    return {"distance": len(order) - 1 - max(places)} if places else {}


def _leaves(value: object) -> Iterator[tuple[object, int]]:
    """Yield what is in lists and objects with the number of lists around it, in order."""
    waiting = [(value, 0)]
    while waiting:
        thing, depth = waiting.pop()
        if isinstance(thing, dict):
            waiting += [(member, depth) for member in reversed(thing.values())]
        elif isinstance(thing, list):
            waiting += [(member, depth + 1) for member in reversed(thing)]
        elif thing is not None or depth:
            yield thing, depth


def _meant(leaf: object, known: Container[str]) -> tuple[list[str], str]:
    """Return the turns that a citation names, and what is wrong with it."""
    name = name_of(leaf)
    if name is None:
        return [], "no id"
    if name in known:
        return [name], ""
    good = [number for number in _NUMBER.findall(name) if number in known]
    if isinstance(leaf, str) and good:
        return good, "id in other text"
    return [], "id of no turn"
