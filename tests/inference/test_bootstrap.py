"""The cluster bootstrap against resampled records, scipy and all possible draws."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.inference.bootstrap import bootstrap
from memlab.stats import cluster_mean


def example(groups, seed):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(groups), rng.integers(3, 12, groups))
    return rng.normal(0.2, 1, len(codes)) + rng.normal(0, 0.5, groups)[codes], codes


@pytest.mark.parametrize("kind", ["percentile", "t"])
def test_agrees_with_all_possible_draws(kind):
    # 5^5 = 3,125 draws of records, each cluster drawn counting as one of its own. With 10,000
    # random ones the quantiles move by about sqrt(.025 * .975 / 10,000) = .0016 in probability.
    values, codes = example(5, 2)
    whole = cluster_mean(values, codes.tolist())
    found = []
    for drawn in itertools.product(range(5), repeat=5):
        records = np.concatenate([values[codes == g] for g in drawn])
        names = [i for i, g in enumerate(drawn) for _ in range(np.sum(codes == g))]
        one = cluster_mean(records, names)
        found.append(one.mean if kind == "percentile" else _ratio(one, whole))
    low, high = np.quantile(found, [0.02, 0.03]), np.quantile(found, [0.97, 0.98])
    if kind == "t":
        low, high = whole.mean - whole.se * high[::-1], whole.mean - whole.se * low[::-1]
    made = bootstrap(values, codes.tolist(), kind=kind)
    assert low[0] <= made.low <= low[1]
    assert high[0] <= made.high <= high[1]
    assert made.mean == whole.mean


def _ratio(one, whole):
    apart = one.mean - whole.mean
    return apart / one.se if one.se > 1e-12 else math.copysign(1e9, apart)


def test_single_records_agree_with_scipy():
    from scipy import stats

    values = np.random.default_rng(8).normal(0, 1, 40)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=1
    ).confidence_interval
    found = bootstrap(values, list(range(40)), draws=20_000)
    assert found.low == pytest.approx(expected.low, abs=0.02)
    assert found.high == pytest.approx(expected.high, abs=0.02)


def test_the_seed_decides():
    values, codes = example(9, 1)
    for kind in ("percentile", "t"):
        first = bootstrap(values, codes.tolist(), kind=kind, draws=500)
        assert first == bootstrap(values, codes.tolist(), kind=kind, draws=500)
        assert first.low != bootstrap(values, codes.tolist(), kind=kind, draws=500, seed=1).low
        wider = bootstrap(values, codes.tolist(), kind=kind, draws=500, level=0.99)
        assert wider.low < first.low < first.high < wider.high


@pytest.mark.parametrize("kind", ["percentile", "t"])
@pytest.mark.parametrize(
    ("values", "clusters", "limits", "note"),
    [
        ([], [], (math.nan,) * 3, "no pairs"),
        ([math.nan], ["a"], (math.nan,) * 3, "no pairs"),
        ([0.5, 0.0], ["a", "a"], (0.25, math.nan, math.nan), "one cluster"),
        ([0.0, 0.0], ["a", "a"], (0.0, math.nan, math.nan), "identical"),
        ([0.0] * 7, list("abcdefg"), (0.0, 0.0, 0.0), "identical"),
        ([0.25] * 7, list("abcdefg"), (0.25, 0.25, 0.25), "no spread"),
    ],
)
def test_where_there_is_nothing_to_draw(kind, values, clusters, limits, note):
    found = bootstrap(values, clusters, kind=kind, draws=100)
    assert found[:3] == pytest.approx(limits, nan_ok=True)
    assert (found.note, found.descriptive) == (note, len(clusters) < 6)


def test_three_clusters_cannot_be_studentised():
    # One draw in nine holds a single cluster, without an error: more than 2.5 % on either side.
    found = bootstrap([0.1, 0.2, 0.4], list("abc"), kind="t", draws=1000)
    assert found.note == "too few clusters for t"
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 6)), min_size=1, max_size=30),
    st.sampled_from(["percentile", "t"]),
)
def test_n_clusters_and_ignored_are_those_of_the_mean(pairs, kind):
    values, clusters = (list(column) for column in zip(*[*pairs, (math.nan, 0)], strict=True))
    found, mean = bootstrap(values, clusters, kind=kind, draws=100), cluster_mean(values, clusters)
    assert (found.n, found.clusters, found.ignored) == (mean.n, mean.clusters, mean.ignored)
    assert found.mean == mean.mean
    if kind == "percentile" and found.clusters > 1:
        assert min(values[:-1]) - 1e-9 <= found.low <= found.high <= max(values[:-1]) + 1e-9


def test_what_cannot_work_is_refused():
    with pytest.raises(ConfigError, match="kind='bca'; expected one of percentile, t"):
        bootstrap([1.0], ["a"], kind="bca")
    with pytest.raises(ConfigError, match="draws=10; expected a whole number of at least 100"):
        bootstrap([1.0], ["a"], draws=10)
    with pytest.raises(ConfigError, match="level=95"):
        bootstrap([1.0], ["a"], level=95)
    with pytest.raises(ConfigError, match="one cluster each"):
        bootstrap([1.0], [])
