"""Tables along a dial: hand-made records, with their arithmetic."""

import math

import numpy as np
import pytest

import memlab as ml
from memlab.dials import dial, turns_since
from memlab.errors import ConfigError, RunError
from memlab.metrics.retrieval import Recall
from memlab.results import Results
from memlab.types import Conversation, Dataset, Probe, Record, Turn

METRIC = "Recall(k=1)"


def record(conversation, probe, hit, *, strategy="a", **given):
    found = ("e",) if hit else ("x",)
    return Record(
        **{
            "strategy": strategy,
            "conversation": conversation,
            "probe": probe,
            "budget": 100,
            "evidence": ("e",),
            "ranked": found,
            "ranked_sessions": (0,),
            "evidence_sessions": (0,),
            "candidates": 5,
        }
        | given
    )


def made(records, dataset=None):
    return Results(records, [], [], {}, [Recall(k=1)], dataset)


def near_and_far(strategy, near, far, talks="abcdef"):
    """Return two probes for each conversation, one turn and forty turns after the evidence."""
    for talk, one, two in zip(talks, near, far, strict=True):
        yield record(talk, "near", one, strategy=strategy, dials={"distance": 1})
        yield record(talk, "far", two, strategy=strategy, dials={"distance": 40})


def test_means_and_intervals_are_those_of_six_conversations():
    rows = [
        *near_and_far("a", [1, 1, 1, 0, 0, 1], [0] * 6),
        *near_and_far("b", [1] * 6, [1, 1, 1, 1, 1, 0]),
    ]
    table = made(rows).forgetting(METRIC)
    assert list(table["strategy"]) == ["a", "a", "b", "b"]
    assert list(table["distance"]) == [1, 40, 1, 40]
    assert list(table[METRIC]) == pytest.approx([4 / 6, 0, 1, 5 / 6])
    assert list(table["n"]) == list(table["clusters"]) == [6, 6, 6, 6]
    # Without one conversation the first mean is 3/5 (four times) or 4/5 (twice), 1/15 below or
    # 2/15 above 2/3: the sum of squares is (4 + 8) / 225, times 5/6 it is 2/45; t(5) is 2.570582.
    half = 2.570582 * (2 / 45) ** 0.5
    assert table[f"{METRIC} low"][0] == pytest.approx(2 / 3 - half, abs=1e-6)
    assert table[f"{METRIC} high"][0] == pytest.approx(2 / 3 + half, abs=1e-6)


def test_below_six_conversations_there_is_no_interval():
    rows = list(near_and_far("a", [1, 0, 1, 0, 1], [0, 1, 0, 1, 0], "abcde"))
    table = made(rows).forgetting(METRIC)
    assert list(table[METRIC]) == pytest.approx([0.6, 0.4])
    assert table[[f"{METRIC} low", f"{METRIC} high"]].isna().all(axis=None)


def test_ranges_are_those_of_the_probes_not_of_a_strategy():
    """A strategy that answered only near probes keeps the ranges of the run."""
    far = [record("c", f"p{i}", i % 2, dials={"distance": i}) for i in range(100)]
    few = [record("c", f"p{i}", 1, strategy="b", dials={"distance": i}) for i in range(40)]
    table = made([*far, *few]).forgetting(METRIC)
    ends = {
        name: list(zip(rows["distance from"], rows["distance to"], strict=True))
        for name, rows in table.groupby("strategy")
    }
    assert set(ends["b"]) < set(ends["a"])
    assert table.groupby("strategy")["n"].sum().to_dict() == {"a": 100, "b": 40}


def test_probes_without_the_dial_are_a_line_of_their_own():
    rows = [*near_and_far("a", [1] * 6, [0] * 6), record("a", "undated", 1), record("b", "no", 0)]
    table = made(rows).forgetting(METRIC)
    (without,) = table[table["distance"].isna()].to_dict("records")
    assert (without["n"], without[METRIC]) == (2, 0.5)


def test_probes_the_metric_is_not_about_are_left_out():
    beside = record("a", "adversarial", 0, answerable=False, dials={"distance": 7000})
    table = made([*near_and_far("a", [1] * 6, [0] * 6), beside]).forgetting(METRIC)
    assert list(table["distance"]) == [1, 40]


def test_what_cannot_be_measured_is_counted():
    rows = list(near_and_far("a", [1] * 6, [0] * 6))
    blurred = list(near_and_far("b", [1] * 6, [0] * 6))
    blurred[0] = record("a", "near", 1, strategy="b", measurable=False, dials={"distance": 1})
    table = made([*rows, *blurred]).forgetting(METRIC)
    assert list(table["n"]) == [6, 6, 5, 6]
    assert list(table["ignored"]) == [0, 0, 1, 0]


