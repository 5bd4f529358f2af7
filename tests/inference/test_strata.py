"""Data sets as strata of equal weight."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.inference.strata import balanced, split


def test_positions_by_stratum_in_order():
    found = split([1.0, 2.0, 3.0], ["a", "b", "a"], ["y", "x", "y"])
    assert [at.tolist() for at in found] == [[0, 2], [1]]


def test_balanced_by_hand():
    # x holds 3 of 4 values, y one: weights 4 / (2 * 3) and 4 / (2 * 1).
    found = balanced([3.0, 0.0, 3.0, 1.0], list("aabc"), list("xxxy"))
    assert found.tolist() == pytest.approx([2.0, 0.0, 2.0, 2.0])
    assert found.mean() == pytest.approx((2 + 1) / 2)


rows = st.tuples(st.one_of(st.floats(-3, 3), st.just(math.nan)), st.integers(0, 5))


@given(st.lists(rows, min_size=1, max_size=30))
def test_the_mean_is_that_of_the_strata_with_a_value(pairs):
    values, clusters = (list(column) for column in zip(*pairs, strict=True))
    strata = [c % 3 for c in clusters]
    found = balanced(values, clusters, strata)
    parts = [[v for v, s in zip(values, strata, strict=True) if s == x] for x in range(3)]
    known = [[v for v in part if not math.isnan(v)] for part in parts]
    means = [math.fsum(part) / len(part) for part in known if part]
    assert np.isnan(found).tolist() == np.isnan(values).tolist()
    if means:
        assert np.nanmean(found) == pytest.approx(sum(means) / len(means), abs=1e-9)


def test_what_cannot_work_is_refused():
    with pytest.raises(ConfigError, match="3 values, 3 clusters and 2 strata"):
        split([1.0, 2.0, 3.0], ["a", "b", "c"], ["x", "y"])
    with pytest.raises(ConfigError, match=r"clusters in two strata: 'c', 'a'; expected every"):
        balanced([1.0] * 5, list("abcca"), list("xxxyy"))
