"""Measures of whole conversations: what a strategy counted, and what it holds at the end."""

from __future__ import annotations

from typing import Any

from memlab.board.rankwise import scores
from memlab.errors import ConfigError
from memlab.probewise import Key, Scores
from memlab.rundata import RunData


def counter(
    results: RunData, strategy: str, budget: int | None, name: str = "", per: str = ""
) -> Scores:
    """Return a counter of the strategy's own (`stats`) for each conversation.

    `per` names a counter to divide by, such as hits per accesses; 0 of 0 is left out.

    Raises:
        ConfigError: the strategy has no such counter.
    """
    del budget
    found = facts_of(results, strategy)
    known = sorted({n for _, facts in found for n in facts.get("stats", {})})
    for wanted in (name, *([per] if per else [])):
        if wanted not in known:
            shown = ", ".join(known) or "none"
            raise ConfigError(f"{strategy} has no counter {wanted!r}", f"one of its own: {shown}")
    pairs = [
        (talk, facts["stats"][name], facts["stats"][per] if per else 1)
        for talk, facts in found
        if {name, *([per] if per else [])} <= set(facts.get("stats", {}))
    ]
    known_pairs = [(talk, value / below) for talk, value, below in pairs if below]
    return scores([key for key, _ in known_pairs], [value for _, value in known_pairs])


def held_tokens(results: RunData, strategy: str, budget: int | None) -> Scores:
    """Return the tokens that a memory holds at the end of each conversation."""
    del budget
    found = facts_of(results, strategy)
    held = [facts.get("held", {}).get("kind", {}) for _, facts in found]
    tokens = [float(sum(count for _, count in kinds.values())) for kinds in held]
    return scores([key for key, _ in found], tokens)


def facts_of(results: RunData, strategy: str) -> list[tuple[Key, dict[str, Any]]]:
    """Return what is known of each conversation that a strategy went through."""
    homes = {record.conversation: record.dataset for record in results.records}
    return [
        (Key(homes.get(facts["conversation"], ""), facts["conversation"], ""), dict(facts))
        for facts in results.facts
        if facts["strategy"] == strategy
    ]
