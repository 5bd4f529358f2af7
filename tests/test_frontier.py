"""Quality against cost: hand-made points."""

import math

import numpy as np
import pytest

from memlab.errors import ConfigError
from memlab.metrics import Recall, StaleHit
from memlab.results import Results
from memlab.types import Record

METRIC = "Recall(k=1)"


def run(points, budgets=(100,), metrics=None):
    """Return a run: strategy -> (hits of ten probes, tokens of each)."""
    records = [
        Record(
            strategy=strategy,
            conversation=str(i % 5),
            probe=str(i),
            budget=budget,
            evidence=("e",),
            stale=("s",),
            ranked=("e",) if i < hits else ("s",),
            candidates=5,
            tokens=tokens,
        )
        for strategy, (hits, tokens) in points.items()
        for i in range(10)
        for budget in budgets
    ]
    return Results(records, [], [], {}, metrics or [Recall(k=1)])


def fronts(table):
    return dict(zip(table["strategy"], table["front"], strict=True))


def test_what_no_other_beats_on_both_is_on_the_front():
    table = run({"cheap": (2, 10), "good": (9, 100), "dear": (5, 100), "bad": (1, 50)}).pareto(
        METRIC
    )
    assert fronts(table) == {"cheap": True, "good": True, "dear": False, "bad": False}
    assert dict(zip(table["strategy"], table["dominated_by"], strict=True)) == {
        "cheap": "",
        "good": "",
        "dear": "good",
        "bad": "cheap",
    }
    assert table[METRIC].tolist() == [0.2, 0.9, 0.5, 0.1]
    assert table["tokens"].tolist() == [10, 100, 100, 50]
    assert table["clusters"].tolist() == [5] * 4


def test_equal_points_are_both_on_the_front():
    assert fronts(run({"a": (5, 10), "b": (5, 10)}).pareto(METRIC)) == {"a": True, "b": True}


def test_less_is_better_where_the_metric_says_so():
    made = run({"a": (9, 10), "b": (1, 10)}, metrics=[StaleHit()])
    assert fronts(made.pareto("StaleHit()")) == {"a": True, "b": False}


def test_budgets_are_points_of_their_own():
    table = run({"a": (9, 10), "b": (5, 20)}, budgets=(100, None)).pareto(METRIC)
    assert len(table) == 4
    assert table["dominated_by"].tolist() == ["", "", "a @100", "a @100"]


def test_a_cost_that_was_not_measured_is_not_on_the_front():
    table = run({"a": (9, 10)}).pareto(METRIC, "bytes")
    assert math.isnan(table["bytes"][0])
    assert not table["front"][0]
    with pytest.raises(ConfigError, match="cost='money'"):
        run({"a": (9, 10)}).pareto(METRIC, "money")


def test_bytes_of_a_joined_run_are_the_mean_of_its_data_sets():
    known = {"strategy": "a", "probe": "0", "budget": 100, "evidence": ("e",), "ranked": ("e",)}
    sizes = {"x/1": 100, "y/1": 10, "y/2": 20, "y/3": 30}
    records = [Record(conversation=talk, dataset=talk[0], **known) for talk in sizes]
    facts = [{"strategy": "a", "conversation": t, "bytes": n} for t, n in sizes.items()]
    table = Results(records, facts, [], {}, [Recall(k=1)]).pareto(METRIC, "bytes")
    assert table["bytes"].tolist() == [60.0], "100 and 20, not 40"


def rest(rankings):
    """What three probes are worth: .1, .2 and .3, in the order of each strategy."""
    return np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1])


def test_the_same_values_in_another_order_do_not_beat_each_other():
    assert np.mean([0.1, 0.2, 0.3]) != np.mean([0.3, 0.2, 0.1])
    records = [
        Record(strategy=s, conversation="c", probe=str(i), budget=100, tokens=10)
        for s in "ab"
        for i in range(3)
    ]
    made = Results(records, [], [], {}, [Recall(k=1)])
    assert fronts(made.pareto(rest)) == {"a": True, "b": True}
