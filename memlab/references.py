"""Evidence references as annotators write them (`D8:6; D9:17`), mended or given up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memlab.types import Action

_ID = re.compile(r"D:?(\d+):(\d+)")


class Mended(NamedTuple):
    """Evidence after repair, and what was wrong with it: (kind, found, action)."""

    evidence: tuple[str, ...]
    faults: list[tuple[str, str, Action]]


def mend(references: Sequence[str], known: Mapping[str, object]) -> Mended:
    """Return the turns that evidence strings mean, in their order, each once.

    >>> mend(["D8:6; D9:17", "D:1:2", "D3:05", "D"], {"D8:6": 0, "D9:17": 0, "D1:2": 0}).evidence
    ('D8:6', 'D9:17', 'D1:2')
    """
    faults: list[tuple[str, str, Action]] = []
    found: list[str] = []
    if not references:
        faults.append(("no evidence", "[]", "reported"))
    for reference in references:
        if reference in known:
            found.append(reference)
            continue
        meant = [f"D{int(a)}:{int(b)}" for a, b in _ID.findall(reference)]
        good = [turn for turn in meant if turn in known]
        found += good
        faults.append((_kind(reference, meant, good), reference, "repaired" if good else "dropped"))
    once = tuple(dict.fromkeys(found))
    if len(once) < len(found):
        faults.append(("repeated id", " ".join(references), "repaired"))
    return Mended(once, faults)


def _kind(reference: str, meant: list[str], good: list[str]) -> str:
    if not meant:
        return "cut-off id"
    if not good:
        return "id of no turn"
    if len(meant) > 1:
        return "several ids in one string"
    if "D:" in reference:
        return "stray colon"
    return "zero-padded id" if re.search(r"(D|:)0", reference) else "id in other text"
