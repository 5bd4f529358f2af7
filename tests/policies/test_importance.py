"""Importance by words and by signals."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memlab as ml
from memlab.errors import ConfigError
from memlab.policies import ImportanceScorer, ImportanceSignals
from memlab.types import Turn

NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)
NEUTRAL = "今天天气不错"


def score(text):
    return ImportanceScorer().importance(text)


@pytest.mark.parametrize(
    ("text", "keyword", "emotion", "information", "interaction"),
    [
        # Chinese characters / 1.3 are words: 7 and Python make 6.4, so at least 5.
        ("我叫张三，我喜欢 Python", 0.4, 0.0, 0.1, 0.0),
        # 6 / 1.3 = 4.6 words.
        (NEUTRAL, 0.05, 0.0, 0.05, 0.0),
        ("随便，无所谓", 0.0, 0.0, 0.05, 0.0),
        ("这不重要", 0.0, 0.0, 0.05, 0.0),
        ("可能重要", 0.4, 0.0, 0.05, 0.0),
        ("需要", 0.2, 0.0, 0.05, 0.0),
        # 9 / 1.3 = 6.9 words; one question mark.
        ("你还记得我的名字吗？", 0.05, 0.0, 0.1, 0.1),
        ("我决定用 Python。非常重要，对吗？", 0.4, 0.2, 0.1, 0.1),
        ("I prefer Python over Java for my projects.", 0.4, 0.0, 0.1, 0.0),
        ("I don't like tea", 0.4, 0.0, 0.1, 0.0),  # don, t: 5 words
        ("Whatever, it's extremely late", 0.0, 0.0, 0.1, 0.0),
        ("I haven't decided", 0.05, 0.0, 0.05, 0.0),
        ("Why? Why? Why?", 0.05, 0.0, 0.05, 0.2),
        ("word " * 20, 0.05, 0.0, 0.2, 0.0),
    ],
)
def test_the_four_parts(text, keyword, emotion, information, interaction):
    assert ImportanceScorer().parts(text) == (keyword, emotion, information, interaction)


@pytest.mark.parametrize(
    "text", ["这不重要", "随便，无所谓", "没关系", "It isn't important", "never mind", "Maybe."]
)
def test_what_is_waved_away_is_at_or_below_neutral(text):
    assert score(text) <= score(NEUTRAL)


def test_chinese_is_not_disadvantaged():
    # Equal seeds give equal plans in both languages: the same facts told, about the same chatter.
    means = []
    for language in ("en", "zh"):
        talks = ml.load("synthetic", language=language, conversations=3, turns=200, seed=5)
        scores = [score(t.text) for talk in talks for t in talk.turns() if t.role == "user"]
        means.append(sum(scores) / len(scores))
    assert abs(means[0] - means[1]) < 0.05


@given(st.text(max_size=300))
def test_a_score_lies_between_0_and_1(text):
    assert 0.0 <= score(text) <= 1.0


def test_parts_out_of_order_are_told():
    with pytest.raises(ConfigError, match=r"low=0\.3"):
        ImportanceScorer(low=0.3).importance("x")
    with pytest.raises(ConfigError, match="high=2"):
        ImportanceScorer(high=2.0).importance("x")


def said(text, **more):
    return Turn(id=more.pop("id", "1"), text=text, time=more.pop("time", NOW), **more)


def found(text, *earlier, task="", now=None, **more):
    return ImportanceSignals().signals(said(text, **more), earlier, task, now)


@pytest.mark.parametrize(
    ("signal", "english", "chinese"),
    [
        ("explicit", "Remember this: the gate opens at six.", "记住这个：六点开门。"),
        ("emotion", "This is terrible, I want to complain.", "太糟糕了，我要投诉。"),
        ("emotion", "Thank you so much!", "非常感谢！"),
    ],
)
def test_words_of_both_languages_are_signals(signal, english, chinese):
    for text in (english, chinese):
        assert found(text)[signal] == 1.0
    assert signal not in found("The gate opens at six.")
    assert signal not in found("六点开门。")


def test_only_the_user_asks_to_remember():
    assert "explicit" not in found("Remember this.", role="assistant")


def test_the_task_is_a_signal_by_its_share_of_terms():
    # Two of the terms book, flight, Oslo; in Chinese two of the bigrams 预订, 订机, 机票.
    assert found("The flight leaves Oslo.", task="book a flight to Oslo")["task"] == 2 / 3
    assert found("机票要预订", task="预订机票")["task"] == 2 / 3
    assert "task" not in found("It rains.", task="book a flight to Oslo")


def test_the_source_is_a_signal_by_role_or_as_told():
    strengths = [found("x", role=role).get("source", 0) for role in ("system", "tool", "user")]
    assert strengths == [1.0, 1.0, 0.5]
    assert "source" not in found("x", role="assistant")
    assert found("x", role="assistant", meta={"authority": 0.9})["source"] == 0.9
    with pytest.raises(ConfigError, match="authority"):
        found("x", meta={"authority": 7})


def test_what_is_often_mentioned_is_a_signal():
    earlier = [said("the red kayak", id=f"e{i}") for i in range(2)]
    other = said("the red kayak", id="o", user="bob")
    assert found("a red kayak", *earlier, other)["frequency"] == pytest.approx(2 / 3)
    assert found("红色皮划艇", said("红色皮划艇漏水", id="e"))["frequency"] == pytest.approx(1 / 3)
    assert "frequency" not in found("a red kayak", said("a blue tent", id="e"))


def test_recency_halves_in_a_week_of_the_dialogue():
    assert found("x")["recency"] == 1.0
    assert found("x", now=NOW + timedelta(days=7))["recency"] == 0.5
    assert found("x", now=NOW - timedelta(days=7))["recency"] == 1.0


def test_the_weights_are_those_of_the_signals():
    everything = dict.fromkeys(
        ("explicit", "task", "source", "emotion", "frequency", "recency"), 1.0
    )
    assert list(ImportanceSignals().weighted(everything).values()) == [1, 0.9, 0.8, 0.7, 0.6, 0.5]
    assert ImportanceSignals(task=0.5).weighted({"task": 0.5}) == {"task": 0.25}
    with pytest.raises(ConfigError, match="'luck'"):
        ImportanceSignals().weighted({"luck": 1.0})
    with pytest.raises(ConfigError, match="explicit=2"):
        ImportanceSignals(explicit=2.0).weighted({"explicit": 1.0})
