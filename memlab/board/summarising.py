"""A measure of what summaries cost, beside what the cost model foretells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from memlab.board.counters import facts_of
from memlab.board.rankwise import scores
from memlab.errors import ConfigError
from memlab.parsing import parse
from memlab.passages import passage_of
from memlab.probewise import Scores
from memlab.rundata import RunData
from memlab.summarycost import SummaryCost
from memlab.tokens import tokenizer
from memlab.types import Conversation


def summary_cost(
    results: RunData, strategy: str, budget: int | None, original: bool = False
) -> Scores:
    """Return how far the cost model is from the tokens of a rolling summary, |relative error|.

    One value for each conversation. Measured is what summarising read and wrote, and what the
    memory holds at the end; foretold from the number of turns, their mean length and that of
    their leads, and the strategy's `every`, `ratio` and `tokens`. `original`: by the faulty model.

    Raises:
        ConfigError: the strategy is no rolling summary.
    """
    del budget
    spelt = results.manifest["resolved"]["strategies"][strategy]
    memory: Any = parse(spelt) if isinstance(spelt, str) else None
    wanted = ("every", "ratio", "tokens", "form")
    if not all(hasattr(memory, name) for name in wanted) or hasattr(memory, "tail"):
        raise ConfigError(f"{strategy} is {spelt}", "RollingSummary()")
    count = tokenizer(results.manifest["resolved"]["tokenizer"]).count
    talks = {talk.id: talk for talk in results.dataset}

    def apart(facts: Mapping[str, Any], talk: Conversation) -> float:
        turns = list(talk.turns())
        # The space at a lead's end is part of the next token.
        leads = [passage_of([turn], memory.form).lead.rstrip() for turn in turns]
        foretold = SummaryCost(
            turns=len(turns),
            average=float(np.mean([count(turn.text) for turn in turns])),
            every=memory.every,
            ratio=memory.ratio,
            limit=memory.tokens,
            lead=float(np.mean(list(map(count, leads)))),
            rolling=True,
            original=original,
        )
        return abs(foretold.total / _measured(facts) - 1)

    found = [(key, facts) for key, facts in facts_of(results, strategy) if facts.get("stats")]
    values = [apart(facts, talks[key.conversation]) for key, facts in found]
    return scores([key for key, _ in found], values)


def _measured(facts: Mapping[str, Any]) -> float:
    parts = ("tokens summarised", "tokens reread", "summary tokens written")
    spent = sum(facts["stats"][name] for name in parts)
    return float(spent + sum(tokens for _, tokens in facts["held"]["kind"].values()))
