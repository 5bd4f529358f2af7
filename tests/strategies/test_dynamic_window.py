"""A window that follows the complexity of requests."""

from datetime import timedelta

import pytest

from memlab.errors import ConfigError
from memlab.policies import ComplexityScorer
from memlab.strategies import DynamicWindow
from memlab.types import Query, Turn, utc

START = utc("2024-05-08")
PLAIN = "我想喝茶。"
COMPLEX = "请详细分析 A？以及 B？"  # .3 for the words, .4 for two question marks


def told(memory, *texts, user="ann"):
    for n, text in enumerate(texts):
        time = START + timedelta(minutes=n)
        memory.write(Turn(id=f"{user}{n}", text=text, time=time, user=user))
    return memory


def fresh(**fields):
    memory = DynamicWindow(**fields)
    memory.reset()
    return memory


def sizes(score, count):
    """The window after each of so many requests of one score, asked one of that score."""
    memory = fresh(scorer=Always(score))
    found = []
    for n in range(count):
        told(memory, "x") if n == 0 else memory.write(
            Turn(id=f"t{n}", text="x", time=START, user="ann")
        )
        found.append(memory._sizes["ann"].exchanges)
    return found


class Always:
    def __init__(self, score):
        self.score = score

    def check(self):
        pass

    def complexity(self, text, count):
        return self.score


def test_the_window_grows_and_shrinks_as_the_original_was_run():
    assert sizes(0.7, 12) == [5, 5, 5, 5, 7, 9, 11, 13, 15, 17, 19, 20]
    assert sizes(0.0, 8) == [5, 5, 5, 5, 4, 3, 3, 3]
    for between in (0.3, 0.4, 0.6):  # the limits themselves change nothing
        assert sizes(between, 8) == [5] * 8


def test_the_question_counts_as_the_newest_request_and_is_not_kept():
    memory = told(fresh(), *[COMPLEX] * 4)
    asked = Query(COMPLEX, START, "ann")
    assert [memory.size(asked), memory.size(asked)] == [7, 7]  # five scores of .7 with this one
    assert memory.size(Query(PLAIN, START, "ann")) == 5  # mean 4 x .7 / 5 = .56
    assert memory.size(Query(COMPLEX, START, "bob")) == 5


def test_what_left_a_window_comes_back():
    memory = told(fresh(initial=3), *[PLAIN] * 20)
    short = memory.read(Query(PLAIN, START, "ann"), None)
    told(memory, *[COMPLEX] * 9, user="bob")
    for n in range(9):
        memory.write(Turn(id=f"c{n}", text=COMPLEX, time=START, user="ann"))
    grown = memory.read(Query(COMPLEX, START, "ann"), None)
    assert len(short) == 3
    assert len(grown) > 9
    assert grown[-1].text == PLAIN


def test_a_forgotten_request_no_longer_counts():
    memory = told(fresh(), *[COMPLEX] * 6)
    assert memory.stats() == {"smallest window": 9, "largest window": 9}
    memory.forget(["ann0", "ann1"], "ann")
    assert memory.stats() == {"smallest window": 5, "largest window": 5}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("请详细分析 A？以及 B？", 0.7),
        ("a? b？", 0.4),
        ("a?", 0.0),
        ("Could you explain this?", 0.3),
        ("Explained in detail? Why? " + "and so on " * 60, 1.0),
        ("somehow", 0.0),
        ("我" * 60, 0.3),
    ],
)
def test_complexity(text, score):
    # A character of Chinese counts as a token here, a word of English too.
    def count(text):
        return len(text) if "我" in text else len(text.split())

    assert ComplexityScorer().complexity(text, count) == score


def test_by_characters_few_chinese_requests_are_long():
    assert ComplexityScorer(unit="characters").complexity("我" * 60, len) == 0.0
    assert ComplexityScorer(unit="characters").complexity("我" * 201, len) == 0.3


@pytest.mark.parametrize(
    "fields", [{"initial": 2}, {"most": 4}, {"low": 0.7}, {"inputs": 0}, {"scorer": object()}]
)
def test_what_does_not_fit_together_is_refused(fields):
    with pytest.raises(ConfigError):
        DynamicWindow(**fields).reset()
