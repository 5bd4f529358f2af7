"""Curves of quality against tokens, with their arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.curve import Curve, curve, shared_range
from memlab.errors import ConfigError


def line(tokens, values, *, saturated=False):
    columns = [np.array(c, dtype=np.float64) for c in (range(len(tokens)), tokens, values)]
    return Curve(*columns, saturated)


def test_points_are_means_per_budget_sorted_by_tokens():
    made = curve(
        [50, 20, 20, math.inf, 50, 20],
        [40, 10, 20, 90, 60, 999],
        [1.0, 0.0, 1.0, 1.0, 0.5, math.nan],  # no value: left out of both means
        [True, True, True, False, True, True],
    )
    assert made.budgets.tolist() == [20, 50, math.inf]
    assert made.tokens.tolist() == [15, 50, 90]
    assert made.values.tolist() == [0.5, 0.75, 1.0]
    assert made.saturated


def test_between_points_the_curve_is_straight_over_log_tokens():
    made = line([99, 999], [0.2, 0.8])  # log10(1 + t) is 2 and 3
    assert made.at(10**2.5 - 1) == pytest.approx(0.5)
    assert made.at(549, scale="linear") == pytest.approx(0.5)
    assert made.at(99) == pytest.approx(0.2)
    assert made.at(999) == pytest.approx(0.8)


def test_outside_the_measured_range_there_is_no_value():
    made = line([99, 999], [0.2, 0.8])
    assert math.isnan(made.at(98))
    assert math.isnan(made.at(1000))
    assert np.isnan(made.weights(1000)).all()
    assert math.isnan(made.area(50, 500))
    assert line([99, 999], [0.2, 0.8], saturated=True).at(1e6) == 0.8


def test_a_memory_of_nothing_is_a_level_line():
    nothing = curve([10, 20], [0, 0], [0, 0], [False, False])
    assert nothing.at(0) == nothing.at(500) == 0.0
    assert nothing.area(10, 100) == 0.0


def test_area_is_the_mean_height():
    made = line([9, 99, 999], [0.0, 1.0, 1.0])  # at log10(1 + t) = 1, 2, 3
    assert made.area(9, 999) == pytest.approx((0.5 + 1.0) / 2)
    assert made.area(99, 999) == pytest.approx(1.0)
    # Over plain tokens the first rise is 90 of 990 wide: (90 * 0.5 + 900) / 990.
    assert made.area(9, 999, scale="linear") == pytest.approx(945 / 990)


def test_equal_tokens_count_with_their_mean_and_equal_shares():
    made = line([9, 99, 99], [0.0, 0.4, 0.6])
    assert made.at(99) == pytest.approx(0.5)
    assert made.weights(99).tolist() == [0.0, 0.5, 0.5]


def test_the_shared_range_ends_where_the_first_curve_ends():
    window = line([10, 80], [0.1, 0.2], saturated=True)
    search = line([20, 500], [0.3, 0.9])
    assert shared_range([window, search]) == (20.0, 500.0)
    assert shared_range([window]) == (10.0, 80.0)
    assert np.isnan(shared_range([])).all()
    assert np.isnan(shared_range([window, curve([], [], [], [])])).all()


def test_a_curve_without_points_has_no_values():
    empty = curve([1], [1], [math.nan], [True])
    assert math.isnan(empty.at(1))
    assert math.isnan(empty.low)
    assert math.isnan(empty.high)
    assert math.isnan(empty.area(1, 2))


def test_what_cannot_work_is_refused():
    with pytest.raises(ConfigError, match="one entry per record"):
        curve([1, 2], [1], [1], [True])
    with pytest.raises(ConfigError, match="low < high"):
        line([1, 9], [0, 1]).area(5, 5)
    with pytest.raises(ConfigError, match="'log' or 'linear'"):
        line([1, 9], [0, 1]).at(5, scale="log2")


POINTS = st.lists(st.tuples(st.integers(0, 5000), st.floats(0, 1)), min_size=1, max_size=8)


@given(POINTS, st.floats(0, 1), st.sampled_from(["log", "linear"]))
def test_weights_are_shares_and_values_stay_between_the_points(points, where, scale):
    made = line(*zip(*sorted(points), strict=True))
    tokens = min(made.low + where * (made.high - made.low), made.high)
    weights = made.weights(tokens, scale=scale)
    assert weights.sum() == pytest.approx(1.0)
    assert (weights >= -1e-12).all()
    low, high = made.values.min(), made.values.max()
    assert low - 1e-9 <= made.at(tokens, scale=scale) <= high + 1e-9


def test_mixed_values_of_single_probes_average_to_the_curve():
    rng = np.random.default_rng(3)
    values = rng.random((3, 40))  # budgets × probes
    tokens = np.sort(rng.integers(10, 1000, (3, 40)), axis=0)
    budgets = np.repeat([100, 400, 1000], 40)
    made = curve(budgets, tokens.ravel(), values.ravel(), np.ones(120))
    at = float(np.sqrt(made.tokens[0] * made.tokens[2]))
    assert (made.weights(at) @ values).mean() == pytest.approx(made.at(at))
