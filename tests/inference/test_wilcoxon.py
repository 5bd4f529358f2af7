"""The signed rank test against scipy and brute force over all signs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from memlab.errors import ConfigError
from memlab.inference.wilcoxon import wilcoxon


def brute(means):
    """The share of sign patterns of the ranks, zeros left out, that reach |sum|."""
    ranks = stats.rankdata([abs(m) for m in means if m])
    signed = [math.copysign(r, m) for r, m in zip(ranks, filter(None, means), strict=True)]
    reached = [
        abs(sum(s * r for s, r in zip(signs, ranks, strict=True))) >= abs(sum(signed))
        for signs in itertools.product((1, -1), repeat=len(ranks))
    ]
    return sum(reached) / len(reached)


def test_by_hand():
    # Cluster means .3, -.2, .3, .4; |means| .2 .3 .3 .4, ranks 1, 2.5, 2.5, 4: sum 9 - 1 = 8.
    # |8| is reached by all plus, by the observed, and by their mirrors: 4 of 16 patterns.
    found = wilcoxon([0.5, 0.1, -0.2, 0.3, 0.4], ["a", "a", "b", "c", "d"])
    assert (found.p, found.smallest, found.statistic) == (0.25, 0.125, 9.0)
    assert (found.n, found.clusters, found.zeros, found.exact) == (5, 4, 0, True)


@pytest.mark.parametrize("groups", [3, 6, 12, 16, 17, 30, 50])
def test_without_ties_it_is_the_exact_test_of_scipy(groups):
    means = np.random.default_rng(groups).normal(0.3, 1, groups)
    found = wilcoxon(means, list(range(groups)))
    assert found.p == pytest.approx(stats.wilcoxon(means, method="exact").pvalue, rel=1e-9)
    assert found.smallest == pytest.approx(2.0 ** (1 - groups))
    assert found.exact


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=10))
def test_ties_and_zeros_equal_brute_force(means):
    found = wilcoxon([m / 10 for m in means], list(range(len(means))))
    assert found.p == pytest.approx(brute(means), abs=1e-12)
    assert found.zeros == means.count(0)
    assert found.smallest <= found.p <= 1


def test_means_that_differ_by_rounding_are_ties():
    # Two of 0.1 and 0.2, and one of 0.15 twice: equal but for rounding (0.15000000000000002).
    values, clusters = [0.1, 0.2, -0.15, -0.15, 0.05], ["a", "a", "b", "b", "c"]
    assert sum(values[:2]) / 2 != 0.15
    assert wilcoxon(values, clusters).p == brute([3, -3, 1])


@pytest.mark.parametrize("ties", [False, True])
def test_many_clusters_take_the_normal_approximation(ties):
    means = np.random.default_rng(6).normal(0.2, 1, 60)
    means = np.round(means, 1) if ties else means
    kept = means[means != 0]
    found = wilcoxon(means, list(range(60)))
    expected = stats.wilcoxon(kept, correction=True, method="asymptotic")
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    least = stats.wilcoxon(np.abs(kept), correction=True, method="asymptotic")
    assert found.smallest == pytest.approx(least.pvalue, rel=1e-9)
    assert not found.exact
    assert found.zeros == 60 - len(kept)


@given(st.lists(st.tuples(st.floats(-9, 9), st.integers(0, 5)), min_size=1, max_size=20))
def test_neither_order_nor_sign_nor_scale_matters(pairs):
    values, clusters = (list(column) for column in zip(*pairs, strict=True))
    found = wilcoxon(values, clusters)
    assert wilcoxon(values[::-1], clusters[::-1]).p == pytest.approx(found.p)
    assert wilcoxon([-v for v in values], clusters).p == found.p
    assert wilcoxon([v * 4 for v in values], clusters).p == found.p


def test_degenerate_samples():
    nothing = wilcoxon([math.nan], ["a"])
    assert math.isnan(nothing.p)
    assert (nothing.note, nothing.n, nothing.ignored) == ("no pairs", 0, 1)
    same = wilcoxon([0.0] * 7, list("abcdefg"))
    assert (same.p, same.note, same.zeros, same.descriptive) == (1.0, "identical", 7, False)
    even = wilcoxon([1.0, -1.0], ["a", "a"])
    assert (even.p, even.note) == (1.0, "")
    assert wilcoxon([3.0, 1.0], ["a", "a"]).p == 1.0  # one cluster shows nothing
    equal = wilcoxon([0.1] * 7, list("abcdefg"))
    assert equal.p == equal.smallest == 2.0**-6
    assert wilcoxon([0.1] * 5, list("abcde")).descriptive


def test_what_cannot_work_is_refused():
    with pytest.raises(ConfigError, match="one cluster each"):
        wilcoxon([1.0], [])
    with pytest.raises(ConfigError, match="infinite"):
        wilcoxon([math.inf], ["a"])
