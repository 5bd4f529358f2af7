"""What stands in the context after every turn."""

import numpy as np
import pytest

import memlab as ml
from memlab.errors import ConfigError, Faults
from memlab.types import Conversation, Dataset, Forget, Probe, Turn, utc

START = utc("2024-05-08")


def talk(*events):
    return Conversation(id="c", events=tuple(events))


def turns(count):
    return [Turn(id=f"t{n}", text=f"word{n}", time=START, user="ann") for n in range(1, count + 1)]


def test_every_step_has_the_context_of_its_newest_turn():
    found = ml.trace({"two": "Window(turns=2)"}, talk(*turns(4)), budget=100)
    assert found.turns == 4
    pairs = list(zip(found.rows["step"], found.rows["turn"], strict=True))
    assert pairs == [(1, 1), (2, 2), (2, 1), (3, 3), (3, 2), (4, 4), (4, 3)]
    assert found.rows["source"].tolist()[:3] == ["t1", "t2", "t1"]
    assert set(found.rows["kind"]) == {"turn"}
    assert found.context("two", 3) == "word3\nword2"


def test_every_other_turn_and_a_budget():
    # "word1" is two tokens of cl100k_base, so one turn fits in three.
    found = ml.trace(["FullHistory()"], talk(*turns(4)), budget=3, every=2)
    assert found.rows["step"].tolist() == [2, 4]
    assert found.rows["tokens"].tolist() == [2, 2]


def test_an_item_has_a_row_for_each_source_and_its_tokens_once():
    found = ml.trace(["SegmentedSummary(size=2, every=2, tail=1)"], talk(*turns(5)), budget=400)
    told = found.rows[(found.rows["step"] == 5) & (found.rows["kind"] == "summary")]
    assert sorted(told["turn"]) == [1, 2, 3, 4]
    assert (told.groupby("rank")["tokens"].max() == told.groupby("rank")["tokens"].sum()).all()


def test_forgotten_turns_leave_and_questions_are_passed_over():
    first, second, third = turns(3)
    asked = Probe(id="p", text="word1?", time=START, user="ann")
    gone = Forget(turn_ids=("t1",), user="ann", time=START)
    found = ml.trace(["FullHistory()"], talk(first, second, asked, gone, third))
    assert found.rows[found.rows["step"] == 3]["source"].tolist() == ["t3", "t2"]


def test_the_memory_given_is_left_alone():
    memory = ml.parse("Window(turns=2)")
    ml.trace({"w": memory}, talk(*turns(3)))
    with pytest.raises(AttributeError, match="reset"):
        memory.history  # noqa: B018 - the access is what fails


def test_what_cannot_be_traced_is_refused():
    with pytest.raises(Faults, match="Windw"):
        ml.trace(["Windw()"], talk(*turns(2)))
    with pytest.raises(ConfigError, match="every"):
        ml.trace(["Window()"], talk(*turns(2)), every=0)
    with pytest.raises(ConfigError, match="differs by conversation"):
        ml.trace({"w": {"c": "Window()"}}, talk(*turns(2)))
    found = ml.trace(["Window()"], talk(*turns(2)))
    with pytest.raises(ConfigError, match="step 9"):
        found.context("Window()", 9)


def test_the_picture_marks_the_turns_in_the_context():
    found = ml.trace({"two": "Window(turns=2)", "all": "FullHistory()"}, talk(*turns(4)))
    figure = found.plot(title="a dialogue")
    panels = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title(loc="left") for axes in panels] == [
        "two: 4 tokens at most",
        "all: 8 tokens at most",
    ]
    marked = ~np.ma.getmaskarray(panels[0].images[0].get_array())
    # Column s, row t: turn t + 1 after s + 1 turns; a window of two is a band of two.
    assert marked.T.tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [False, True, True, False],
        [False, False, True, True],
    ]
    assert int((~np.ma.getmaskarray(panels[1].images[0].get_array())).sum()) == 10


def test_a_real_dialogue_of_the_sample():
    data: Dataset = ml.load("quickstart")
    found = ml.trace(["BM25()", "MultiLevel()"], next(iter(data)), budget=200, every=5)
    assert found.rows.groupby(["strategy", "step"])["tokens"].sum().max() <= 200
    assert found.rows["turn"].dropna().max() <= found.turns
