"""The sign flip test against brute force, scipy and simulation."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.inference.sign_flip import DRAWS, EXACT, sign_flip
from memlab.stats import paired


def brute(differences, clusters):
    """The share of sign patterns whose |sum| is at least the observed, in exact arithmetic."""
    sums = {}
    for value, cluster in zip(differences, clusters, strict=True):
        sums[cluster] = sums.get(cluster, Fraction(0)) + Fraction(value)
    observed = abs(sum(sums.values()))
    patterns = list(itertools.product((1, -1), repeat=len(sums)))
    reached = sum(
        abs(sum(s * v for s, v in zip(signs, sums.values(), strict=True))) >= observed
        for signs in patterns
    )
    return reached / len(patterns)


def test_by_hand():
    # Cluster sums .6, .2, .3: only all plus and all minus reach 1.1, 2 of 8 patterns.
    found = sign_flip([0.5, 0.1, 0.2, 0.3], ["a", "a", "b", "c"])
    assert (found.p, found.smallest) == (0.25, 0.25)
    assert found.statistic == pytest.approx(1.1 / 4)  # |sum| / records
    assert (found.n, found.clusters, found.patterns, found.exact) == (4, 3, 8, True)


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 7)), min_size=1, max_size=24),
    st.sampled_from([1, 3, 10]),
)
def test_equals_brute_force_with_ties_and_zeros(pairs, divisor):
    # Quarters and halves are exact in binary, thirds and tenths are not: ties must hold there too.
    clusters = [c for _, c in pairs]
    found = sign_flip([v / divisor for v, _ in pairs], clusters)
    assert found.p == pytest.approx(brute([v for v, _ in pairs], clusters), abs=1e-12)
    assert found.exact
    assert found.smallest <= found.p <= 1


@given(st.lists(st.tuples(st.floats(-9, 9), st.integers(0, 5)), min_size=1, max_size=20))
def test_neither_order_nor_sign_nor_scale_matters(pairs):
    values, clusters = (list(column) for column in zip(*pairs, strict=True))
    found = sign_flip(values, clusters)
    assert sign_flip(values[::-1], clusters[::-1]).p == pytest.approx(found.p)
    assert sign_flip([-v for v in values], clusters).p == found.p
    assert sign_flip([v * 4 for v in values], clusters).p == found.p


@pytest.mark.parametrize("groups", [2, 5, 9, 12])
def test_equals_scipy_on_cluster_sums(groups):
    from scipy.stats import permutation_test

    rng = np.random.default_rng(groups)
    clusters = np.concatenate([np.arange(groups), rng.integers(0, groups, 80)])
    values = rng.normal(0.2, 1, len(clusters))
    sums = np.bincount(clusters, values)
    expected = permutation_test(
        (sums,),
        lambda x, axis: np.abs(np.sum(x, axis=axis)),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
    )
    assert sign_flip(values, clusters.tolist()).p == pytest.approx(expected.pvalue, abs=1e-12)


def test_with_strata_by_hand():
    # x: 4 records, y: 1. The mean of the means is (2/4 + .5/1) / 2 = .5; records weigh 1/8 and
    # 1/2, cluster sums 1.5/8, .5/8, .25: only all plus and all minus reach .5, 2 of 8 patterns.
    values, clusters = [1.0, 0.5, 0.25, 0.25, 0.5], ["a", "a", "b", "b", "c"]
    found = sign_flip(values, clusters, ["x", "x", "x", "x", "y"])
    assert found.statistic == pytest.approx(0.5)
    assert (found.p, found.n, found.clusters) == (0.25, 5, 3)


rows = st.tuples(st.one_of(st.integers(-4, 4), st.just(math.nan)), st.integers(0, 8))


@given(st.lists(rows, min_size=1, max_size=24))
def test_with_strata_equals_brute_force_on_weighted_sums(pairs):
    # Clusters 0 to 8 lie in strata 0 to 2 by remainder; a record weighs one over its stratum's.
    known = [(v, c) for v, c in pairs if not math.isnan(v)]
    counts = {s: sum(c % 3 == s for _, c in known) for s in range(3)}
    weighted = [Fraction(v, counts[c % 3]) for v, c in known]
    values, clusters = (list(column) for column in zip(*pairs, strict=True))
    found = sign_flip(values, clusters, [c % 3 for c in clusters])
    mean = paired(values, clusters, [c % 3 for c in clusters])
    assert (found.n, found.clusters, found.ignored) == (mean.n, mean.clusters, mean.ignored)
    if known:
        assert found.p == pytest.approx(brute(weighted, [c for _, c in known]), abs=1e-12)
        assert found.statistic == pytest.approx(abs(mean.mean), abs=1e-12)
    else:
        assert found.note == "no pairs"


def test_one_stratum_changes_nothing():
    values, clusters = np.random.default_rng(3).normal(0.1, 1, 90), [n % 9 for n in range(90)]
    assert sign_flip(values, clusters, ["x"] * 90) == sign_flip(values, clusters)


def test_the_least_p_of_few_clusters():
    for groups, least in ((5, 0.0625), (10, 0.001953125), (EXACT, 2.0**-15)):
        found = sign_flip(np.ones(groups), list(range(groups)))
        assert found.p == found.smallest == least
        assert found.descriptive == (groups < 6)
    # A cluster whose differences add up to nothing cannot help to reject.
    assert sign_flip([1, 1, 1, -1], ["a", "b", "c", "c"]).smallest == 0.5


def test_more_clusters_are_drawn_with_a_seed():
    rng = np.random.default_rng(5)
    values = rng.normal(0.15, 1, 40)
    found = sign_flip(values, list(range(40)))
    assert (found.exact, found.patterns) == (False, DRAWS)
    assert found == sign_flip(values, list(range(40)))
    other = sign_flip(values, list(range(40)), seed=1)
    # Two draws of a share p differ by about sqrt(2 p (1 - p) / 100,000) < .0023.
    assert other.p != found.p
    assert other.p == pytest.approx(found.p, abs=0.01)
    assert sign_flip(np.ones(40), list(range(40))).p == 1 / (DRAWS + 1)


def test_drawn_and_exact_agree_at_the_border():
    rng = np.random.default_rng(2)
    values = rng.normal(0.4, 1, EXACT)
    exact = sign_flip(values, list(range(EXACT)))
    padded = sign_flip([*values, 1e-9], list(range(EXACT + 1)))
    assert (exact.exact, padded.exact) == (True, False)
    assert padded.p == pytest.approx(exact.p, abs=0.01)


def test_identical_runs_and_no_pairs():
    same = sign_flip([0.0, 0.0, 0.0], ["a", "b", "c"])
    assert (same.p, same.note, same.statistic) == (1.0, "identical", 0.0)
    nothing = sign_flip([math.nan], ["a"])
    assert math.isnan(nothing.p)
    assert (nothing.note, nothing.n, nothing.ignored) == ("no pairs", 0, 1)
    even = sign_flip([1.0, -1.0], ["a", "a"])
    assert (even.p, even.note) == (1.0, "")
    assert sign_flip([3.0, 1.0], ["a", "a"]).p == 1.0  # one cluster shows nothing


def test_what_cannot_work_is_refused():
    with pytest.raises(ConfigError, match="one cluster each"):
        sign_flip([1.0], [])
    with pytest.raises(ConfigError, match="infinite"):
        sign_flip([math.inf], ["a"])
    with pytest.raises(ConfigError, match="infinite"):
        sign_flip([math.inf], ["a"], ["x"])
    with pytest.raises(ConfigError, match="clusters in two strata"):
        sign_flip([1.0, 2.0], ["a", "a"], ["x", "y"])


@pytest.mark.parametrize(
    ("groups", "effect", "low", "high"), [(10, 0, 0.03, 0.06), (10, 1, 0.5, 1)]
)
def test_size_and_power(groups, effect, low, high):
    # Ten clusters of 20 to 150 records with a common part, 2,000 repetitions: the share of
    # p <= .05 is .05 ± .01 without a difference (2 s.e.), and large with one.
    rng = np.random.default_rng(7)
    codes = np.repeat(np.arange(groups), rng.integers(20, 150, groups))
    rejected = 0
    for _ in range(2000):
        values = rng.normal(0, 0.3, groups)[codes] + rng.normal(0.3 * effect, 1, len(codes))
        rejected += sign_flip(values, codes.tolist()).p <= 0.05
    assert low <= rejected / 2000 <= high
