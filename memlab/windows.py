"""The surroundings of a turn: the turns of its episode within some tokens, and their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Spans(NamedTuple):
    """Half-open ranges of rows, `first` to `last`."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of `values` (one row a turn) over each range."""
        total = np.zeros((len(values) + 1, *values.shape[1:]))
        np.cumsum(values, axis=0, out=total[1:])
        return total[self.last] - total[self.first]


def around(tokens: NDArray[np.int64], episodes: NDArray[np.int64], width: int) -> Spans:
    """Return for each turn the turns of its episode at most `width` tokens away.

    The distance is that between the middles of two turns, so long messages are far apart.
    `episodes` numbers the episode of each turn and never falls.

    >>> around(np.array([40, 40, 40, 900]), np.array([0, 0, 1, 1]), 100).last.tolist()
    [2, 2, 3, 4]
    """
    apart = np.r_[0, np.cumsum(np.diff(episodes) != 0)] if len(episodes) else episodes
    middle = np.cumsum(tokens) - tokens / 2 + apart * (width + 1.0)
    return Spans(
        np.searchsorted(middle, middle - width, side="left"),
        np.searchsorted(middle, middle + width, side="right"),
    )


def whole(episodes: NDArray[np.int64]) -> tuple[Spans, NDArray[np.int64]]:
    """Return the range of each episode, and for each turn the number of its range.

    >>> whole(np.array([4, 4, 9]))[0].last.tolist(), whole(np.array([4, 4, 9]))[1].tolist()
    ([2, 3], [0, 0, 1])
    """
    _, first, number = np.unique(episodes, return_index=True, return_inverse=True)
    return Spans(first, np.r_[first[1:], len(episodes)]), number


def bm25(
    counts: NDArray[np.float64], lengths: NDArray[np.float64], k1: float, b: float
) -> NDArray[np.float64]:
    """Score texts by BM25 from their counts of each query term, shape (texts, terms).

    The formula is that of `memlab.indexes.Postings`; a text without a query term has 0.
    """
    size, held = len(counts), np.count_nonzero(counts, axis=0)
    average = lengths.sum() / size if size else 0.0
    if not average:
        return np.zeros(size)
    idf = np.log1p((size - held + 0.5) / (held + 0.5))
    norm = k1 * (1 - b + b * lengths / average)
    norm[lengths == 0] = 1.0
    scores: NDArray[np.float64] = (counts / (counts + norm[:, None])) @ idf
    return scores


def scaled(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return values brought to [0, 1], the least to 0, the largest to 1; all equal: 0.

    >>> scaled(np.array([1.0, 3.0, 2.0])).tolist()
    [0.0, 1.0, 0.5]
    """
    if not len(values):
        return np.zeros(0)
    low, high = float(values.min()), float(values.max())
    return (values.astype(np.float64) - low) / (high - low or 1.0)
