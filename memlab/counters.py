"""What strategies count themselves (`stats`): page faults, hits, rejected facts, duplicates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import RunData

_OF = {"hits": ("accesses", "reads"), "faults": ("accesses",), "thrash": ("faults",)}
"""What a counter is a share of, where the strategy counts that as well."""


class Counted(NamedTuple):
    """The counters of a strategy, one mapping for each conversation.

    `budget` is None, unless each budget had a memory of its own, as of those that learn on read.
    """

    strategy: str
    budget: int | None
    conversations: tuple[Mapping[str, float], ...]

    def total(self, name: str) -> float:
        """Return a counter, added up over conversations."""
        return sum(counts.get(name, 0) for counts in self.conversations)

    def share(self, name: str) -> float:
        """Return a counter's share of what it is a part of; NaN where that is not counted or 0."""
        known = {name for counts in self.conversations for name in counts}
        whole = next((self.total(n) for n in _OF.get(name, ()) if n in known), 0)
        return self.total(name) / whole if whole else math.nan

    @property
    def names(self) -> list[str]:
        """The names of the counters."""
        return sorted({name for counts in self.conversations for name in counts})


def counted(results: RunData) -> list[Counted]:
    """Return what was counted, by strategy, and by budget where each had a memory of its own."""
    budgets = list(dict.fromkeys(budget for _, budget in results.groups))
    found: dict[tuple[str, int | None], list[Mapping[str, float]]] = {}
    for facts in results.facts:
        passes = facts.get("passes", [])
        each = passes if len(passes) == len(budgets) else [facts.get("stats", {})]
        named = budgets if each is passes else [None]
        for budget, counts in zip(named, each, strict=True):
            plain = {name: value for name, value in counts.items() if value is not None}
            if plain:
                found.setdefault((facts["strategy"], budget), []).append(plain)
    return [Counted(*key, tuple(counts)) for key, counts in found.items()]


def counter_table(results: RunData) -> pd.DataFrame:
    """Return one line per strategy and counter: in all, per conversation, as a share."""
    import pandas as pd

    rows: list[dict[str, Any]] = [
        {
            "strategy": one.strategy,
            "budget": one.budget,
            "counter": name,
            "total": one.total(name),
            "per_conversation": one.total(name) / len(one.conversations),
            "share": one.share(name),
        }
        for one in counted(results)
        for name in one.names
    ]
    columns = ["strategy", "budget", "counter", "total", "per_conversation", "share"]
    return pd.DataFrame(rows, columns=columns)


def counter_notes(results: RunData) -> Iterator[str]:
    """Yield a line for each strategy: its counters that are not 0, and the shares of some."""
    for one in counted(results):
        at = "" if one.budget is None else f" at {one.budget}"
        told = [_told(one, name) for name in one.names if one.total(name)]
        yield f"counted by {one.strategy!r}{at}: {', '.join(told) or 'nothing'}"


def _told(one: Counted, name: str) -> str:
    share = one.share(name)
    return f"{name} {one.total(name):g}" + ("" if math.isnan(share) else f" ({share:.1%})")


def totals(counts: Sequence[Counted], strategy: str, budget: int | None) -> dict[str, float]:
    """Return the totals of what a strategy counted at a budget."""
    own = [c for c in counts if c.strategy == strategy and c.budget in (None, budget)]
    return {name: own[0].total(name) for name in own[0].names} if own else {}
