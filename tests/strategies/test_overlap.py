"""Search by the share of the question's words."""

import pytest

from memlab.errors import ConfigError
from memlab.strategies import Overlap
from memlab.types import Query


def shares(memory, text, user="ann"):
    query = Query(text, memory.history[0].time, user)
    rows, found = memory.scores(query)
    return dict(zip(rows.tolist(), found.tolist(), strict=True))


def test_a_word_counts_once_however_often_it_occurs(told, turns):
    memory = told(Overlap(), turns("python python python", "a python and a snake", "tea"))
    assert shares(memory, "python") == {0: 1.0, 1: 1.0, 2: -float("inf")}
    # {red, snake, python}: one of three, two of three.
    assert shares(memory, "red snake Python python") == {0: 1 / 3, 1: 2 / 3, 2: -float("inf")}


def test_chinese_is_searched_by_bigrams(told, turns):
    memory = told(Overlap(), turns("我喜欢喝茶", "我喜欢喝咖啡"))
    # 喜欢 欢喝 喝茶: three of three; 喜欢 欢喝: two of three.
    assert shares(memory, "喜欢喝茶") == {0: 1.0, 1: 2 / 3}


def test_what_holds_no_word_is_not_returned(told, turns, ask):
    memory = told(Overlap(), turns("red boat", "blue car", "a red car"))
    assert ask(memory, "red car") == ["t2", "t0", "t1"]
    assert ask(memory, "green") == []
    assert ask(memory, "") == []
    assert ask(memory, "red", user="bob") == []


def test_words_can_be_stemmed_and_stopped(told, turns, ask):
    said = turns("the hikes", "hiking")
    assert ask(told(Overlap(), said), "the hike") == ["t0"]
    assert ask(told(Overlap(stemming=True, stopping=True), said), "the hike") == ["t0", "t1"]
    with pytest.raises(ConfigError, match="stemming"):
        Overlap(stemming=1).reset()


def test_forgotten_words_find_nothing(told, turns, ask):
    memory = told(Overlap(), turns("red boat", "red car"))
    memory.forget(["t0"], "ann")
    assert ask(memory, "red boat") == ["t1"]
