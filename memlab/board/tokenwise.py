"""Measures of tokens: what a window is said to cost, and how far estimates of tokens are off."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from memlab.board.rankwise import key, records, scores
from memlab.errors import ConfigError
from memlab.probewise import Scores
from memlab.rundata import RunData
from memlab.text import words
from memlab.tokens import tokenizer
from memlab.types import Record
from memlab.windowcost import window_token_estimate

Estimator = Callable[[str], float]

ESTIMATORS: dict[str, Estimator] = {
    "chars // 3": lambda text: len(text) // 3,
    "words * 1.5": lambda text: len(text.split()) * 1.5,
    "segments * 1.5": lambda text: len(words(text)) * 1.5,
    "estimate": lambda text: tokenizer("estimate").count(text),
}
"""Rules of thumb: by characters, by spaces, by words and CJK bigrams; and memlab's own."""


def window_tokens(results: RunData, strategy: str, budget: int | None, turns: int = 10) -> Scores:
    """Return how far a context's tokens are from min(turns, t) x mean turn length, relative.

    t counts the turns so far; the mean is that of the whole conversation.
    """
    count = tokenizer(results.manifest["resolved"]["tokenizer"]).count
    means = {
        talk.id: float(np.mean([count(turn.text) for turn in talk.turns()]))
        for talk in results.dataset
    }

    def apart(record: Record) -> float:
        mean = means[record.conversation]
        return record.tokens / window_token_estimate(turns, record.candidates, mean) - 1

    found = [record for record in records(results, strategy, budget) if record.candidates]
    return scores([key(record) for record in found], [apart(record) for record in found])


def estimate_ratio(
    results: RunData, strategy: str, budget: int | None, estimator: str = "chars // 3"
) -> Scores:
    """Return the tokens that an estimator gives a context, over those that it has.

    Raises:
        ConfigError: an unknown estimator.
    """
    guess, texts = _estimator(estimator), _texts(results)

    def ratio(record: Record) -> float:
        guesses = (guess(texts[record.conversation, turn]) for turn in record.ranked)
        return sum(guesses) / record.tokens

    found = [record for record in records(results, strategy, budget) if record.tokens]
    return scores([key(record) for record in found], [ratio(record) for record in found])


def packed_share(
    results: RunData,
    strategy: str,
    budget: int | None,
    estimator: str = "chars // 3",
    limit: int = 1000,
) -> Scores:
    """Return the true tokens, over `limit`, of the context that an estimator packs into it.

    The turns that the strategy ranked are packed, best first, while their estimates fit. Where
    all of them do, nothing was cut and the probe is left out.

    Raises:
        ConfigError: an unknown estimator.
    """
    guess, texts = _estimator(estimator), _texts(results)
    count = tokenizer(results.manifest["resolved"]["tokenizer"]).count
    keys, values = [], []
    for record in records(results, strategy, budget):
        used, true = 0.0, 0
        for turn in record.ranked:
            text = texts[record.conversation, turn]
            used += guess(text)
            if used > limit:
                keys.append(key(record))
                values.append(true / limit)
                break
            true += count(text)
    return scores(keys, values)


def _estimator(name: str) -> Estimator:
    if name not in ESTIMATORS:
        raise ConfigError(f"estimator={name!r}", "one of " + ", ".join(ESTIMATORS))
    return ESTIMATORS[name]


def _texts(results: RunData) -> dict[tuple[str, str], str]:
    return {(talk.id, turn.id): turn.text for talk in results.dataset for turn in talk.turns()}
