"""Repeats under several seeds: averages and spread, with their arithmetic."""

import statistics

import pytest

import memlab as ml
from memlab.errors import ConfigError, RunError
from memlab.repeating import Repeats

LABELS = {"random": "Random()", "window": "Window(turns=10)"}
METRIC = "Recall(k=5)"


@pytest.fixture(scope="module")
def repeated():
    return ml.repeat(LABELS, "quickstart", [METRIC, "MRR()"], seeds=[3, 1, 2], budget=200)


def test_means_and_spread_are_those_of_the_runs(repeated):
    means = [run.summary().set_index("strategy")[METRIC] for run in repeated.runs.values()]
    table = repeated.summary([METRIC]).set_index("strategy")
    for label in LABELS:
        own = [mean[label] for mean in means]
        assert table["mean"][label] == pytest.approx(statistics.mean(own))
        assert table["sd"][label] == pytest.approx(statistics.stdev(own))
    assert table["sd"]["window"] == 0
    assert table["sd"]["random"] > 0
    assert list(table["seeds"]) == [3, 3]
    assert list(table["n"]) == [82, 82]


def test_comparisons_take_the_average_of_each_probe(repeated):
    compared = repeated.compare("window", metrics=[METRIC])
    (row,) = compared.table.to_dict("records")
    means = repeated.summary([METRIC]).set_index("strategy")["mean"]
    assert row["difference"] == pytest.approx(means["random"] - means["window"])
    assert "means over 3 seeds (3, 1, 2)" in compared.notes[0]
    single = repeated.runs[3].compare("window", metrics=[METRIC]).table["high"][0]
    assert row["high"] != single


def test_it_shows_itself(repeated):
    assert "random" in repr(repeated)
    assert "<table" in repeated._repr_html_()


def test_what_cannot_be_repeated():
    with pytest.raises(ConfigError, match="two seeds"):
        ml.repeat(LABELS, "quickstart", [METRIC], seeds=[1])
    with pytest.raises(ConfigError, match="all different"):
        ml.repeat(LABELS, "quickstart", [METRIC], seeds=[1, 1])
    with pytest.raises(ConfigError, match="seeds="):
        ml.repeat(LABELS, "quickstart", [METRIC], seeds=[1, 2], seed=3)
    with pytest.raises(ConfigError, match="1 runs"):
        Repeats({0: ml.evaluate(LABELS, "quickstart", [METRIC])})


def test_runs_must_differ_in_their_seed_alone(repeated):
    other = ml.evaluate(LABELS, "quickstart", [METRIC], budget=100)
    with pytest.raises(RunError, match="budget"):
        Repeats({1: repeated.runs[1], 2: other})
    fewer = ml.evaluate({"random": "Random()"}, "quickstart", [METRIC], budget=200)
    with pytest.raises(ConfigError, match="other strategies"):
        Repeats({1: repeated.runs[1], 2: fewer})
