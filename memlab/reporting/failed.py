"""Which reads went wrong, and how: the worst of each strategy, up to a number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from memlab.protocols import Metric
from memlab.rundata import Group, RunData
from memlab.scoring import as_metric

KINDS = (
    "read failed",
    "leak: another user's turn",
    "residue: a forgotten turn",
    "superseded turn first",
    "evidence missed",
    "evidence incomplete",
)
"""What can go wrong with a read, worst first; a read may have several."""
_ERROR, _LEAK, _RESIDUE, _STALE, _MISSED, _INCOMPLETE = range(len(KINDS))
_VERDICTS = {_LEAK: "leak", _RESIDUE: "residue"}


@dataclass(frozen=True, slots=True)
class Failed:
    """The reads that are shown, as positions of records; `total` were found.

    `kinds` and `values` (of the metric) are those of every record.
    """

    shown: tuple[int, ...]
    total: int
    kinds: tuple[tuple[int, ...], ...]
    values: NDArray[np.float64]


def failed(results: RunData, metric: Metric | str, most: int) -> Failed:
    """Return the reads on which something went wrong, worst first.

    Of too many, every strategy and budget has the same share of its worst, so that a floor
    such as no memory does not crowd out the others.
    """
    values = results.values(as_metric(metric))
    stale = results.values("StaleHit()")
    kinds = tuple(
        _kinds(results, i, float(value), float(stale[i])) for i, value in enumerate(values)
    )
    asked: dict[tuple[str, str], int] = {}
    for record in results.records:
        asked.setdefault((record.conversation, record.probe), len(asked))

    def order(i: int) -> tuple[int, float, int, int]:
        """Put the worst first; of equal ones, all strategies on a question side by side."""
        record, value = results.records[i], float(values[i])
        badness = math.inf if math.isnan(value) else value
        return kinds[i][0], badness, asked[record.conversation, record.probe], i

    queues = {
        group: sorted((i for i in at.tolist() if kinds[i]), key=order)
        for group, at in results.groups.items()
    }
    total = sum(map(len, queues.values()))
    kept = chain.from_iterable(queues[g][:n] for g, n in _shares(queues, most).items())
    return Failed(tuple(sorted(kept, key=order)), total, kinds, values)


def _kinds(results: RunData, i: int, value: float, stale: float) -> tuple[int, ...]:
    record = results.records[i]
    if record.error is not None:
        return (_ERROR,)
    found = [kind for kind, name in _VERDICTS.items() if record.verdicts.get(name)]
    found += [_STALE] if stale > 0 else []
    if value < 1:  # never of NaN: the metric is not about this probe
        found.append(_INCOMPLETE if value > 0 else _MISSED)
    return tuple(found)


def _shares(queues: dict[Group, list[int]], most: int) -> dict[Group, int]:
    """Return how many each may show: shorter queues leave their rest to the others."""
    shares = dict.fromkeys(queues, 0)
    left = most
    waiting = sorted(queues, key=lambda group: len(queues[group]))
    for n, group in enumerate(waiting):
        shares[group] = min(len(queues[group]), left // (len(waiting) - n))
        left -= shares[group]
    return shares
