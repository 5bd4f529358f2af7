"""The common check: means and paired differences, at a budget, at equal tokens, on some probes."""

import math

import pytest

from memlab.board.contrast import Contrast
from memlab.board.scored import Scene
from memlab.board.strict import Table
from memlab.board.where import words
from memlab.errors import ConfigError

BASE = {"metric": "Recall()", "strategy": "a", "baseline": "b", "expect": "greater"}


def read(data, labels=("a", "b"), budgets=(100,), future=()):
    table = Table({**BASE, **data}, "here", [])
    made = Contrast.read(table, Scene(tuple(labels), tuple(budgets), future))
    table.close()
    return made, [str(fault) for fault in table.faults]


def measured(run, data, **scene):
    check, faults = read(data, **scene)
    assert faults == []
    return check.measure(run)


@pytest.fixture
def run(make_run):
    # a hits both probes of all eight conversations, b the first only.
    return make_run({"a": [[1, 1]] * 8, "b": [[1, 0]] * 8})


def test_a_paired_difference(run):
    found = measured(run, {})
    # (0 + 1) / 2 in every conversation; 2 of 2^8 patterns reach it.
    assert (found.effect, found.n, found.clusters) == (0.5, 16, 8)
    assert found.favour == 2 / 2**8


def test_a_mean(run):
    found = measured(run, {"strategy": "b", "baseline": "a", "expect": "less"})
    assert found.effect == -0.5
    data = {**BASE, "strategy": "b", "expect": "at least", "value": 0.4}
    del data["baseline"]
    table = Table(data, "here", [])
    assert Contrast.read(table, Scene(("a", "b"), (100,))).measure(run).effect == 0.5


@pytest.mark.parametrize(
    ("where", "effect", "n"),
    [
        ({"category": "odd"}, 1.0, 8),
        ({"category": ["odd", "even"]}, 0.5, 16),
        ({"distance": [0, 0]}, 0.0, 8),
        ({"distance": [1, math.inf], "category": "odd"}, 1.0, 8),
        ({"conversation": "c3"}, 0.5, 2),
    ],
)
def test_a_filter_keeps_its_probes(run, where, effect, n):
    found = measured(run, {"where": where})
    assert (found.effect, found.n) == (effect, n)


def test_a_filter_that_keeps_nothing_is_told(run):
    with pytest.raises(ConfigError, match="no probe has distance 50 to 60"):
        measured(run, {"where": {"distance": [50, 60]}})
    with pytest.raises(ConfigError, match="no record has a field 'distnce'"):
        measured(run, {"where": {"distnce": 3}})


def test_a_field_that_only_data_out_of_reach_may_have_is_told_so(run):
    found = "no record has a field 'mood', and the data, whose probes may have it, cannot be read: "
    with pytest.raises(ConfigError, match=found):
        measured(run, {"where": {"mood": 3}})


def test_filters_in_words():
    assert words({"distance": [2, 2], "category": "tool"}) == "distance 2, category tool"


def test_equal_tokens_are_interpolated(make_run):
    # a hits at 200 tokens, not at 100; b hits always. Half way between log 101 and log 201,
    # at 141.5 tokens, a's curve has 0.5.
    run = make_run(
        {"a": [[lambda budget: budget == 200]] * 8, "b": [[1]] * 8}, budgets=(100, 200), cut=True
    )
    tokens = math.sqrt(101 * 201) - 1
    found = measured(run, {"tokens": tokens, "expect": "less"}, budgets=(100, 200))
    assert found.effect == pytest.approx(-0.5)
    area = measured(run, {"tokens": "area", "expect": "less"}, budgets=(100, 200))
    assert area.effect == pytest.approx(-0.5)
    between = measured(run, {"tokens": [100, 200], "expect": "less"}, budgets=(100, 200))
    assert between.effect == pytest.approx(-0.5)


def test_the_tokens_of_the_baseline(make_run):
    # b takes 50 tokens at any budget, uncut; a is asked for at 50 too, where it misses.
    tokens = {"b": 50}
    run = make_run(
        {"a": [[lambda budget: budget > 50]] * 8, "b": [[1]] * 8}, budgets=(50, 200), tokens=tokens
    )
    found = measured(run, {"tokens": "baseline", "expect": "less"}, budgets=(50, 200))
    assert found.effect == -1.0
    cut = make_run({"a": [[1]] * 8, "b": [[1]] * 8}, budgets=(50, 200), cut=True)
    with pytest.raises(ConfigError, match="'b' is cut by the largest budget"):
        measured(cut, {"tokens": "baseline"}, budgets=(50, 200))


def test_a_star_stands_for_every_strategy(run):
    data = {"metric": "Recall()", "strategy": "*", "expect": "always", "value": 1}
    check = Contrast.read(Table(data, "here", []), Scene(("a", "b"), (100,)))
    found = check.measure(run)
    # 32 values, of which b misses 8.
    assert (found.n, found.effect, found.certain) == (32, 0.25, False)
    assert check.title == "every strategy: Recall()"


def test_titles():
    check, _ = read({"tokens": 150, "where": {"distance": [20, math.inf]}}, budgets=(100, 200))
    assert check.title == "a − b: Recall(), at 150 equal tokens, distance from 20"
    given = {"measure": "f_beta", "options": {"beta": 2}, "strategy": "a", "baseline": "b"}
    check, _ = read({"budget": 200}, budgets=(100, 200))
    assert check.title == "a − b: Recall(), budget 200 tokens"
    table = Table({**given, "expect": "less"}, "here", [])
    check = Contrast.read(table, Scene(("a", "b"), (100,)))
    assert (check.title, table.faults) == ("a − b: f beta (beta 2)", [])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"strategy": "c"}, "no strategy 'c' in this workload"),
        ({"baseline": "a"}, "'a' against itself"),
        ({"metric": "Recal()"}, "did you mean 'Recall'"),
        ({"metric": "Recall(k=0)"}, "k=0"),
        ({"tokens": "many"}, "tokens = 'many'"),
        ({"tokens": [200, 100]}, "tokens = [200, 100]"),
        ({"tokens": 100, "budget": 100}, "both tokens and budget"),
        ({"budget": 5}, "budget = 5"),
        ({"where": {"distance": [1, 2, 3]}}, "where distance = [1, 2, 3]"),
        ({"measure": "f_bta"}, "did you mean 'f_beta'"),
        ({"measure": "f_beta", "options": {"bta": 2}}, "f_beta has no option 'bta'"),
        ({"measure": "f_beta", "tokens": 100}, "tokens with a measure"),
        ({"margn": 1}, "unknown key 'margn'; did you mean 'margin'"),
        ({"strategy": "*"}, "strategy '*' in a comparison"),
    ],
)
def test_faults(data, message):
    given = {**BASE, **data}
    if "measure" in data:
        del given["metric"]
    table = Table(given, "here", [])
    Contrast.read(table, Scene(("a", "b"), (100,)))
    table.close()
    assert any(message in str(fault) for fault in table.faults), table.faults


def test_several_budgets_need_a_choice():
    _, faults = read({}, budgets=(100, 200))
    assert any("no 'budget', and the workload has several" in fault for fault in faults)
    assert read({"budget": "none"}, budgets=(100, None))[1] == []


def test_a_metric_to_come_is_no_fault():
    assert read({"metric": "Telepathy()"}, future=("Telepathy",))[1] == []


def test_both_metric_and_measure():
    assert "both metric and measure" in str(read({"measure": "f_beta"})[1])
