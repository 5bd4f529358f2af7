"""What no metric says and a claim is about, by name: functions that give scores."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from memlab.board.counters import counter, held_tokens
from memlab.board.rankwise import f_beta, same_ranking
from memlab.board.reordering import same_reordered
from memlab.board.strict import Table
from memlab.board.summarising import summary_cost
from memlab.board.tokenwise import estimate_ratio, packed_share, window_tokens
from memlab.probewise import Scores

Measure = Callable[..., Scores]

MEASURES: dict[str, Measure] = {
    measure.__name__: measure
    for measure in (
        counter,
        estimate_ratio,
        f_beta,
        held_tokens,
        packed_share,
        same_ranking,
        same_reordered,
        summary_cost,
        window_tokens,
    )
}
"""Each is called with the run, a strategy, a budget, and its options by name."""


def read_measure(table: Table) -> tuple[str, dict[str, Any]]:
    """Read `measure` and its `options`; unknown ones are faults."""
    name = table.choice("measure", MEASURES)
    options = table.mapping("options", {})
    if name:
        known = list(inspect.signature(MEASURES[name]).parameters)[3:]
        for option in options:
            if option not in known:
                wanted = ", ".join(known) or "no options"
                table.fault(f"{name} has no option {option!r}", wanted)
    return name, options
