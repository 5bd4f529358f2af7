"""Episodes, speakers and substance, kept turn by turn."""

import math
from datetime import timedelta

import pytest

from memlab.episodes import Episodes, substance
from memlab.types import Turn, utc


def talk(*turns):
    found = Episodes()
    for row, (minute, session, speaker) in enumerate(turns):
        time = utc("2024-01-01") + timedelta(minutes=minute)
        turn = Turn(id=str(row), text="x", time=time, session=session, speaker=speaker)
        found.add(row, turn, 10 * (row + 1))
    return found


def test_an_episode_ends_with_its_session_and_at_a_long_pause():
    found = talk((0, "a", "x"), (30, "a", "x"), (61, "a", "x"), (62, "b", "x"))
    assert found.numbers(1800).tolist() == [0, 0, 1, 2]


def test_removing_a_turn_leaves_what_would_be_without_it():
    # The second turn alone bridged the pause between the first and the third.
    found = talk((0, "a", "x"), (20, "a", "y"), (40, "a", "x"))
    assert found.numbers(1800).tolist() == [0, 0, 0]
    found.remove(1)
    assert found.numbers(1800).tolist() == [0, 1]
    assert found.tokens().tolist() == [10, 30]


def test_turns_of_speakers():
    found = talk((0, "a", "Ana"), (1, "a", "Bo"), (2, "a", "Ana"))
    assert found.said_by(frozenset({"Ana"})).tolist() == [1.0, 0.0, 1.0]
    assert found.said_by(frozenset()).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("Really?", 0),
        ('"Is it?"', 0),
        ("你好吗？", 0),
        ("We drove to Oslo on Monday. And you?", 3),  # drove, oslo, monday
        ("Oslo, Oslo, Oslo!", 1),
        ("我喜欢茶。", 3),  # 我喜 喜欢 欢茶
    ],
)
def test_substance_counts_distinct_words_outside_questions(text, words):
    assert substance(text) == pytest.approx(1 - math.exp(-words / 5))