def test_data_sets_of_a_joined_run_are_never_mixed():
    rows = [
        record(f"{name}/{talk}", probe, name == "x", dataset=name, dials={"distance": at})
        for name in "xy"
        for talk in "ab"
        for probe, at in (("p", 1), ("q", 3 if name == "x" else 5))
    ]
    table = made(rows).forgetting(METRIC)
    assert list(table["dataset"]) == ["x", "x", "y", "y"]
    assert list(table["distance"]) == [1, 3, 1, 5]
    assert list(table[METRIC]) == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("dials", "message"),
    [({"distance": 3}, "every scored probe has distance = 3"), ({}, "has no distance")],
)
def test_a_dial_of_one_value_is_refused(dials, message):
    rows = [record("a", "p", 1, dials=dials), record("a", "q", 0, dials=dials)]
    with pytest.raises(ConfigError, match=message):
        made(rows, Dataset("none", ())).forgetting(METRIC)


def test_names_that_stand_for_no_numbers_are_refused():
    rows = [record("a", "p", 1, category="temporal", dials={"implied": True})]
    with pytest.raises(ConfigError, match=r"use results.by\('category'\)"):
        made(rows).forgetting(METRIC, by="category")
    with pytest.raises(ConfigError, match="'implied' has no numbers"):
        made(rows).forgetting(METRIC, by="implied")
    with pytest.raises(ConfigError, match="did you mean 'implied'"):
        made(rows).forgetting(METRIC, by="implies")


def test_a_metric_without_values_is_refused():
    with pytest.raises(ConfigError, match="no value on any probe"):
        made([record("a", "p", 0, evidence=())]).forgetting(METRIC, by="history")


def test_history_is_the_turns_that_could_be_returned_where_the_data_do_not_say():
    rows = [record("a", "p", 1, candidates=7), record("a", "q", 1, dials={"history": 900})]
    assert dial(made(rows), "history").tolist() == [7, 900]
    assert dial(made(rows), "candidates").tolist() == [7, 5]


def test_given_edges_are_the_ranges():
    rows = [record("c", f"p{i}", i < 10, dials={"distance": i}) for i in range(20)]
    table = made(rows).forgetting(METRIC, bins=[0, 5, 15, 25])
    assert list(zip(table["distance from"], table["distance to"], strict=True)) == [
        (0, 4),
        (5, 14),
        (15, 25),
    ]
    assert list(table[METRIC]) == [1, 0.5, 0]


def conversation(name="talk"):
    def at(minute):
        return f"2024-05-09T10:{minute:02}"

    said = [Turn(id=f"t{i}", text="x", time=at(i)) for i in range(5)]
    early = Probe(id="early", text="?", time=at(6), evidence=["t1", "t4"])
    later = Turn(id="t5", text="x", time=at(7))
    late = Probe(id="late", text="?", time=at(8), evidence=["t0", "t9"])
    nothing = Probe(id="nothing", text="?", time=at(9))
    return Conversation(name, (*said, early, later, late, nothing))


def test_distance_counts_the_turns_between_the_last_evidence_and_the_probe():
    # early: t4 stands right before it. late: t1 to t5 lie between t0 and it; t9 was never said.
    assert turns_since([conversation()]) == {("talk", "early"): 0, ("talk", "late"): 5}


def test_computed_distances_are_those_the_data_sets_give():
    data = ml.load("quickstart")
    given = {
        (talk.id, probe.id): probe.meta["distance"]
        for talk in data
        for probe in talk.probes()
        if "distance" in probe.meta
    }
    assert len(given) > 80
    assert turns_since(data) == given


def test_distances_are_computed_for_the_data_sets_that_have_none():
    data = Dataset("both", (conversation("y/talk"), conversation("x/talk")))
    rows = [
        record("x/talk", "early", 1, dataset="x", dials={"distance": 77}),
        record("x/talk", "late", 1, dataset="x"),
        record("y/talk", "early", 1, dataset="y"),
        record("y/talk", "late", 1, dataset="y"),
    ]
    np.testing.assert_array_equal(dial(made(rows, data), "distance"), [77, math.nan, 0, 5])


def test_without_the_data_distances_cannot_be_computed():
    with pytest.raises(RunError, match="give it"):
        made([record("a", "p", 1)]).forgetting(METRIC)


def test_a_window_forgets_beyond_its_turns():
    """H02: recall 1 for evidence among the last k turns, 0 beyond (one user, one evidence)."""
    data = ml.load("quickstart")
    alone = {c.id for c in data if len({turn.user for turn in c.turns()}) == 1}
    single = {(c.id, p.id) for c in data for p in c.probes() if len(p.evidence) == 1}
    results = ml.evaluate({"w": "Window(turns=8)"}, data, ["Recall()"], budget=None)
    kept = [
        record
        for record in results.records
        if record.conversation in alone and (record.conversation, record.probe) in single
    ]
    table = made(kept).forgetting("Recall()", bins=[0, 8, 100])
    assert list(table["distance to"]) == [7, 100]
    assert list(table["Recall()"]) == [1, 0]
    assert table["n"].min() > 10
