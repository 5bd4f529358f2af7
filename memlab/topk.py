"""Best first, ties in the order given: the one place where scores become a ranking."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memlab.errors import ContractError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FIRST = 128
_BLOCK = 64


def best(rows: NDArray[np.int64], scores: NDArray[np.floating]) -> Iterator[tuple[int, float]]:
    """Yield (row, score) from the highest score down; minus infinity is never yielded.

    Lazy: a reader that stops early pays for a selection, not for a full sort.

    Raises:
        ContractError: a score is NaN, which has no place in a ranking.
    """
    import numpy as np

    tops = _tops(scores)
    if len(tops) and np.isnan(tops.max()):
        wrong = np.flatnonzero(np.isnan(scores))
        raise ContractError(
            f"{len(wrong)} of {len(scores)} scores are NaN, the first that of row {rows[wrong[0]]}",
            "a number for each row, minus infinity where it does not match",
            "mend the scorer: a division 0 / 0, or the logarithm of a negative number?",
        )
    done, wanted, floor = 0, _FIRST, math.inf
    while floor > -math.inf:
        floor = _floor(scores if wanted >= len(tops) else tops, wanted)
        chosen = np.flatnonzero(scores >= floor if floor > -math.inf else scores > floor)
        order = chosen[np.argsort(-scores[chosen], kind="stable")]
        for i in order[done:].tolist():
            yield int(rows[i]), float(scores[i])
        done, wanted = len(order), 4 * len(order)


def _tops(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the highest score of every block: one cheap pass instead of several over all."""
    import numpy as np

    whole = len(scores) // _BLOCK * _BLOCK
    tops = scores[:whole].reshape(_BLOCK, -1).max(axis=0)
    return np.concatenate([tops, scores[whole:]])


def _floor(scores: NDArray[np.floating], wanted: int) -> float:
    """Return a score that at least `wanted` are not below; minus infinity if there are fewer."""
    import numpy as np

    at = len(scores) - wanted
    return float(np.partition(scores, at)[at]) if at > 0 else -math.inf
