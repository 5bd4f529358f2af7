"""Answers as texts: hand arithmetic, SQuAD's own rules on ASCII, and invariants."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.answertext import MEASURES, best, contains, exact, f1, tokens

ANSWERS = st.text(max_size=30)
ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)


def squad(text):
    """Return the tokens by the steps that the SQuAD paper's evaluation names."""
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The quick, brown fox.", ["quick", "brown", "fox"]),
        ("  An  apple\ta day ", ["apple", "day"]),
        ("$1,200.50", ["120050"]),
        ("“It’s” here…", ["its", "here"]),  # punctuation of any script is deleted
        ("她住在奥斯陆。", list("她住在奥斯陆")),
        ("第３次，BX-2074号", ["第", "3", "次", "bx2074", "号"]),
        ("the", []),
        ("", []),
    ],
)
def test_tokens(text, found):
    assert tokens(text) == found


def test_f1_by_hand():
    # answer: she moved oslo (3), reference: oslo in may (3); common: oslo; 2 * 1 / 6
    assert f1("She moved: Oslo", "the Oslo in May") == pytest.approx(1 / 3)
    # a token counts as often as it stands on both sides: 2 * 1 / (1 + 3)
    assert f1("ha", "ha ha ha") == pytest.approx(0.5)
    # 周三下午 and 周五下午: three of four characters on both sides
    assert f1("周三下午", "周五下午") == pytest.approx(0.75)
    assert f1("", "") == f1("the", "") == 1.0
    assert f1("", "Oslo") == f1("Oslo", "!") == 0.0


def test_exact_and_contains_by_hand():
    assert exact("an Oslo!", "oslo") == 1.0
    assert exact("Oslo in May", "May in Oslo") == 0.0
    assert contains("I think it was in Oslo, in May", "Oslo in May") == 1.0
    assert contains("Oslo, maybe in May", "Oslo in May") == 0.0
    assert contains("我记得是周三下午。", "周三") == 1.0
    assert contains("anything", "the") == 0.0  # a reference without tokens is in no answer
    assert contains("", "the") == 1.0


def test_the_best_of_the_accepted_answers_counts():
    assert best("f1", "9 May", ["May", "9 May", "8 May"]) == 1.0
    assert best("f1", "7 May", ["May", "8 May"]) == pytest.approx(2 / 3)  # 2 * 1 / (2 + 1)


@given(ASCII)
def test_on_ascii_the_tokens_are_those_of_squad(text):
    assert tokens(text) == squad(text)


@given(ANSWERS, ANSWERS)
def test_f1_is_symmetric_between_its_bounds_and_what_squad_computes(a, b):
    value = f1(a, b)
    assert value == f1(b, a)
    assert 0 <= value <= 1
    ours, theirs = tokens(a), tokens(b)
    common = (Counter(ours) & Counter(theirs)).total()
    if common:
        precision, recall = common / len(ours), common / len(theirs)
        assert value == pytest.approx(2 * precision * recall / (precision + recall))


@given(ANSWERS, ANSWERS, ANSWERS)
def test_an_exact_answer_has_every_score_and_a_longer_one_still_contains_it(a, b, more):
    assert all(measure(a, a) == 1.0 for measure in MEASURES.values())
    if exact(a, b):
        assert f1(a, b) == contains(a, b) == 1.0
    if tokens(b):
        assert contains(f"{more} {b} {more}", b) == 1.0
