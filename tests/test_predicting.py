"""Does retrieval predict answers? Tables of hand-made runs with their arithmetic."""

import math

import numpy as np
import pytest
from scipy.stats import kendalltau

from memlab.errors import ConfigError
from memlab.metrics import Judged, Recall
from memlab.results import Results
from memlab.types import Record


def record(strategy, talk, probe, *, found, right, dataset="", error=None):
    return Record(
        strategy=strategy,
        conversation=f"{dataset}{talk}",
        dataset=dataset,
        probe=f"{talk}/{probe}",
        budget=None,
        evidence=("e", "f"),
        ranked=("e", "f")[:found],
        items=found,
        verdicts={"judged/judged": right},
        error=error,
    )


def results(records):
    return Results(records, [], [], {"name": "toy", "hash8": "0"}, [Recall()])


def eight():
    """Eight conversations of two probes: a finds both pieces on the first, none on the second."""
    made = []
    for talk in range(8):
        made += [record("a", talk, 0, found=2, right=1.0), record("a", talk, 1, found=0, right=0.5)]
        made += [record("b", talk, 0, found=0, right=0.0), record("b", talk, 1, found=1, right=0.5)]
    return results(made)


def lines(results, **given):
    table = results.predicts(Judged(), **given)
    return {(row.level, row.strategy, row.statistic): row for row in table.itertuples()}


def test_every_statistic_by_hand():
    found = lines(eight())
    auc = found["probes", "a", "AUC"]
    assert (auc.value, auc.low, auc.high, auc.n, auc.clusters) == (1.0, 1.0, 1.0, 16, 8)
    apart = found["probes", "a", "all minus none"]
    assert (apart.value, apart.n, apart.note) == (0.5, 16, "8 with all, 8 with none")
    assert found["probes", "b", "AUC"].value == 1.0
    lacking = found["probes", "b", "all minus none"]
    assert math.isnan(lacking.value)
    assert lacking.note == "0 with all, 8 with none; only one of the two kinds of records"
    # question 0 of each conversation: a had all and is right, b had none and is wrong: 1 - 0
    same = found["questions", "", "all minus none, same question"]
    assert (same.value, same.n, same.clusters) == (1.0, 8, 8)
    # recall .5 and .25, answers .75 and .25: the same order
    tau = found["strategies", "", "Kendall's tau"]
    assert (tau.value, tau.low, tau.high, tau.n) == (1.0, 1.0, 1.0, 2)
    assert tau.note == "2 strategies and budgets; interval: conversations resampled"


def test_with_few_conversations_there_are_values_and_no_intervals():
    few = results([r for r in eight().records if int(r.conversation) < 5])
    table = few.predicts(Judged())
    assert table["value"].notna().sum() == 5
    assert table["low"].isna().all()
    assert table["note"].str.contains("fewer than 6 conversations|only one of the two").all()


def test_failed_reads_are_left_out():
    broken = [record("a", talk, 2, found=0, right=None, error="boom") for talk in range(8)]
    before, after = lines(eight()), lines(results([*eight().records, *broken]))
    for key, row in before.items():
        np.testing.assert_equal(tuple(after[key])[1:], tuple(row)[1:])


def test_data_sets_are_never_mixed():
    made = [
        record(s, t, 0, found=f, right=r, dataset=d)
        for d, flip in (("x", False), ("y", True))
        for t in range(6)
        for s, f, r in (("a", 2, 0.0 if flip else 1.0), ("b", 0, 1.0 if flip else 0.0))
    ]
    table = results(made).predicts(Judged())
    taus = table[table.statistic == "Kendall's tau"]
    assert dict(zip(taus.dataset, taus.value, strict=True)) == {"x": 1.0, "y": -1.0}
    assert "dataset" not in eight().predicts(Judged())


def test_tau_is_that_of_the_means():
    rng = np.random.default_rng(0)
    made = [
        record(f"s{s}", talk, p, found=int(rng.integers(0, 3)), right=float(rng.random() < s / 6))
        for s in range(6)
        for talk in range(7)
        for p in range(5)
    ]
    run = results(made)
    recall, judged = run.values(Recall()).reshape(6, -1), run.values(Judged()).reshape(6, -1)
    tau = lines(run)["strategies", "", "Kendall's tau"]
    assert tau.value == kendalltau(recall.mean(axis=1), judged.mean(axis=1)).statistic
    assert tau.low <= tau.value <= tau.high


def test_one_strategy_has_no_order():
    alone = results([r for r in eight().records if r.strategy == "a"])
    tau = lines(alone)["strategies", "", "Kendall's tau"]
    assert (math.isnan(tau.value), tau.n) == (True, 1)
    same = lines(alone)["questions", "", "all minus none, same question"]
    assert (same.n, math.isnan(same.value)) == (0, True)


def test_corrected_verdicts_are_refused():
    with pytest.raises(ConfigError, match="no values of single records"):
        eight().predicts(Judged(corrected=True))
