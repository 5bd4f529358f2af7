"""Ranges of a dial, with their arithmetic."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.bins import FEW, MOST, make_bins, place
from memlab.errors import ConfigError


def test_few_values_stand_for_themselves():
    found = make_bins([3, 1, 3, 8], log=True)
    assert found == ((1, 1, 1), (3, 3, 3), (8, 8, 8))


def test_logarithmic_ranges_are_round_and_end_where_the_values_do():
    # 0..999, one probe each. By 1, 2, 5 there are ten: 0, 1, 2-4, 5-9, 10-19, 20-49, 50-99,
    # 100-199, 200-499, 500-999; the first four hold one, one, three and five: joined, they
    # have the ten they need. Anything finer has more than ten.
    found = make_bins(range(1000), log=True)
    ends = [(b.low, b.high) for b in found]
    assert ends == [(0, 9), (10, 19), (20, 49), (50, 99), (100, 199), (200, 499), (500, 999)]
    # (1 + 10)(1 + 19) = 220
    assert found[1].centre == pytest.approx(220**0.5 - 1)
    clipped = make_bins([*range(13, 20), *range(20, 500), *range(500, 641)], log=True)
    assert (clipped[0].low, clipped[-1].high) == (13, 640)


def test_equal_ranges_of_a_share():
    # 0.00, 0.01, … 0.99: a tenth is the finest of 0.1, 0.2, 0.25, 0.5 with at most ten ranges.
    found = make_bins(np.arange(100) / 100, log=False)
    assert [b.low for b in found] == pytest.approx(np.arange(10) / 10)
    assert [b.high for b in found] == pytest.approx(np.arange(1, 11) / 10)
    assert found[3].centre == pytest.approx(0.35)


def test_equal_ranges_of_whole_numbers_hold_both_ends():
    # 0..29 spans 29; a width of 2 would give fifteen ranges, 2.5 is not whole, 5 gives six.
    found = make_bins(sorted([*range(30)] * 2), log=False)
    assert [(b.low, b.high) for b in found] == [(x, x + 4) for x in range(0, 30, 5)]
    assert found[0].centre == 2


def test_sparse_ranges_join_their_neighbour():
    # 40 probes at 1..10, then single ones at 100 and 1000: ten are asked of every range, so the
    # two join the last one.
    found = make_bins([*(v for v in range(1, 11) for _ in range(4)), 100, 1000], log=True)
    assert found[-1].high == 1000
    assert found[-1].low <= 10


def test_given_edges_are_taken_as_they_are():
    found = make_bins([0, 4, 5, 99, 100], log=False, edges=[0, 5, 50, 100])
    # Nothing lies in 5..49 but 5 itself; whole numbers, so both ends belong to a range.
    assert [(b.low, b.high) for b in found] == [(0, 4), (5, 49), (50, 100)]
    broken = make_bins([0, 2, 3], log=False, edges=[0, 2.5, 4])
    assert [(b.low, b.high) for b in broken] == [(0, 2.5), (2.5, 4)]
    halves = make_bins([0.1, 0.6], log=False, edges=[0, 0.5, 1])
    assert [(b.low, b.high, b.centre) for b in halves] == [(0, 0.5, 0.25), (0.5, 1, 0.75)]


@pytest.mark.parametrize("edges", [[1], [2, 1], [0, 1, 1], [0, float("inf")], [[0, 1]]])
def test_edges_that_do_not_rise_are_refused(edges):
    with pytest.raises(ConfigError, match="at least two finite edges"):
        make_bins([0.5, 0.7], log=False, edges=edges)


def test_edges_that_leave_values_out_are_refused():
    with pytest.raises(ConfigError, match="every value, 1 to 30"):
        make_bins([1, 30], log=True, edges=[0, 10])


WHOLE = st.lists(st.integers(0, 10**6), min_size=2, max_size=200)
SHARES = st.lists(st.floats(0, 1), min_size=2, max_size=200)


@given(st.one_of(WHOLE, SHARES), st.booleans())
def test_every_value_lies_in_one_range(values, log):
    if log and values != [round(v) for v in values]:
        log = False
    found = make_bins(values, log=log)
    distinct = len(set(values))
    assert len(found) == distinct if distinct <= FEW else 0 < len(found) <= MOST
    assert all(a.high <= b.low for a, b in pairwise(found))
    at = place(found, values)
    for value, position in zip(values, at, strict=True):
        assert found[position].low <= value <= found[position].high
    assert set(at.tolist()) == set(range(len(found)))
    assert all(b.low <= b.centre + 1e-9 and b.centre <= b.high + 1e-9 for b in found)
    if len(set(values)) > FEW:
        assert min(np.bincount(at)) >= min(10, len(values) // 4)


def test_what_has_no_value_has_no_range():
    assert place(make_bins([1, 2], log=False), [2, float("nan"), 1]).tolist() == [1, -1, 0]
