"""Associations against scipy, against deletion of each cluster, and their invariants."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, somersd, t

from memlab.association import concordance, difference
from memlab.errors import ConfigError

LEVELS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.4, 1.0])),
    min_size=2,
    max_size=25,
)


def sample(n=90, groups=9, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, n) / 3
    y = (rng.random(n) < 0.2 + 0.6 * x).astype(float)
    return x, y, (np.arange(n) % groups).tolist()


def test_for_two_outcomes_it_is_the_area_under_the_curve():
    x, y, clusters = sample()
    u = mannwhitneyu(x[y == 1], x[y == 0]).statistic
    assert concordance(x, y, clusters).value == pytest.approx(u / ((y == 1).sum() * (y == 0).sum()))


@given(LEVELS)
def test_for_more_outcomes_it_is_somers_d_brought_to_0_to_1(pairs):
    x, y = np.array(pairs).T
    found = concordance(x, y, range(len(x)))
    if np.ptp(y) == 0:
        assert math.isnan(found.value)
        assert found.note == "all outcomes are equal"
    elif np.ptp(x) == 0:
        assert found.value == 0.5
    else:
        assert found.value == pytest.approx((somersd(y, x).statistic + 1) / 2)


@given(LEVELS)
def test_only_the_order_of_the_predictor_counts_and_turning_it_turns_the_value(pairs):
    x, y = np.array(pairs).T
    clusters = [i % 7 for i in range(len(x))]
    found = concordance(x, y, clusters)
    np.testing.assert_equal(concordance(np.exp(3 * x), y, clusters)._asdict(), found._asdict())
    turned = concordance(-x, y, clusters)
    np.testing.assert_allclose(turned.value, 1 - found.value)


@pytest.mark.parametrize("kind", ["concordance", "difference"])
def test_the_interval_is_the_jackknife_over_clusters(kind):
    x, y, clusters = sample()
    codes = np.array(clusters)

    def value(kept):
        if kind == "concordance":
            return concordance(x[kept], y[kept], codes[kept].tolist())
        return difference(y[kept], x[kept] == 1, x[kept] == 0, codes[kept].tolist())

    found = value(np.ones(len(x), dtype=bool))
    left = np.array([value(codes != g).value for g in range(9)])
    half = math.sqrt(8 / 9 * ((left - found.value) ** 2).sum()) * t.ppf(0.975, 8)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))
    assert (found.clusters, found.note) == (9, "")


def test_a_difference_by_hand():
    # mean of 1, 0, 1 minus mean of 0, 0.5: 2/3 - 1/4
    found = difference([1, 0, 1, 0, 0.5, 9], [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 0], "abcdef")
    assert found.value == pytest.approx(2 / 3 - 1 / 4)
    assert (found.n, found.clusters) == (5, 5)
    assert found.note == "fewer than 6 conversations: no interval"


def test_what_cannot_be_told_is_nan_with_a_reason():
    empty = concordance([], [], [])
    assert (empty.n, empty.note) == (0, "no records")
    assert math.isnan(empty.value)
    nan = math.nan
    assert concordance([nan, 1, 0], [1, nan, 0], "abc").n == 1
    one_side = difference([1, 0], [1, 1], [0, 0], "ab")
    assert one_side.note == "only one of the two kinds of records"
    assert math.isnan(one_side.value)
    # the only wrong answer lies in one conversation: without it there is no AUC
    resting = concordance([1] * 7, [1] * 6 + [0], range(7))
    assert resting.value == 0.5
    assert (math.isnan(resting.low), resting.note) == (
        True,
        "rests on one conversation: no interval",
    )
    with pytest.raises(ConfigError, match="one each"):
        concordance([1, 2], [1], "ab")


def test_many_records_are_taken_in_pieces():
    x, y, clusters = sample(n=3000, groups=30)
    u = mannwhitneyu(x[y == 1], x[y == 0]).statistic
    assert concordance(x, y, clusters).value == pytest.approx(u / ((y == 1).sum() * (y == 0).sum()))
