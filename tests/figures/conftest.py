"""Hand-made results for the pictures."""

import pytest

from memlab.metrics.retrieval import Recall
from memlab.results import Results
from memlab.types import Record


@pytest.fixture
def make():
    """Return a function that makes results: labels x 8 conversations x distances x budgets."""

    def build(labels=("a", "b"), *, budgets=(100,), datasets=("",), talks=8, name="set"):
        records, latencies, facts = [], [], []
        for at, label in enumerate(labels):
            for dataset in datasets:
                for talk in range(talks):
                    names = {"strategy": label, "conversation": f"{dataset}/{talk}"}
                    times = {}
                    for budget in budgets:
                        for distance in (0, 3, 40):
                            hit = (talk + distance) % (at + 2) == 0
                            records.append(
                                Record(
                                    **names,
                                    dataset=dataset,
                                    probe=f"p{distance}",
                                    budget=budget,
                                    evidence=("e",),
                                    ranked=("e",) if hit else ("x",),
                                    ranked_sessions=(0,),
                                    evidence_sessions=(0,),
                                    candidates=100 * (1 + talk % 4),
                                    tokens=10 * (at + 1),
                                    dials={"distance": distance, "overlap": distance / 50},
                                )
                            )
                        times[str(budget)] = [10**6, 10**5 * (at + 1), 10**5 * (at + 2)]
                    latencies.append(names | {"read": times})
                    facts.append(names | {"bytes": 1000 * (talk + 1)})
        manifest = {"dataset": {"name": name}, "jobs": 1}
        return Results(records, facts, latencies, manifest, [Recall(k=1)])

    return build
