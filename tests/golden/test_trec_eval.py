"""Agreement with trec_eval on 1,000 random rankings."""

import numpy as np
import pytest

from memlab.metrics.retrieval import (
    AP,
    MRR,
    NDCG,
    Precision,
    Recall,
    RecallAny,
    RPrecision,
)
from memlab.rankings import Rankings
from memlab.types import Record

pytrec_eval = pytest.importorskip("pytrec_eval")

MEASURES = {
    "map": AP(),
    "map_cut_10": AP(k=10),
    "recip_rank": MRR(),
    "ndcg": NDCG(),
    "ndcg_cut_5": NDCG(k=5),
    "ndcg_cut_10": NDCG(k=10),
    "P_5": Precision(k=5),
    "P_100": Precision(k=100),
    "set_P": Precision(),
    "Rprec": RPrecision(),
    "recall_5": Recall(k=5),
    "recall_10": Recall(k=10),
    "set_recall": Recall(),
    "success_1": RecallAny(k=1),
    "success_10": RecallAny(k=10),
}


def rankings():
    """1,000 rankings of 1 to 60 of 80 ids, with 1 to 15 pieces of evidence each."""
    rng = np.random.default_rng(7)
    ids = np.array([f"D{n % 9}:{n}" for n in range(80)])
    for n in range(1000):
        yield (
            f"q{n}",
            rng.permutation(ids)[: rng.integers(1, 61)].tolist(),
            rng.choice(ids, rng.integers(1, 16), replace=False).tolist(),
        )


@pytest.fixture(scope="module")
def both():
    data = list(rankings())
    # Strictly falling scores: trec_eval sorts again, and breaks ties by id.
    run = {q: {d: 100.0 - i for i, d in enumerate(ranked)} for q, ranked, _ in data}
    gold = {q: dict.fromkeys(evidence, 1) for q, _, evidence in data}
    theirs = pytrec_eval.RelevanceEvaluator(gold, set(MEASURES)).evaluate(run)
    ours = Rankings.of(
        Record(
            strategy="s",
            conversation="c",
            probe=q,
            budget=None,
            ranked=tuple(ranked),
            evidence=tuple(evidence),
        )
        for q, ranked, evidence in data
    )
    return [q for q, _, _ in data], ours, theirs


@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_equals_trec_eval(measure, both):
    queries, ours, theirs = both
    expected = [theirs[q][measure] for q in queries]
    assert len(expected) == 1000
    np.testing.assert_allclose(MEASURES[measure](ours), expected, rtol=0, atol=1e-9)
