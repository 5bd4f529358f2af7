"""The wrapper that asks in other words."""

from datetime import UTC, datetime, timedelta

import pytest

from memlab.errors import ConfigError
from memlab.models import Hashing
from memlab.policies import QueryRewriter
from memlab.strategies import BM25, FullHistory, Hybrid, Rewriting, Vector
from memlab.types import Query, Turn

NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)


def turn(number, text, days=0, user="ann"):
    return Turn(id=f"t{number}", text=text, time=NOW - timedelta(days=days), user=user)


def told(memory, *turns):
    memory.reset()
    for one in turns:
        memory.write(one)
    return memory


def ids(memory, text, user="ann"):
    return [item.sources[0] for item in memory.read(Query(text, NOW, user), None)]


TURNS = (
    turn(0, "Lunch was pasta.", days=2),
    turn(1, "Lunch was soup.", days=1),
    turn(2, "Lunch was salad, and I met Ana."),
)


def test_a_relative_date_finds_its_day():
    # All three share "lunch"; only the turn of 7 May has the day that "yesterday" means.
    assert ids(told(BM25(), *TURNS), "lunch yesterday")[0] == "t0"
    assert ids(told(Rewriting(), *TURNS), "lunch yesterday")[0] == "t1"


def test_what_was_asked_is_told():
    memory = told(Rewriting(), *TURNS)
    query = Query("lunch yesterday", NOW, "ann")
    assert memory.rewritten(query).text == "lunch yesterday 7 May 2024"
    assert set(memory.explain(query)["query"]) == {"lunch yesterday 7 May 2024"}
    ids(memory, "lunch yesterday")
    ids(memory, "pasta")
    assert memory.stats() == {"questions": 2, "questions rewritten": 1}


def test_it_is_a_leg_of_a_hybrid():
    legs = (Rewriting(), Vector(embedder=Hashing()))
    memory = told(Hybrid(legs=legs, weights=(1.0, 0.0)), *TURNS)
    assert ids(memory, "lunch yesterday")[0] == "t1"


def test_a_user_is_not_resolved_by_another_ones_turns():
    memory = told(Rewriting(), *TURNS, turn(3, "I met Eve.", user="bob"))
    assert memory.rewritten(Query("Where is she?", NOW, "ann")).text == "Where is Ana?"
    assert memory.rewritten(Query("Where is she?", NOW, "nobody")).text == "Where is she?"


def test_a_forgotten_turn_resolves_nothing():
    memory = told(Rewriting(), *TURNS)
    memory.forget(["t2"], "ann")
    assert memory.rewritten(Query("Where is she?", NOW, "ann")).text == "Where is she?"


def test_only_the_tail_is_looked_at():
    filler = [turn(n, "It rains.") for n in range(10, 12)]
    asked = Query("Where is she?", NOW, "ann")
    assert told(Rewriting(tail=3), *TURNS, *filler).rewritten(asked).text == "Where is Ana?"
    assert told(Rewriting(tail=2), *TURNS, *filler).rewritten(asked).text == "Where is she?"


def test_the_tail_is_saved(tmp_path):
    told(Rewriting(), *TURNS).save(tmp_path)
    memory = Rewriting()
    memory.load(tmp_path)
    assert memory.rewritten(Query("Where is she?", NOW, "ann")).text == "Where is Ana?"


def test_parts_that_are_none_are_told():
    with pytest.raises(ConfigError, match="rewriter"):
        Rewriting(rewriter=BM25()).reset()
    with pytest.raises(ConfigError, match="tail"):
        Rewriting(tail=-1).reset()
    with pytest.raises(ConfigError, match="inner"):
        Rewriting(inner=QueryRewriter()).reset()


def test_its_kind_is_that_of_the_memory_inside():
    assert Rewriting(inner=FullHistory()).taxonomy == FullHistory().taxonomy


def test_it_can_what_the_memory_inside_can():
    assert not hasattr(Rewriting(inner=FullHistory()), "scores")
    assert hasattr(Rewriting(inner=BM25()), "scores")
