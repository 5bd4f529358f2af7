"""One rule for what an item says of its sources, for a replay and for the contract alike."""

from __future__ import annotations

from collections.abc import Callable

from memlab.types import Item

CARRIED = ("turn", "excerpt")
"""The kinds whose text is that of their one source, or a part of it."""


def item_fault(item: Item, turn_text: Callable[[str], str | None]) -> str | None:
    """Say what is wrong with an item's sources, or return None.

    `turn_text` returns the text of a turn that was written, or None. A `turn` has the text of
    its one source, nothing before or after; an `excerpt` is one stretch of it, and may end in
    "…". Any other kind may hold any text.

    >>> said = {"1": "I moved to Oslo in May."}
    >>> item_fault(Item("I moved to Oslo…", ("1",), "excerpt"), said.get)
    >>> item_fault(Item("Ann: I moved", ("1",), "fact"), said.get)
    >>> str(item_fault(Item("Oslo", ("2",), "fact"), said.get)).partition(";")[0]
    "an item of kind 'fact' names ['2'] as its source"
    """
    if item.kind == "turn" and len(item.sources) == 1 and item.text == turn_text(item.sources[0]):
        return None
    unknown = [source for source in item.sources if turn_text(source) is None]
    if unknown:
        return (
            f"an item of kind {item.kind!r} names {unknown} as its source; "
            "expected ids of turns written so far"
        )
    if item.kind not in CARRIED:
        return None
    if len(item.sources) != 1:
        return (
            f"an item of kind {item.kind!r} has {len(item.sources)} sources; expected exactly "
            "one; use another kind, such as 'page', for a text made from several turns"
        )
    return _carries(item, turn_text(item.sources[0]) or "")


def _carries(item: Item, said: str) -> str | None:
    expected = "exactly that text"
    if item.kind == "excerpt":
        part = item.text.rstrip().removesuffix("…").rstrip()
        if item.text in said or part in said:
            return None
        expected = "a part of it, without a gap"
    return (
        f"an item of kind {item.kind!r} is not the text of its turn {item.sources[0]!r}: "
        f"{item.text[:60]!r} of {said[:60]!r}; expected {expected}; "
        "a part of a turn is an 'excerpt', a text around it a 'page', other words a 'fact'"
    )
