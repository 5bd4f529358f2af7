"""Which turns say the same."""

import pytest

from memlab.policies import ExactDuplicates
from memlab.types import Turn, utc


def keys(text, **more):
    return ExactDuplicates().keys(Turn(id="t", text=text, time=utc("2024-05-08"), **more))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea.", " i LIKE\n tea. "),
        ("我喜欢喝茶", "我 喜欢　喝茶 "),
        ("Ｔｅａ １２", "tea 12"),
        ("我买了 3 斤茶", "我买了3斤茶"),
        ("Straße", "STRASSE"),
    ],
)
def test_case_width_and_spaces_are_nothing(one, other):
    assert keys(one) == keys(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [("I like tea.", "I like tea"), ("green tea", "greentea"), ("喝茶", "喝咖啡"), ("12", "1 2")],
)
def test_anything_else_is_something(one, other):
    assert keys(one) != keys(other)


def test_speakers_and_empty_texts():
    assert keys("yes", speaker="Ann") != keys("yes", speaker="Ben")
    assert keys(" \n") == []
