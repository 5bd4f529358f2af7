"""What of the hits goes into the budget: up to the first misfit, past it, or the best set."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from memlab.checking import check_choice, check_methods, check_number
from memlab.errors import ContractError
from memlab.naming import part, strategy
from memlab.protocols import Embedder, Memory
from memlab.text import terms
from memlab.types import Item, Query
from memlab.wrapping import Wrapper

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CELLS = 50_000


@strategy
class BudgetSelector(Wrapper):
    """Choose among the hits of the memory inside what fills the budget.

    The hits are those of a read without a budget, at most 100. `fill="stop"` ends at the first
    that does not fit, as every memory does; `"skip"` passes it over and goes on; `"knapsack"`
    takes the set with the largest sum of scores; `"mmr"` takes, among those that still fit, always
    the one with the largest `trade` · score − (1 − `trade`) · likeness to the nearest one taken.
    If all hits fit, nothing is chosen, and the memory inside is read at the budget.

    Scores are those of the memory inside where they fall and are not negative, else they fall
    evenly by rank; for MMR they are divided by the largest. Likeness is the share of distinct terms
    in common (Jaccard), or the cosine of an `embedder`. A tool call and its results are one hit.
    The knapsack is exact up to 50,000 tokens; beyond, lengths are rounded up to 1/50,000 of it.

    Except for `"stop"`, a larger budget may leave out what a smaller one returned, so that the
    contract's check of that (`larger_budgets_go_on`) does not apply: it asks `chooses`.

    Source: Carbonell and Goldstein (1998), "The Use of MMR, Diversity-Based Reranking", SIGIR;
        Bellman (1957), "Dynamic Programming", for the knapsack.

    >>> BudgetSelector(fill="knapsack")
    BudgetSelector(fill='knapsack')
    """

    inner: Memory = part("BM25()")
    fill: str = "skip"
    trade: float = 0.5
    embedder: Embedder | None = None

    @property
    def chooses(self) -> bool:
        """Whether its ranking may change with the budget."""
        return self.fill != "stop"

    def reset(self) -> None:
        """Forget everything.

        Raises:
            ConfigError: an unknown fill, trade outside [0, 1], a part that is none.
        """
        check_choice("fill", self.fill, ("stop", "skip", "knapsack", "mmr"))
        check_number("trade", self.trade, high=1.0)
        if self.embedder is not None:
            check_methods("embedder", self.embedder, "encode identity")
        super().reset()
        self._left_out = 0

    def read(self, query: Query, budget: int | None) -> list[Item]:
        """Return what was chosen, best first; by MMR, in the order it was taken."""
        if budget == 0:
            return []
        hits = self.inner.read(query, None)
        groups = list(self.together(hits))
        sizes = [self.tokens_in(group) for group in groups]
        limit = sys.maxsize if budget is None else budget
        if self.fill == "mmr" and hits:
            chosen = self._diverse(groups, sizes, limit)
        elif sum(sizes) <= limit:
            chosen = list(range(len(groups)))
        else:
            chosen = self._chosen(groups, sizes, limit)
        self._left_out += len(groups) - len(chosen)
        items = [item for number in chosen for item in groups[number]]
        # What is beyond the 100 hits comes behind them, and only if they all fit.
        more = self.deeper(query, hits, budget)[len(hits) :] if len(chosen) == len(groups) else []
        return self.fitting([[item] for item in items] + list(self.together(more)), budget)

    def _chosen(self, groups: Sequence[list[Item]], sizes: Sequence[int], limit: int) -> list[int]:
        if self.fill == "knapsack":
            return knapsack(_values(groups), sizes, limit)
        chosen, left = [], limit
        for number, size in enumerate(sizes):
            if size <= left:
                chosen.append(number)
                left -= size
            elif self.fill == "stop":
                break
        return chosen

    def _diverse(self, groups: Sequence[list[Item]], sizes: Sequence[int], limit: int) -> list[int]:
        """Return the numbers of groups in the order of maximal marginal relevance."""
        values = _values(groups)
        top = max(values) or 1.0
        alike = self._likeness(["\n".join(item.text for item in group) for group in groups])
        nearest = [0.0] * len(groups)
        rest, left = list(range(len(groups))), limit
        chosen: list[int] = []
        while rest := [number for number in rest if sizes[number] <= left]:
            gain = {
                n: round(self.trade * values[n] / top - (1 - self.trade) * nearest[n], 9)
                for n in rest
            }
            taken = max(rest, key=lambda n: (gain[n], -n))
            chosen.append(taken)
            rest.remove(taken)
            left -= sizes[taken]
            for number in rest:
                nearest[number] = max(nearest[number], alike(taken, number))
        return chosen

    def _likeness(self, texts: Sequence[str]) -> Callable[[int, int], float]:
        if self.embedder is not None:
            vectors = self.run.embed(self.embedder, texts, "document")
            cosines: NDArray[np.float32] = vectors @ vectors.T
            return lambda one, other: float(cosines[one, other])
        bags = [frozenset(terms(text)) for text in texts]

        def jaccard(one: int, other: int) -> float:
            common = len(bags[one] & bags[other])
            return common / (len(bags[one]) + len(bags[other]) - common or 1)

        return jaccard

    def stats(self) -> Mapping[str, int | float]:
        """Return how many hits were left out, and the counters inside."""
        return {**super().stats(), "hits left out": self._left_out}


def _values(groups: Sequence[list[Item]]) -> list[float]:
    """Return the scores of groups, best first; by rank where scores do not tell."""
    scores = [group[0].score for group in groups]
    falling = all(one >= other for one, other in pairwise(scores))
    if falling and scores[-1] >= 0 and scores[0] > scores[-1] and math.isfinite(scores[0]):
        return scores
    return [1.0 - number / len(groups) for number in range(len(groups))]


def knapsack(values: Sequence[float], sizes: Sequence[int], limit: int) -> list[int]:
    """Return the numbers, in order, of the set of largest value whose sizes fit the limit.

    Of equal sets the one with the first that differs is taken. Raises: ContractError for a
    negative value.

    >>> knapsack([3.0, 2.0, 2.0], [5, 3, 3], 6)
    [1, 2]
    """
    import numpy as np

    if any(value < 0 for value in values):
        raise ContractError(f"values {min(values)}", "values of at least 0")
    unit = max(1, math.ceil(limit / _CELLS))
    room = limit // unit
    weights = [math.ceil(size / unit) for size in sizes]
    best = np.zeros(room + 1)
    taken = np.zeros((len(values), room + 1), dtype=bool)
    for number in range(len(values) - 1, -1, -1):
        weight, value = weights[number], values[number]
        if weight > room:
            continue
        with_it = best[: room + 1 - weight] + value
        taken[number, weight:] = with_it >= best[weight:]
        best[weight:] = np.maximum(best[weight:], with_it)
    chosen = []
    for number, weight in enumerate(weights):
        if taken[number, room]:
            chosen.append(number)
            room -= weight
    return chosen
