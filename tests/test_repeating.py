"""Repeats under several seeds: averages and spread, with their arithmetic."""

import statistics

import pytest

import memlab as ml
from memlab.errors import ConfigError, RunError
from memlab.repeating import Repeats
from memlab.results import Results
from memlab.scoring import as_metric
from memlab.types import Record

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


def test_one_metric_may_be_given_as_text(repeated):
    assert list(repeated.summary("MRR()")["metric"]) == ["MRR()", "MRR()"]
    assert repeated.compare("window", metrics="MRR()").table["metric"].tolist() == ["MRR()"]


def test_it_shows_itself(repeated):
    assert "random" in repr(repeated)
    assert "<table" in repeated._repr_html_()


def test_what_cannot_be_repeated():
    with pytest.raises(ConfigError, match=r"seeds=3; expected a list, as \[0, 1, 2\]"):
        ml.repeat(LABELS, "quickstart", [METRIC], seeds=3)
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


def test_of_a_joined_run_the_spread_is_that_of_the_means_over_data_sets():
    small = ml.load("synthetic", conversations=1, turns=60, probes=8, sessions=3)
    data = [small, ml.load("quickstart", limit=2)]
    made = ml.repeat(["Random()"], data, ["Recall()"], seeds=[1, 2, 3], budget=100)
    means = [run.summary()["Recall()"][0] for run in made.runs.values()]
    (row,) = made.summary().to_dict("records")
    assert row["mean"] == pytest.approx(statistics.mean(means))
    assert row["sd"] == pytest.approx(statistics.stdev(means))


def test_a_run_must_be_named_by_its_seed(repeated):
    one = repeated.runs[1]
    with pytest.raises(ConfigError, match=r"seeds \[1, 1\] named \[1, 2\]"):
        Repeats({1: one, 2: one})


def test_reads_that_failed_under_any_seed_are_counted():
    records = [
        Record(
            strategy=s,
            conversation=str(i),
            probe="0",
            budget=10,
            evidence=("e",),
            error="no" if s == "b" and i < 2 else None,
        )
        for s in ("a", "b")
        for i in range(6)
    ]
    manifests = [{"resolved": {"data": "d", "seed": seed}, "strategies": {}} for seed in (1, 2)]
    runs = [Results(records, [], [], about, [as_metric(METRIC)]) for about in manifests]
    notes = Repeats(dict(zip((1, 2), runs, strict=True))).compare("a").notes
    assert "failed reads, which score what the metric states: 'b' 4 of 12" in notes
