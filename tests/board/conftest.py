"""Hand-made runs: what every probe of every conversation got, as hits and misses."""

import pytest

from memlab.rundata import RunData
from memlab.types import Record


@pytest.fixture
def make_run():
    """Return a function that makes a run: label -> hits by conversation and probe, at a budget.

    `hits["a"][talk][probe]` is 1 for a hit, 0 for a miss; tokens are those of the budget unless
    given for a label.
    """

    def build(hits, *, budgets=(100,), tokens=None, dials=None, cut=False, stats=None):
        records, facts = [], []
        for label, talks in hits.items():
            for number, probes in enumerate(talks):
                talk = f"c{number}"
                for at, hit in enumerate(probes):
                    for budget in budgets:
                        found = hit(budget) if callable(hit) else hit
                        records.append(
                            Record(
                                strategy=label,
                                conversation=talk,
                                probe=f"p{at}",
                                budget=budget,
                                category="even" if at % 2 == 0 else "odd",
                                evidence=("e",),
                                ranked=("e",) if found else ("x",),
                                evidence_sessions=(0,),
                                ranked_sessions=(0,),
                                candidates=9,
                                items=1,
                                tokens=(tokens or {}).get(label, budget or 50),
                                cut=cut,
                                dials={"distance": at, **(dials or {})},
                            )
                        )
                facts.append(
                    {
                        "strategy": label,
                        "conversation": talk,
                        "stats": (stats or {}).get(label, {}),
                        "held": {"kind": {"turn": [2, 10 + number]}},
                    }
                )
        return RunData(records, facts, [], {"resolved": {}}, [])

    return build
