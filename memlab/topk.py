"""Best first, ties in the order given: the one place where scores become a ranking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memlab.errors import ContractError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FIRST = 128


def best(rows: NDArray[np.int64], scores: NDArray[np.floating]) -> Iterator[tuple[int, float]]:
    """Yield (row, score) from the highest score down; minus infinity is never yielded.

    Lazy: a reader that stops early pays for a selection, not for a full sort.

    Raises:
        ContractError: a score is NaN, which has no place in a ranking.
    """
    import numpy as np

    if len(scores) and np.isnan(scores.max()):
        wrong = np.flatnonzero(np.isnan(scores))
        raise ContractError(
            f"{len(wrong)} of {len(scores)} scores are NaN, the first that of row {rows[wrong[0]]}",
            "a number for each row, minus infinity where it does not match",
            "mend the scorer: a division 0 / 0, or the logarithm of a negative number?",
        )
    live = int(np.count_nonzero(scores > -np.inf))
    done, wanted = 0, _FIRST
    while done < live:
        wanted = min(wanted, live)
        if wanted < live:
            floor = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
            chosen = np.flatnonzero(scores >= floor)
        else:
            chosen = np.flatnonzero(scores > -np.inf)
        order = chosen[np.argsort(-scores[chosen], kind="stable")]
        for i in order[done:].tolist():
            yield int(rows[i]), float(scores[i])
        done, wanted = len(order), 4 * len(order)
