"""Turns as passages: how they begin, and tool calls with their results."""

import pytest

from memlab.passages import passage_of, tokens_of
from memlab.protocols import Passage
from memlab.tokens import tokenizer
from memlab.types import Turn, utc


def turn(number, text, role="user"):
    time = utc("2024-05-08")
    return Turn(id=f"t{number}", text=text, time=time, speaker="Ana", role=role)


@pytest.mark.parametrize(
    ("written", "lead"), [("dated", "8 May 2024 Ana: "), ("speaker", "Ana: "), ("text", "")]
)
def test_a_turn_begins_as_it_is_written(written, lead):
    assert passage_of([turn(0, "Hi.")], written) == Passage(f"{lead}Hi.", ("t0",), lead)


def test_chinese_turns_are_dated_in_chinese():
    assert passage_of([turn(0, "你好。")]).lead == "2024年5月8日 Ana: "


def test_results_begin_with_their_call():
    made = passage_of([turn(0, "find(x)"), turn(1, "Nothing.", "tool"), turn(2, "One.", "tool")])
    assert made.lead == "8 May 2024 Ana: find(x) → "
    assert made.text == made.lead + "Nothing. One."
    assert made.sources == ("t0", "t1", "t2")


def test_a_long_call_is_cut_and_an_empty_result_adds_nothing():
    lead = passage_of([turn(0, "a" * 500), turn(1, "One.", "tool")], "text").lead
    assert lead == "a" * 159 + "… → "
    assert passage_of([turn(0, "find(x)"), turn(1, " ", "tool")], "text").text == "find(x)"


def test_tokens_are_those_of_the_parts_or_of_the_whole():
    counter = tokenizer()
    parts = [Passage("a", ("t0",)), Passage("b", ("t1",))]
    assert tokens_of(parts, counter) == max(counter.count("a\nb"), 2)
