"""Lexical search over turns."""

import pytest

from memlab.errors import ConfigError
from memlab.strategies import BM25
from memlab.types import Query, utc


def test_unmatched_turns_are_no_hits(told, turns, ask):
    memory = told(BM25(form="text"), turns("windy London", "hello man"))
    assert ask(memory, "windy") == ["t0"]
    assert ask(memory, "unheard") == []
    assert ask(memory, "") == []


@pytest.mark.parametrize(
    ("texts", "query"),
    [
        (("今天天气很好", "项目使用向量检索"), "向量"),
        (("今日は晴れ", "プロジェクト記憶"), "記憶"),
        (("오늘 날씨가 좋다", "프로젝트 기억"), "기억"),
    ],
)
def test_a_phrase_inside_a_clause_is_found(texts, query, told, turns, ask):
    assert ask(told(BM25(form="text"), turns(*texts)), query) == ["t1"]


def test_stemming_and_stopping_are_options(told, turns, ask):
    dialogue = turns("we hike the hills", "the end")
    assert ask(told(BM25(form="text"), dialogue), "the hiking") == ["t0"]
    assert ask(told(BM25(form="text", stemming=False), dialogue), "hiking") == []
    assert ask(told(BM25(form="text", stopping=False), dialogue), "the") == ["t1", "t0"]


def test_equal_scores_come_in_the_order_written(told, turns, ask):
    assert ask(told(BM25(form="text"), turns("tea", "tea", "tea")), "tea") == ["t0", "t1", "t2"]


def test_users_do_not_weigh_on_each_other(told, turns):
    query = Query("tea", utc("2024-01-02"), "ann")
    own = turns("tea", "milk", "sugar")
    alone = told(BM25(), own).read(query, None)
    crowd = told(BM25(), own + turns(*["tea"] * 9, user="bob", first=3)).read(query, None)
    assert [(i.sources, i.score) for i in crowd] == [(i.sources, i.score) for i in alone]


def test_explain_adds_up(told, turns):
    memory = told(BM25(form="text"), turns("green tea", "black tea", "water"))
    table = memory.explain(Query("green tea", utc("2024-01-02"), "ann"))
    assert table["turn"].tolist() == ["t0", "t1"]
    assert (table["green"] + table["tea"]).tolist() == pytest.approx(table["score"].tolist())


@pytest.mark.parametrize("memory", [BM25(form="prose"), BM25(k1=-1.0), BM25(b=2.0)])
def test_impossible_parameters_fail_at_reset(memory):
    with pytest.raises(ConfigError):
        memory.reset()
