"""Evidence references as annotators write them (`D8:6; D9:17`), mended or given up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memlab.types import Action

_ID = re.compile(r"D:?(\d{1,9}):(\d{1,9})")
_RANGE = re.compile(r"(?:\s*[-–—~]\s*|\s+to\s+)(?:D:?(\d{1,9}):)?(\d{1,9})")

Fault = tuple[str, str, Action]


class Mended(NamedTuple):
    """Evidence after repair, and what was wrong with it: (kind, found, action)."""

    evidence: tuple[str, ...]
    faults: list[Fault]


def mend(references: Sequence[str], known: Mapping[str, object]) -> Mended:
    """Return the turns that evidence strings mean, in their order, each once.

    A range stands for the known ids inside it; its end may leave out the number of the session.

    >>> mend(["D8:6; D9:17", "D:1:2", "D3:05", "D"], {"D8:6": 0, "D9:17": 0, "D1:2": 0}).evidence
    ('D8:6', 'D9:17', 'D1:2')
    >>> mend(["D2:1-D2:3"], {"D2:1": 0, "D2:3": 0, "D2:4": 0}).evidence
    ('D2:1', 'D2:3')
    """
    faults: list[Fault] = []
    found: list[str] = []
    if not references:
        faults.append(("no evidence", "[]", "reported"))
    for reference in references:
        if reference in known:
            found.append(reference)
            continue
        meant = list(_meant(reference, known))
        good = [turn for _, turns in meant for turn in turns]
        found += good
        if good or len(meant) < 2:
            kind = _kind(reference, [written for written, _ in meant], good)
            faults.append((kind, reference, "repaired" if good else "dropped"))
        if len(meant) > 1:
            faults += [("id of no turn", written, "dropped") for written, ts in meant if not ts]
    once = tuple(dict.fromkeys(found))
    if len(once) < len(found):
        faults.append(("repeated id", " ".join(references), "repaired"))
    return Mended(once, faults)


def _meant(reference: str, known: Mapping[str, object]) -> Iterator[tuple[str, list[str]]]:
    """Yield each id or range of a string, and the known turns that it names."""
    place = 0
    while (match := _ID.search(reference, place)) is not None:
        first = (int(match[1]), int(match[2]))
        written = f"D{first[0]}:{first[1]}"
        place = match.end()
        if (to := _RANGE.match(reference, place)) is None:
            yield written, [written] if written in known else []
            continue
        place = to.end()
        last = (int(to[1] or first[0]), int(to[2]))
        yield f"{written}-D{last[0]}:{last[1]}", _between(min(first, last), max(first, last), known)


def _between(
    first: tuple[int, int], last: tuple[int, int], known: Mapping[str, object]
) -> list[str]:
    places = ((turn, _ID.fullmatch(turn)) for turn in known)
    return [turn for turn, m in places if m and first <= (int(m[1]), int(m[2])) <= last]


def _kind(reference: str, meant: list[str], good: list[str]) -> str:
    if not meant:
        return "cut-off id"
    if not good:
        return "id of no turn"
    if any("-" in written for written in meant):
        return "range of ids"
    if len(meant) > 1:
        return "several ids in one string"
    if "D:" in reference:
        return "stray colon"
    return "zero-padded id" if re.search(r"(D|:)0", reference) else "id in other text"
