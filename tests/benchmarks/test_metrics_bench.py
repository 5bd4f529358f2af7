"""10,000 queries × 50 results × 4 metrics, beside pytrec_eval.

Run with `pytest tests/benchmarks/test_metrics_bench.py --benchmark-only`. `lists` starts from
lists of ids and pays for making records; `records` starts where a run ends. The first call
counts as any other: nothing is compiled and nothing is kept between calls.
"""

import numpy as np
import pytest

from memlab.metrics.retrieval import MRR, NDCG, Precision, Recall
from memlab.rankings import Rankings
from memlab.types import Record

pytrec_eval = pytest.importorskip("pytrec_eval")

QUERIES, RESULTS = 10_000, 50
METRICS = (Recall(k=10), Precision(k=10), NDCG(k=10), MRR())
MEASURES = {"recall_10", "P_10", "ndcg_cut_10", "recip_rank"}


@pytest.fixture(scope="module")
def lists():
    rng = np.random.default_rng(1)
    ids = [f"D{n % 30}:{n}" for n in range(700)]
    ranked = [[ids[i] for i in rng.choice(700, RESULTS, replace=False)] for _ in range(QUERIES)]
    gold = [[*r[: rng.integers(0, 3)], ids[rng.integers(700)]] for r in ranked]
    return ranked, [list(dict.fromkeys(g)) for g in gold]


def records(ranked, gold):
    return [
        Record(
            strategy="s",
            conversation="c",
            probe=str(n),
            budget=None,
            ranked=tuple(r),
            evidence=tuple(g),
        )
        for n, (r, g) in enumerate(zip(ranked, gold, strict=True))
    ]


def score(rows):
    rankings = Rankings.of(rows)
    return [metric(rankings) for metric in METRICS]


@pytest.mark.benchmark(group="metrics 10k x 50 x 4")
def test_memlab_from_records(benchmark, lists):
    values = benchmark(score, records(*lists))
    assert len(values[0]) == QUERIES


@pytest.mark.benchmark(group="metrics 10k x 50 x 4")
def test_memlab_from_lists(benchmark, lists):
    values = benchmark(lambda: score(records(*lists)))
    assert len(values[0]) == QUERIES


@pytest.mark.benchmark(group="metrics 10k x 50 x 4")
def test_pytrec_eval_from_dicts(benchmark, lists):
    ranked, gold = lists
    run = {str(n): {d: 100.0 - i for i, d in enumerate(r)} for n, r in enumerate(ranked)}
    truth = {str(n): dict.fromkeys(g, 1) for n, g in enumerate(gold)}
    values = benchmark(lambda: pytrec_eval.RelevanceEvaluator(truth, MEASURES).evaluate(run))
    ours = score(records(*lists))[0].mean()
    assert ours == pytest.approx(np.mean([v["recall_10"] for v in values.values()]))
