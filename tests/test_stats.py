"""Estimates: the cluster-robust mean against a leave-one-out loop, means of means, pairs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.stats import FEW, cluster_mean, macro_mean, paired, t_quantile, why


def by_hand(values, clusters):
    """Mean and CR3 standard error by leaving out one cluster after the other."""
    names = sorted(set(clusters))
    pairs = list(zip(values, clusters, strict=True))
    mean = math.fsum(values) / len(values)
    squares = []
    for left_out in names:
        rest = [v for v, c in pairs if c != left_out]
        squares.append((math.fsum(rest) / len(rest) - mean) ** 2)
    return mean, math.sqrt((len(names) - 1) / len(names) * math.fsum(squares))


def test_equals_the_leave_one_out_loop_on_unequal_clusters():
    from scipy import stats

    rng = np.random.default_rng(11)
    sizes = [81, 105, 152, 199, 260, 158, 190, 239, 196, 7]
    clusters = [f"conv-{g}" for g, size in enumerate(sizes) for _ in range(size)]
    values = rng.random(len(clusters)).tolist()
    found = cluster_mean(values, clusters)
    mean, error = by_hand(values, clusters)
    half = stats.t.ppf(0.975, len(sizes) - 1) * error
    assert found.mean == pytest.approx(mean, rel=1e-12)
    assert found.se == pytest.approx(error, rel=1e-10)
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half), rel=1e-10)
    assert (found.n, found.clusters, found.ignored) == (sum(sizes), 10, 0)
    assert not found.descriptive


def test_with_one_record_per_cluster_it_is_the_textbook_t_interval():
    # Mean 3, s² = 2.5, n = 5: se = sqrt(0.5), t(0.975, 4) = 2.776445.
    found = cluster_mean([1, 2, 3, 4, 5], list("abcde"))
    assert found.mean == 3.0
    assert found.se == pytest.approx(math.sqrt(0.5))
    assert found.high == pytest.approx(3 + 2.776445 * math.sqrt(0.5), rel=1e-6)
    assert found.descriptive  # five clusters are few


def test_nan_is_ignored_and_counted():
    found = cluster_mean([1.0, math.nan, 0.0, math.nan], ["a", "a", "b", "c"])
    assert found[:1] + found[3:6] == (0.5, 2, 2, 2)


@pytest.mark.parametrize(
    ("values", "clusters", "mean"),
    [([1.0, 0.0], ["a", "a"], 0.5), ([], [], math.nan), ([math.nan], ["a"], math.nan)],
)
def test_without_two_clusters_there_is_no_interval(values, clusters, mean):
    found = cluster_mean(values, clusters)
    assert found.mean == pytest.approx(mean, nan_ok=True)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.descriptive


def test_equal_values_give_an_interval_of_no_width():
    found = cluster_mean([1.0] * 12, [n // 2 for n in range(12)])
    assert found.low == found.mean == found.high == 1.0
    assert found.clusters == FEW
    # Sums of .1 round: every cluster mean is .1 or one bit beside it, and yet there is no width.
    rounded = cluster_mean([0.1] * 21, [n % 7 % 6 for n in range(21)])
    assert (rounded.se, rounded.low) == (0.0, rounded.high)


def test_what_cannot_work_is_refused():
    with pytest.raises(ConfigError, match="one cluster each"):
        cluster_mean([1.0, 2.0], ["a"])
    with pytest.raises(ConfigError, match="infinite"):
        cluster_mean([math.inf], ["a"])
    with pytest.raises(ConfigError, match="between 0 and 1"):
        cluster_mean([1.0], ["a"], level=95)
    with pytest.raises(ConfigError, match="between 0 and 1"):
        macro_mean([], level=0)
    with pytest.raises(ConfigError, match="2 values, 2 clusters and 1 strata"):
        paired([1.0, 2.0], ["a", "b"], ["x"])
    with pytest.raises(ConfigError, match="clusters in two strata: 'a'"):
        paired([1.0, 2.0], ["a", "a"], ["x", "y"])


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 6)), min_size=2, max_size=40),
    st.floats(-3, 3),
)
def test_shifting_the_values_shifts_the_interval_and_order_does_not_matter(pairs, shift):
    values, clusters = (list(c) for c in zip(*pairs, strict=True))
    found = cluster_mean(values, clusters)
    moved = cluster_mean([v + shift for v in values[::-1]], clusters[::-1])
    expected = [v + shift for v in found[:3]]
    assert list(moved[:3]) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("groups", [5, 10, 30])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(groups):
    # Clusters of unequal size with a common part; 2,000 repetitions: 95 % ± 1 % (2 s.e.).
    rng = np.random.default_rng(groups)
    sizes = rng.integers(20, 200, groups)
    clusters = np.repeat(np.arange(groups), sizes).tolist()
    codes = np.repeat(np.arange(groups), sizes)
    covered = 0
    for _ in range(2000):
        values = rng.normal(0, 0.3, groups)[codes] + rng.normal(0, 1, len(codes))
        found = cluster_mean(values, clusters)
        covered += found.low <= 0 <= found.high
    assert 0.93 <= covered / 2000 <= 0.975


def test_a_mean_of_means_has_the_degrees_of_freedom_of_satterthwaite():
    # Errors 1 and 2 with 4 and 9 degrees: (1 + 4)^2 / (1 / 4 + 16 / 9) = 12.328767.
    rng = np.random.default_rng(2)
    parts = [cluster_mean(rng.normal(0, 1, n), list(range(n))) for n in (5, 10)]
    parts = [part._replace(se=float(i)) for i, part in enumerate(parts, 1)]
    found = macro_mean(parts)
    assert found.mean == pytest.approx((parts[0].mean + parts[1].mean) / 2)
    assert found.se == pytest.approx(math.sqrt(1 + 4) / 2)
    assert found.df == pytest.approx(12.328767, rel=1e-6)
    assert (found.high - found.mean) / found.se == pytest.approx(t_quantile(0.975, found.df))
    assert (found.n, found.clusters, found.descriptive) == (15, 15, True)  # five are few


def test_a_mean_of_one_mean_is_that_mean():
    values, clusters = [0.5, 0.25, -0.25, 1.0], ["a", "a", "b", "c"]
    one, empty = cluster_mean(values, clusters), cluster_mean([math.nan], ["z"])
    found = macro_mean([one, empty])
    assert found[:3] == pytest.approx(one[:3])
    assert (found.df, found.se) == pytest.approx((one.df, one.se))
    assert (found.n, found.ignored) == (4, 1)
    assert math.isnan(macro_mean([one, cluster_mean([1.0], ["y"])]).low)
    assert math.isnan(macro_mean([]).mean)


def test_paired_is_the_cluster_robust_interval_of_the_differences():
    values, clusters = [0.5, 0.1, -0.2, 0.3, math.nan], ["a", "a", "b", "c", "c"]
    assert paired(values, clusters) == cluster_mean(values, clusters)
    assert paired(values, clusters, level=0.9).low > paired(values, clusters).low


def test_paired_over_strata_is_the_mean_of_their_means():
    rng = np.random.default_rng(1)
    values, strata = rng.normal(0.2, 1, 90), ["x"] * 60 + ["y"] * 30
    clusters = [f"{s}{n % 7}" for n, s in enumerate(strata)]
    parts = [
        cluster_mean(values[at], clusters[at], level=0.9) for at in (slice(0, 60), slice(60, 90))
    ]
    assert paired(values, clusters, strata, level=0.9) == macro_mean(parts, level=0.9)
    assert paired(values, clusters, ["x"] * 90) == paired(values, clusters)


@pytest.mark.parametrize(
    ("values", "clusters", "strata", "reason"),
    [
        ([math.nan], ["a"], None, "no pairs"),
        ([0.0, math.nan], ["a", "b"], None, "identical"),
        ([0.5, 0.1], ["a", "a"], None, "one cluster"),
        ([0.5, 0.1, 0.1], ["a", "b", "c"], ["x", "x", "y"], "a stratum of one cluster"),
        ([0.5, -0.5, 0.0], ["a", "a", "b"], None, "no spread"),
        ([0.5, 0.1], ["a", "b"], None, ""),
    ],
)
def test_why_there_is_no_error(values, clusters, strata, reason):
    assert why(paired(values, clusters, strata), values) == reason


def test_quantiles_are_those_of_student():
    assert t_quantile(0.975, 9) == pytest.approx(2.262157, abs=1e-6)
    assert t_quantile(0.5, 3) == pytest.approx(0.0, abs=1e-12)
