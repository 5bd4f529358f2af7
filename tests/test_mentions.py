"""People named in English and Chinese, and whether they are women or men."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.mentions import people, recent
from memlab.statements import statements
from memlab.types import Turn

NOW = datetime(2024, 5, 8, tzinfo=UTC)


def turn(text, speaker=""):
    return Turn(id="t", text=text, time=NOW, speaker=speaker)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I met Ana and Bob Miller.", ["Ana", "Bob Miller"]),
        ("Ana came. Zoltan moved out.", ["Ana", "Zoltan"]),
        ("Niamh's house is old.", ["Niamh"]),
        ("Lunch was good in Oslo at the Ritz.", []),
        ("We left on Monday in May.", []),
        ("My sister and my old boss called.", ["My sister", "my old boss"]),
        ("My aunt Esther called.", ["Esther"]),
        ("我妈妈和张伟去了海边。", ["我妈妈", "张伟"]),
        ("谢谢，他张开了嘴。", []),
        ("", []),
    ],
)
def test_who_is_named(text, names):
    assert [mention.name for mention in people(text)] == names


def test_the_latest_mention_is_last_and_speakers_count():
    turns = [turn("I saw Ana.", "Otto"), turn("Bob too.", "Mia"), turn("Ana again!", "Otto")]
    assert [(m.name, m.gender) for m in recent(turns)] == [
        ("Mia", "f"),
        ("Bob", "m"),
        ("Otto", "m"),
        ("Ana", "f"),
    ]


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("I met Robin. She sings.", ""),
        ("I met Robin, he sings.", ""),
        ("I met Robin as she sang.", "f"),
    ],
)
def test_a_name_that_may_be_either_is_told_by_the_pronoun_after_it(text, gender):
    assert [m.gender for m in recent([turn(text)]) if m.name == "Robin"] == [gender]


@given(st.text(), st.sampled_from(["", "Ana", "小雨"]))
def test_any_text_is_read_alike_twice(text, speaker):
    found = people(text, {speaker})
    assert found == people(text, {speaker})
    assert all(text[m.at :].startswith(m.name) for m in found if m.name)
    assert [*statements(turn(text, speaker))] == [*statements(turn(text, speaker))]
