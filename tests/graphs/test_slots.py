"""Statements in both languages, and which of them no longer hold."""

from datetime import UTC, datetime, timedelta

import pytest

from memlab.graphs import SlotGraph
from memlab.statements import statements
from memlab.types import Turn

START = datetime(2024, 1, 1, tzinfo=UTC)


def turn(number, text, user="ann", **more):
    time = START + timedelta(days=number)
    return Turn(id=f"t{number}", text=text, time=time, user=user, **more)


def told(*texts, **more):
    graph = SlotGraph()
    graph.reset()
    for number, text in enumerate(texts):
        graph.write(turn(number, text, **more))
    return graph


def old(graph, count, day=100):
    return graph.superseded([f"t{n}" for n in range(count)], START + timedelta(days=day))


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I live in Oslo.", [("", "home", {"oslo"})]),
        ("Ana works as a baker.", [("Ana", "job", {"baker"})]),
        ("Ana came by. She works as a baker now.", [("Ana", "job", {"baker"})]),
        ("The code for my locker is 4387.", [("", "code locker", {"4387"})]),
        ("My locker code is 4387.", [("", "code locker", {"4387"})]),
        ("My sister moved to Bergen.", [("My sister", "home", {"bergen"})]),
        ("I get up at 6:50.", [("", "waking", {"6", "50"})]),
        ("我住在杭州。", [("", "home", {"杭州"})]),
        ("王伟的职业是医生。", [("王伟", "job", {"王伟", "医生"})]),
        ("我换了手机，现在手机是红隼。", [("", "phone", {"红隼"})]),
        ("Where do I live in Oslo?", []),
        ("Somebody said that Ana works as a baker.", []),
        ("听说王伟住在杭州。", []),
        ("If I live in Oslo, I will ski.", []),
        ("我小时候住在杭州。", []),
        ("我妹妹住在杭州。", [("我妹妹", "home", {"妹妹", "杭州"})]),
    ],
)
def test_what_a_text_states(text, stated):
    found = [(s.subject, s.attribute, set(s.value)) for s in statements(turn(0, text))]
    assert found == stated


def test_the_newest_value_holds():
    assert old(told("I live in Oslo.", "I moved to Bergen.", "I moved to Paris."), 3) == {
        "t0",
        "t1",
    }
    assert old(told("我住在杭州。", "我搬到了上海。"), 2) == {"t0"}


def test_a_value_said_again_supersedes_nothing():
    assert old(told("I live in Oslo.", "Yes, I live in Oslo."), 2) == set()


def test_others_and_other_attributes_are_left_alone():
    graph = told(
        "I live in Oslo.", "Ana moved to Paris.", "My locker code is 12.", "The gate code is 13."
    )
    assert old(graph, 4) == set()


def test_a_user_supersedes_nothing_of_another():
    graph = SlotGraph()
    graph.reset()
    graph.write(turn(0, "I live in Oslo."))
    graph.write(turn(1, "I moved to Paris.", user="bob"))
    assert old(graph, 2) == set()


def test_only_what_was_said_by_then_counts():
    graph = told("I live in Oslo.", "I moved to Paris.")
    assert old(graph, 2, day=0) == set()
    assert old(graph, 2, day=1) == {"t0"}


def test_what_a_forgotten_turn_superseded_holds_again():
    graph = told("I live in Oslo.", "I moved to Paris.")
    graph.forget(["t1"], "bob")
    assert old(graph, 2) == {"t0"}
    graph.forget(["t1", "never said"], "ann")
    assert old(graph, 2) == set()
    assert graph.stats() == {"slots": 1, "statements": 1}


def test_a_turn_is_old_only_when_all_that_it_states_is():
    graph = told("I live in Oslo. I work as a baker.", "I moved to Paris.")
    assert old(graph, 2) == set()


def test_it_is_read_back_as_it_was_saved(tmp_path):
    graph = told("I live in Oslo.", "I moved to Paris.")
    graph.save(tmp_path)
    other = SlotGraph()
    other.load(tmp_path)
    assert old(other, 2) == {"t0"}
    assert other.stats() == graph.stats()
