"""Draws are the same everywhere, and distributed as they say."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.synthetic.draw import Draw, quota


def test_the_sequence_is_fixed():
    draw = Draw(7, "people", 3)
    assert [draw.below(1000) for _ in range(6)] == GOLDEN


# random.Random(blake2b-8("7\x1fpeople\x1f3")).random() × 1000: Python guarantees the sequence.
GOLDEN = [416, 624, 990, 484, 585, 620]


def test_other_names_give_other_sequences():
    first, second = Draw(0, "a", "bc"), Draw(0, "ab", "c")
    assert [first.unit() for _ in range(3)] != [second.unit() for _ in range(3)]


@given(st.integers(1, 10**6), st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_log_uniform_runs_from_one_to_the_highest(high, one, other):
    draw = Draw("any")

    def drawn(unit):
        draw.unit = lambda: unit
        return draw.log_uniform(high)

    assert drawn(0.0) == 1
    assert drawn(1 - 2**-53) == high
    low, top = sorted((one, other))
    assert drawn(low) <= drawn(top)


def test_log_uniform_has_equal_mass_in_equal_ratios():
    draw, n = Draw("log"), 20_000
    counts = Counter(len(str(draw.log_uniform(9999))) for _ in range(n))
    # Four decades of equal ratio: a quarter each; the standard error of a share is .003.
    assert [counts[d] / n for d in (1, 2, 3, 4)] == pytest.approx([0.25] * 4, abs=0.015)


@given(st.dictionaries(st.text(max_size=3), st.floats(0.01, 10), min_size=1), st.integers(0, 99))
def test_quota_keeps_proportions_to_within_one(weights, total):
    counts = Counter(quota(weights, total))
    assert sum(counts.values()) == total
    for name, weight in weights.items():
        assert abs(counts[name] - total * weight / sum(weights.values())) < 1


@given(st.lists(st.integers()), st.integers(0, 100))
def test_shuffling_loses_nothing(options, seed):
    assert sorted(Draw(seed).shuffled(options)) == sorted(options)


def test_weighted_follows_the_weights():
    draw = Draw("weights")
    counts = Counter(draw.weighted({"a": 1.0, "b": 3.0}) for _ in range(8000))
    assert counts["b"] / 8000 == pytest.approx(0.75, abs=0.02)
