"""The messages and questions that every peer gets: the same in every run."""

from __future__ import annotations

import numpy as np

from memlab.peers.peer import Message

WORDS = 20
"""Words of a message, drawn by Zipf's law: about a LoCoMo turn's length."""
_VOCABULARY = 20_000


def messages(count: int) -> list[Message]:
    """Return messages in turns of user and assistant, no two of the same text.

    >>> [(one.id, one.role) for one in messages(2)]
    [('m0', 'user'), ('m1', 'assistant')]
    """
    return [
        Message(f"m{i}", f"n{i} {words}", ("user", "assistant")[i % 2])
        for i, words in enumerate(_drawn(count, WORDS, seed=0))
    ]


def questions(count: int) -> list[str]:
    """Return questions of six words.

    >>> len(questions(3)[0].split())
    6
    """
    return _drawn(count, 6, seed=1)


def _drawn(count: int, words: int, *, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    ranks = np.minimum(rng.zipf(1.3, count * words), _VOCABULARY).reshape(count, words)
    return [" ".join(f"w{rank}" for rank in row) for row in ranks.tolist()]
