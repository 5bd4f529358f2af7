"""Hits that no longer hold: dropped, or put last."""

from datetime import UTC, datetime, timedelta

import pytest

from memlab.errors import ConfigError
from memlab.strategies import BM25, ConsistencyFilter
from memlab.types import Query, Turn

START = datetime(2024, 5, 8, 12, tzinfo=UTC)


def turn(number, text, **more):
    time = START + timedelta(days=number)
    return Turn(id=f"t{number}", text=text, time=time, user="ann", **more)


TURNS = (
    turn(0, "I live in Oslo, in Oslo by the sea where many people live."),
    turn(1, "We live and learn, said the fox."),
    turn(2, "I live in Bergen."),
)


def told(memory, *turns):
    memory.reset()
    for one in turns:
        memory.write(one)
    return memory


def ids(memory, budget=None, day=9, text="Where do I live in Oslo?"):
    query = Query(text, START + timedelta(days=day), "ann")
    return [item.sources[0] for item in memory.read(query, budget)]


def test_the_superseded_turn_is_dropped_or_last():
    assert ids(told(BM25(), *TURNS))[0] == "t0"
    assert set(ids(told(ConsistencyFilter(), *TURNS))) == {"t1", "t2"}
    flagged = ids(told(ConsistencyFilter(action="flag"), *TURNS))
    assert flagged[-1] == "t0"
    assert len(flagged) == 3


def test_more_than_a_hundred_items_fit_a_large_budget():
    turns = [turn(n, f"The sea was calm on walk {n}.") for n in range(150)]
    memory = told(ConsistencyFilter(), *turns)
    assert len(ids(memory, budget=10_000, text="calm sea", day=200)) == 150
    assert len(ids(memory, text="calm sea", day=200)) == 100


def test_what_comes_up_takes_the_room_of_what_was_dropped():
    # At a budget for one short turn, the first that holds is returned.
    memory = told(ConsistencyFilter(), *TURNS)
    first = ids(memory)[0]
    tokens = memory.run.count(next(t.text for t in TURNS if t.id == first))
    assert ids(memory, tokens) == [first]


def test_a_question_about_the_past_sees_what_held_then():
    assert ids(told(ConsistencyFilter(), *TURNS), day=1)[0] == "t0"


def test_a_question_that_names_a_past_date_sees_what_held_then():
    # Bergen was told on 10 May; on 9 May Oslo still held.
    memory = told(ConsistencyFilter(), *TURNS)
    assert ids(memory, text="On 9 May 2024: where do I live in Oslo?")[0] == "t0"
    assert "t0" not in ids(memory, text="On 10 May 2024: where do I live in Oslo?")


def test_forgetting_the_newer_turn_brings_the_older_back():
    memory = told(ConsistencyFilter(), *TURNS)
    memory.forget(["t2"], "ann")
    assert ids(memory)[0] == "t0"


def test_it_counts_what_it_found():
    memory = told(ConsistencyFilter(), *TURNS)
    ids(memory)
    assert memory.stats().items() >= {"sources checked": 3, "sources superseded": 1}.items()


def test_a_tool_call_and_its_result_stay_together():
    class Everything:
        """A graph for which nothing a tool's caller said holds."""

        reset = write = forget = save = load = staticmethod(lambda *_: None)

        def superseded(self, turn_ids, time):
            return {"t0"}

    call = turn(0, "weather(place='Oslo')", role="assistant", meta={"call": "c"})
    result = turn(1, "rain in Oslo", role="tool", meta={"call": "c"})
    memory = told(ConsistencyFilter(graph=Everything()), call, result)
    assert ids(memory, text="Oslo") == ["t0", "t1"]


def test_an_unknown_action_is_told():
    with pytest.raises(ConfigError, match="drop, flag"):
        ConsistencyFilter(action="hide").reset()
