"""Scores of question and text without a model, feature by feature."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.models import FeatureScorer
from memlab.types import Query, utc

NOW = utc("2024-01-01")


def features(question, *texts):
    found = FeatureScorer().features(Query(question, NOW), texts)
    return {name: values.round(4).tolist() for name, values in found.items()}


def test_coverage_weighs_terms_by_how_rare_they_are():
    # "red": in 2 of 3 texts, ln(1 + 1.5 / 2.5) = .47; "car": in 1, ln(1 + 2.5 / 1.5) = .98.
    red, car = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)
    found = features("the red car", "red car", "red tea", "tea")["coverage"]
    assert found == [1.0, round(red / (red + car), 4), 0.0]


def test_phrases_stand_together_and_in_order():
    assert features("red car", "a red car", "car red", "red old car")["phrases"] == [1.0, 0.0, 0.0]


def test_closeness_falls_with_the_square_of_the_distance():
    # All three hold both terms, each of the same mass m: m / distance² of 2 m.
    texts = ("red car", "red old car", "red old big car")
    assert features("red car", *texts)["closeness"] == [0.5, 0.125, round(1 / 18, 4)]


def test_numbers_and_names_are_matched_as_they_are_written():
    found = features("When did Ana fly to Oslo in May 2023?", "Ana: in 2023", "ana: Oslo, May 1")
    assert found["numbers"] == [1.0, 0.0]
    assert found["names"] == [round(1 / 3, 4), round(2 / 3, 4)]


def test_the_asker_is_meant_by_the_first_person():
    texts = ("8 May 2023 user: tea", "8 May 2023 assistant: tea", "2023年5月8日 user: 茶")
    assert features("What do I drink?", *texts)["asker"] == [1.0, 0.0, 1.0]
    assert features("我喝什么？", *texts)["asker"] == [1.0, 0.0, 1.0]
    assert features("What does Ana drink?", *texts)["asker"] == [0.0, 0.0, 0.0]


def test_questions_count_against_a_text():
    texts = ("Tea?", "I like tea. And you?", "我喜欢茶。", "真的吗？", "")
    assert features("tea", *texts)["questions"] == [1.0, 0.5, 0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        ("Where is the red car?", "The red car is in Oslo.", "The car is red hot in Oslo."),
        ("What did Ana buy in 2023?", "In 2023 Ana chose a bike.", "In 2022 Eva chose a bike."),
        ("Where do you live?", "I live in Oslo now.", "Where do you live?"),
        ("What did I buy?", "user: I buy tea.", "assistant: I buy tea."),
        ("我的车停在哪里？", "我的车停在车站。", "我的猫很好。"),
    ],
)
def test_by_example(question, better, worse):
    first, second = FeatureScorer().score(Query(question, NOW), [better, worse])
    assert first > second


def test_the_score_is_the_weighted_sum():
    scorer = FeatureScorer(coverage=1.0, phrases=0, closeness=0, numbers=0, names=0, questions=0.5)
    # Coverage 1 for both, and one of them is a question: 1 − .5.
    assert scorer.score(Query("tea", NOW), ["Tea.", "Tea?"]).tolist() == [1.0, 0.5]


@given(st.text(max_size=30), st.lists(st.text(max_size=40), max_size=5))
def test_every_feature_is_a_number_from_0_to_1(question, texts):
    query = Query(question, NOW)
    found = FeatureScorer().features(query, texts)
    assert all(values.shape == (len(texts),) for values in found.values())
    assert all(((values >= 0) & (values <= 1)).all() for values in found.values())
    assert np.isfinite(FeatureScorer().score(query, texts)).all()


def test_a_negative_weight_is_refused():
    with pytest.raises(ConfigError, match="names=-1"):
        FeatureScorer(names=-1).score(Query("tea", NOW), ["tea"])
