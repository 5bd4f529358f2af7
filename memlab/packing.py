"""Items put together under a budget, group by group."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from memlab.history import MOST, History
from memlab.types import Item


def whole(history: History, rows: Iterable[int]) -> Iterable[list[Item]]:
    """Yield the items of rows, each once, a tool call with its results; lone results are left out.

    A call and its results come where the first of them stands.
    """
    seen: set[int] = set()
    for row in rows:
        group = history.group(row) if row not in seen else []
        seen.update(group)
        if group:
            yield [Item.of(history[member]) for member in group]


def packed(
    history: History,
    groups: Iterable[Sequence[Item]],
    budget: int | None,
    tokens: int | None = None,
) -> list[Item]:
    """Return the items of the groups up to the first group that does not fit.

    `tokens` is a limit of the memory's own, beside the budget. Without a budget items end at 100.
    A first turn that is too long by itself comes back cut short, as an excerpt: the message that
    is being answered must not vanish.
    """
    count = history.run.count
    limits = [limit for limit in (budget, tokens) if limit is not None]
    limit = min(limits, default=math.inf)
    most = math.inf if budget is not None else MOST
    kept: list[Item] = []
    left = limit
    for group in groups:
        left -= sum(count(item.text) for item in group)
        if left < 0 or len(kept) + len(group) > most:
            return kept or _excerpt(history, group, int(limit))
        kept.extend(group)
    return kept


def _excerpt(history: History, group: Sequence[Item], budget: int) -> list[Item]:
    if len(group) != 1 or group[0].kind != "turn":  # no part of a tool call goes alone
        return []
    text = history.run.counter.truncate(group[0].text, budget)
    return [Item(text, group[0].sources, "excerpt")] if text.strip() else []


def capped(history: History, items: Sequence[Item], tokens: int) -> list[Item]:
    """Return the first items that hold `tokens` tokens together, at most."""
    return packed(history, ([item] for item in items), tokens)


def last_exchanges(history: History, user: str, wanted: int) -> list[list[int]]:
    """Return the rows of a user's last exchanges, the newest exchange first, each newest first.

    An exchange is a user turn and all that follows it up to the next user turn.
    """
    found: list[list[int]] = []
    rows: list[int] = []
    for row in history.newest(user) if wanted else ():
        rows.append(row)
        if history[row].role == "user":
            found.append(rows)
            rows = []
            if len(found) == wanted:
                return found
    return [*found, rows] if rows else found
