"""The graph of turns and terms: what is found through others, users apart, deletion exact."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.graphs import TermGraph
from memlab.types import Query, Turn

START = datetime(2024, 1, 1, tzinfo=UTC)


def turn(number, text, user="ann", session="1"):
    time = START + timedelta(hours=number)
    return Turn(id=f"t{number}", text=text, time=time, user=user, session=session)


def told(*texts, graph=None, **more):
    graph = graph or TermGraph(form="text", **more)
    graph.reset()
    for number, text in enumerate(texts):
        graph.write(turn(number, text, session=str(number)))
    return graph


def ids(graph, text, user="ann"):
    return [item.sources[0] for item in graph.read(Query(text, START, user), None)]


def test_a_turn_without_a_word_of_the_question_is_found_through_another():
    graph = told("Zoltan owns a bakery", "the bakery burnt down", "we like tea")
    assert ids(graph, "Zoltan?") == ["t0", "t1"]


def test_chinese_turns_are_joined_by_their_bigrams():
    graph = told("小雨开了面包店", "面包店着火了", "我喜欢喝茶")
    assert ids(graph, "小雨") == ["t0", "t1"]


def test_neighbours_of_a_session_are_reached():
    graph = TermGraph(form="text")
    graph.reset()
    for number, (text, session) in enumerate([("kayak?", "1"), ("yes", "1"), ("never", "2")]):
        graph.write(turn(number, text, session=session))
    assert ids(graph, "kayak") == ["t0", "t1"]


def test_no_word_in_common_finds_nothing():
    assert ids(told("we like tea"), "kayak") == []
    assert ids(TermGraph(form="text") and told(), "kayak") == []


def test_b_lowers_long_turns():
    texts = ("kayak", "kayak " + " ".join(f"word{i}" for i in range(40)), "tea")
    plain, normed = told(*texts, b=0.0, neighbours=0.0), told(*texts, b=1.0, neighbours=0.0)
    query = Query("kayak", START, "ann")
    ratio = [np.divide(*g.scores(query)[1][:2]) for g in (plain, normed)]
    assert ratio[1] > ratio[0]


@pytest.mark.parametrize(
    "wrong", [{"restart": 0.0}, {"restart": 1.5}, {"neighbours": 1.0}, {"rounds": 0}, {"b": 2.0}]
)
def test_wrong_parameters_are_told(wrong):
    with pytest.raises(ConfigError):
        TermGraph(**wrong).reset()


def test_stats_count_terms_and_edges():
    # Terms kayak, red, tea; edges 2 + 1.
    assert told("red kayak", "tea").stats() == {"graph terms": 3, "graph edges": 3}


WORDS = st.sampled_from("kayak tea oslo red boat ana bob rain 喝茶 面包".split())
TEXTS = st.lists(st.lists(WORDS, max_size=4).map(" ".join), min_size=1, max_size=12)


@given(TEXTS, st.data())
def test_deleting_is_as_if_never_written(texts, data):
    gone = data.draw(st.sets(st.sampled_from(range(len(texts)))))
    full, rest = TermGraph(form="text"), TermGraph(form="text")
    for graph in (full, rest):
        graph.reset()
    for number, text in enumerate(texts):
        full.write(turn(number, text))
        if number not in gone:
            rest.write(turn(number, text))
    full.forget([f"t{number}" for number in gone], "ann")
    for word in ("kayak", "喝茶 tea", "rain ana"):
        query = Query(word, START, "ann")
        assert full.scores(query)[1].tolist() == rest.scores(query)[1].tolist()
    assert full.stats() == rest.stats()


@given(TEXTS, TEXTS)
def test_another_user_changes_no_score(mine, others):
    alone, shared = TermGraph(form="text"), TermGraph(form="text")
    for graph in (alone, shared):
        graph.reset()
        for number, text in enumerate(mine):
            graph.write(turn(number, text))
    for number, text in enumerate(others, 100):
        shared.write(turn(number, text, user="bob"))
    query = Query("kayak tea", START, "ann")
    assert alone.scores(query)[1].tolist() == shared.scores(query)[1].tolist()
