"""Equal tokens: joined runs, budgets without values, failures, wrong numbers of tokens."""

import math

import pytest

from memlab.errors import ConfigError
from memlab.metrics import Recall, StaleHit
from memlab.results import Results
from memlab.types import Record

METRIC = "Recall(k=1)"
SHOWN = (Recall(k=1),)


def record(strategy, conversation, budget, tokens, hit, **given):
    known = {"probe": "0", "evidence": ("e",), "candidates": 5, "cut": True, "stale": ("x",)}
    ranked = ("e",) if hit else ("x",)
    named = {"strategy": strategy, "conversation": conversation, "budget": budget}
    return Record(**{**named, **known, "tokens": tokens, "ranked": ranked, **given})


def run(rows, metrics=SHOWN):
    """Return a run: (strategy, data set) -> (budget, tokens, hit, …) in eight conversations."""
    records = [
        record(strategy, f"{name}{i}", budget, tokens, hit, dataset=name, **dict(more))
        for (strategy, name), points in rows.items()
        for i in range(8)
        for budget, tokens, hit, *more in points
    ]
    return Results(records, [], [], {}, metrics)


JOINED = {
    ("a", "x"): [(50, 10, 1), (100, 30, 1)],
    ("b", "x"): [(50, 10, 0), (100, 30, 0)],
    ("a", "y"): [(50, 10, 0), (100, 30, 0)],
    ("b", "y"): [(50, 25, 1), (100, 40, 1)],
}


def test_a_joined_run_has_a_value_where_all_its_data_sets_have_one():
    table = run(JOINED).at_tokens(20, METRIC)
    assert table[METRIC].tolist()[0] == 0.5, "the mean of 1 and 0"
    assert math.isnan(table[METRIC][1]), "0 on x alone must not stand beside it"
    assert table["why"].tolist() == ["", "in y its smallest budget gave 25 tokens"]
    assert table["n"].tolist() == [16, 0]
    assert run(JOINED).at_tokens(28, METRIC)[METRIC].tolist() == [0.5, 0.5]


def test_a_comparison_at_equal_tokens_is_over_all_data_sets_or_over_each():
    made = run(JOINED)
    compared = made.compare("a", tokens=20)
    assert compared.table["verdict"].tolist() == ["no pairs"]
    assert "no value for 'b': in y its smallest budget gave 25 tokens" in compared.notes
    apart = made.compare("a", tokens=20, by="dataset").table.set_index("dataset")
    assert apart["verdict"].to_dict() == {"x": "worse", "y": "no pairs"}
    assert made.compare("a", tokens=28).table["difference"].tolist() == [0.0]


def test_a_data_set_that_the_metric_is_not_about_does_not_matter():
    rows = {
        key: [(*p, ("stale", ())) if key[1] == "y" else p for p in points]
        for key, points in JOINED.items()
    }
    made = run(rows, [StaleHit()])
    assert made.at_tokens(20, "StaleHit()")["StaleHit()"].tolist() == [0.0, 1.0]
    assert made.at_tokens(20, "StaleHit()")["why"].tolist() == ["", ""]
    areas = made.compare("a", tokens="area").table
    assert (areas["value"][0], areas["n"][0]) == (1.0, 8)


def test_a_budget_at_which_nothing_has_a_value_is_no_part_of_the_curve():
    """All reads at 25 tokens failed, which StaleHit leaves out: 50 and 100 remain."""
    failed = (25, 5, 0, ("error", "ValueError: no"))
    made = run({("a", ""): [failed, (50, 10, 0), (100, 30, 0)]}, [StaleHit()])
    table = made.at_tokens(20, "StaleHit()")
    assert table["StaleHit()"].tolist() == [1.0]
    assert (table["n"][0], table["why"][0]) == (8, "")


def test_where_every_read_of_the_largest_budget_failed_the_curve_does_not_go_on():
    failed = (100, 0, 0, ("error", "ValueError: no"), ("cut", False))
    made = run({("a", ""): [(50, 10, 1), failed]})
    assert made.at_tokens(10, METRIC)[METRIC].tolist() == [1.0]
    beyond = made.at_tokens(500, METRIC)
    assert math.isnan(beyond[METRIC][0])
    assert "failed" in beyond["why"][0]


@pytest.mark.parametrize(
    "tokens",
    [-5, math.nan, math.inf, True, (30, 20), (20, 20), (20, 30, 40), ("a", 3), (0, math.inf)],
)
def test_what_is_no_number_of_tokens_is_told(tokens):
    with pytest.raises(ConfigError, match="tokens="):
        run(JOINED).compare("a", tokens=tokens)
    with pytest.raises(ConfigError, match="tokens="):
        run(JOINED).at_tokens(tokens, METRIC)


def test_tokens_and_a_budget_exclude_each_other():
    with pytest.raises(ConfigError, match="tokens=20 and budget=50"):
        run(JOINED).compare("a", tokens=20, budget=50)


def test_a_list_is_a_range_too():
    one, two = (
        run(JOINED).compare("a", tokens=t, by="dataset").table for t in ([28, 30], (28, 30))
    )
    assert one.equals(two)


def test_budgets_with_other_probes_are_refused():
    records = [record("a", "c", 50, 10, 1), record("a", "c", 100, 30, 1, probe="1")]
    with pytest.raises(ConfigError, match="other probes"):
        Results(records, [], [], {}, [Recall(k=1)]).at_tokens(20, METRIC)


def test_equal_tokens_over_all_are_not_those_of_each_category():
    notes = run(JOINED).compare("a", tokens=28, by="category").notes
    assert "tokens are equal over all probes, not for each category" in notes
    assert not any("not for each" in n for n in run(JOINED).compare("a", tokens=28).notes)
