"""What data say on an expectation: signs, margins, limits and rules without exception."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.board.evidence import AGAINST, EXPECTED, OPEN, Evidence, Titled, outcomes
from memlab.board.expectations import Expectation
from memlab.board.strict import Table

EIGHT = list("abcdefgh")
NAN = math.nan


def judged(expectation, values, clusters=EIGHT):
    found = expectation.evidence(np.array(values, dtype=float), clusters)
    title = Titled("a", str(expectation), difference=True)
    return outcomes([title], [found])[0], found


def test_a_sign_is_tested_by_flipping_conversations():
    # All eight differences are above 0: only 2 of 2^8 patterns reach the sum.
    outcome, found = judged(Expectation("greater"), [0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.2, 0.1])
    assert found.favour == 2 / 2**8
    assert (outcome.verdict, outcome.p) == (EXPECTED, 0.00781)
    assert outcome.effect == pytest.approx(1.3 / 8, abs=5e-6)


@pytest.mark.parametrize(("kind", "verdict"), [("greater", EXPECTED), ("less", AGAINST)])
def test_the_other_sign_speaks_against(kind, verdict):
    assert judged(Expectation(kind), [0.1] * 7 + [0.2])[0].verdict == verdict


def test_differences_of_both_signs_decide_nothing():
    outcome, _ = judged(Expectation("greater"), [0.1, -0.1, 0.2, -0.1, 0.1, -0.2, 0.1, 0.0])
    assert outcome.verdict == OPEN


def test_identical_strategies_are_not_separated():
    outcome, found = judged(Expectation("less"), [0.0] * 8)
    assert (found.favour, found.against, outcome.note) == (1.0, 1.0, "identical")
    assert outcome.verdict == OPEN


def test_equal_needs_the_interval_within_the_margin():
    near = [0.01, -0.01, 0.0, 0.01, -0.01, 0.0, 0.01, -0.01]
    assert judged(Expectation("equal", margin=0.05), near)[0].verdict == EXPECTED
    wide = [0.4, -0.4, 0.3, -0.3, 0.2, -0.2, 0.3, -0.3]
    assert judged(Expectation("equal", margin=0.05), wide)[0].verdict == OPEN
    far = [0.3, 0.31, 0.29, 0.3, 0.32, 0.28, 0.3, 0.3]
    assert judged(Expectation("equal", margin=0.05), far)[0].verdict == AGAINST
    assert judged(Expectation("equal", value=0.3, margin=0.05), far)[0].verdict == EXPECTED


def test_the_p_of_equal_is_that_of_tost():
    from memlab.inference.margins import equivalence

    values = [0.01, -0.03, 0.02, 0.01, -0.01, 0.0, 0.01, -0.01]
    found = Expectation("equal", margin=0.03).evidence(np.array(values), EIGHT)
    assert found.favour == pytest.approx(equivalence(values, EIGHT, 0.03).p)


@pytest.mark.parametrize(
    ("kind", "value", "verdict"),
    [
        ("at least", 0.2, EXPECTED),
        ("at least", 0.3, OPEN),
        ("at least", 0.4, AGAINST),
        ("at most", 0.4, EXPECTED),
        ("at most", 0.2, AGAINST),
    ],
)
def test_limits(kind, value, verdict):
    values = [0.3, 0.31, 0.29, 0.3, 0.32, 0.28, 0.3, 0.3]
    assert judged(Expectation(kind, value=value), values)[0].verdict == verdict


def test_the_p_of_a_limit_is_that_of_a_one_sided_t_test():
    from scipy.stats import ttest_1samp

    values = [0.3, 0.35, 0.25, 0.2, 0.4, 0.3, 0.33, 0.27]
    found = Expectation("at least", value=0.25).evidence(np.array(values), EIGHT)
    # One value to a conversation: CR3 is the usual standard error times sqrt(n / (n - 1)).
    plain = ttest_1samp(values, 0.25, alternative="greater")
    assert found.favour == pytest.approx(plain.pvalue, abs=2e-3)
    assert found.favour + found.against == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kind", "value", "values", "broken"),
    [
        ("always", 0, [0, 0, 0, 0], 0),
        ("always", 0, [0, 0, 0, 1e-3], 1),
        ("never above", 5, [5, 4, 1, 0], 0),
        ("never above", 5, [5.1, 6, 1, 0], 2),
        ("never below", 0, [0, 0.5, 1, -0.1], 1),
    ],
)
def test_a_rule_has_no_exception(kind, value, values, broken):
    outcome, found = judged(Expectation(kind, value=value), values, list("aabb"))
    assert found.certain is (broken == 0)
    assert outcome.verdict == (AGAINST if broken else EXPECTED)
    assert outcome.effect == broken / 4
    assert outcome.note.startswith(f"{broken} of 4 break the rule")
    assert outcome.p is None, "a rule is no test"


def test_a_rule_needs_no_six_conversations_but_values():
    assert judged(Expectation("always", value=1), [1.0], ["a"])[0].verdict == EXPECTED
    assert judged(Expectation("always", value=1), [NAN], ["a"])[0].verdict == "no values"


def test_fewer_than_six_conversations_are_descriptive():
    outcome, _ = judged(Expectation("greater"), [0.5] * 5, list("abcde"))
    assert outcome.verdict == "descriptive"


def test_p_is_adjusted_over_the_checks_of_a_claim():
    title = Titled("a", "greater", difference=True)
    one = Evidence(0.1, 0.0, 0.2, 80, 8, favour=0.03, against=1.0)
    other = Evidence(0.1, 0.0, 0.2, 80, 8, favour=0.02, against=1.0)
    rule = Evidence(0.0, NAN, NAN, 80, 8, certain=True)
    # Holm over two tests; the rule is none: 0.02 x 2, then at least that.
    made = outcomes([title] * 3, [one, other, rule])
    assert [outcome.p for outcome in made] == [0.04, 0.04, None]
    assert outcomes([title], [one])[0].p == 0.03
    three = outcomes([title] * 3, [one, other, one])
    assert [outcome.p for outcome in three] == [0.06, 0.06, 0.06]
    assert {outcome.verdict for outcome in three} == {OPEN}


@given(st.lists(st.floats(-1, 1), min_size=8, max_size=8))
def test_no_data_speak_for_both_sides(values):
    for kind in ("greater", "less", "at least", "at most"):
        found = Expectation(kind).evidence(np.array(values), EIGHT)
        assert not (found.favour <= 0.05 and found.against <= 0.05)


@given(st.lists(st.floats(-1, 1), min_size=8, max_size=8))
def test_greater_and_less_are_mirror_images(values):
    up = Expectation("greater").evidence(np.array(values), EIGHT)
    down = Expectation("less").evidence(-np.array(values), EIGHT)
    assert (up.favour, up.against) == (down.favour, down.against)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"expect": "bigger"}, "expect = 'bigger'"),
        ({}, "no 'expect'"),
        ({"expect": "greater"}, "without a baseline"),
        ({"expect": "at least"}, "no 'value'"),
        ({"expect": "equal"}, "no 'margin'"),
        ({"expect": "equal", "margin": -1}, "margin = -1"),
        ({"expect": "always", "value": 1, "margin": 1}, "margin with expect"),
        ({"expect": "always", "value": "one"}, "value = 'one'"),
    ],
)
def test_faults_of_an_expectation(data, message):
    table = Table(data, "here", [])
    Expectation.read(table, paired=False)
    assert any(message in str(fault) for fault in table.faults), table.faults
