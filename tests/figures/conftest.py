"""Hand-made results for the pictures."""

import pytest

from memlab.metrics.retrieval import Recall
from memlab.results import Results
from memlab.types import Record

CATEGORIES = {0: "hard", 3: "easy", 40: "middling"}


@pytest.fixture
def make():
    """Return a function that makes results: labels x 8 conversations x distances x budgets.

    Strategy number s finds the evidence where talk + distance is a multiple of s + 2. The
    first read of a conversation takes 1 ms, others 0.1 (s + 1) and 0.1 (s + 2); a write 1 µs.
    After 16 and 32 turns it holds (s + 1) bytes a turn, at the end 1,000 for each talk so far.
    """

    def build(labels=("a", "b"), *, budgets=(100,), datasets=("",), talks=8, name="set", jobs=1):
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
                                    category=CATEGORIES[distance],
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
                    latencies.append(names | {"read": times} | written(40))
                    facts.append(names | {"bytes": 1000 * (talk + 1)} | held(at + 1))
        manifest = {"dataset": {"name": name}, "jobs": jobs}
        return Results(records, facts, latencies, manifest, [Recall(k=1)])

    return build


def written(turns):
    """Return the latencies of so many writes of 1,000 ns, of one flush, and no encoding."""
    writes = {"total": 1000 * turns, "buckets": [[111, turns]]}  # bucket 5 * 16 + (1000 >> 5)
    return {"write": writes, "flush": {"total": 0, "count": 1}, "maintain": 0, "encode": {}}


def held(size):
    """Return the facts of a conversation of 40 turns, of which so many bytes each are held."""
    samples = [{"turns": n, "bytes": n * size, "items": n, "tokens": 5 * n} for n in (16, 32)]
    told = {"turns": 40, "tokens_written": 200, "growth": samples}
    return told | {"held": {"kind": {"turn": [40, 200]}}}
