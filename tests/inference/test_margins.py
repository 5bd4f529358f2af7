"""Equivalence and non-inferiority against statsmodels and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.inference.margins import equivalence, non_inferiority
from memlab.stats import paired


@pytest.mark.parametrize("shift", [-0.3, 0.0, 0.05, 0.4])
def test_single_records_agree_with_statsmodels_and_scipy(shift):
    from scipy import stats
    from statsmodels.stats.weightstats import DescrStatsW

    values = np.random.default_rng(9).normal(shift, 0.3, 14)
    clusters = list(range(14))
    found = equivalence(values, clusters, 0.2)
    assert found.p == pytest.approx(DescrStatsW(values).ttost_mean(-0.2, 0.2)[0], rel=1e-9)
    assert found.held == (found.p <= 0.05)
    for higher, sign in ((True, 1), (False, -1)):
        safe = non_inferiority(values, clusters, 0.2, higher_is_better=higher)
        expected = stats.ttest_1samp(sign * values, -0.2, alternative="greater").pvalue
        assert safe.p == pytest.approx(expected, rel=1e-9)


def test_the_interval_is_that_of_paired_at_1_minus_2_alpha():
    values, clusters = np.random.default_rng(1).normal(0, 1, 60), [n % 7 for n in range(60)]
    found = equivalence(values, clusters, 0.5, alpha=0.025)
    assert found[2:5] == paired(values, clusters, level=0.95)[:3]
    assert (found.margin, found.alpha, found.n, found.clusters) == (0.5, 0.025, 60, 7)


samples = st.lists(st.tuples(st.floats(-1, 1), st.integers(0, 9)), min_size=12, max_size=60)


@given(samples, st.floats(0.01, 1), st.sampled_from([0.01, 0.05, 0.1]), st.booleans())
def test_it_held_where_the_interval_keeps_within_the_margin(pairs, margin, alpha, higher):
    values, clusters = (list(column) for column in zip(*pairs, strict=True))
    same = equivalence(values, clusters, margin, alpha=alpha)
    safe = non_inferiority(values, clusters, margin, alpha=alpha, higher_is_better=higher)
    if same.clusters < 6:
        assert same.held is safe.held is None
        return
    near = min(abs(same.low + margin), abs(same.high - margin)) < 1e-9
    if not near:
        assert same.held == (-margin < same.low and same.high < margin)
        assert safe.held == (safe.low > -margin if higher else safe.high < margin)
    assert safe.p <= same.p


def test_fewer_than_six_clusters_only_describe():
    found = equivalence([0.0, 0.01, 0.0, -0.01, 0.0], list("abcde"), 0.5)
    assert found.p < 0.001
    assert found.held is None
    assert found.note == "fewer than 6 clusters, descriptive only"
    assert found.descriptive


@pytest.mark.parametrize(
    ("values", "clusters", "p", "held", "note"),
    [
        ([math.nan], ["a"], math.nan, None, "no pairs"),
        ([0.1, 0.2], ["a", "a"], math.nan, None, "one cluster; fewer than 6 clusters"),
        ([0.0] * 6, list("abcdef"), 0.0, True, "identical"),
        ([0.1] * 6, list("abcdef"), 0.0, True, "no spread"),
        ([0.4] * 6, list("abcdef"), 1.0, False, "no spread"),
    ],
)
def test_degenerate_samples(values, clusters, p, held, note):
    found = equivalence(values, clusters, 0.2)
    assert found.p == pytest.approx(p, nan_ok=True)
    assert found.held is held
    assert found.note.startswith(note)
    assert non_inferiority([-v for v in values], clusters, 0.2).p == pytest.approx(p, nan_ok=True)


def test_strata_weigh_the_same():
    rng = np.random.default_rng(4)
    values = np.concatenate([rng.normal(0.1, 0.2, 80), rng.normal(0, 0.2, 20)])
    strata = ["x"] * 80 + ["y"] * 20
    clusters = [f"{s}{n % 8}" for n, s in enumerate(strata)]
    found, mean = equivalence(values, clusters, 0.2, strata), paired(values, clusters, strata)
    from scipy import stats

    assert found.p == pytest.approx(stats.t.sf((0.2 - abs(mean.mean)) / mean.se, mean.df))
    assert (found.held, found.clusters) == (True, 16)
    few = equivalence(values, clusters, 0.2, ["x" if c == "x0" else "z" for c in clusters])
    assert (few.held, math.isnan(few.p)) == (None, True)
    assert few.note.startswith("a stratum of one cluster")


def test_what_cannot_work_is_refused():
    for margin in (0, -0.1, math.inf, math.nan):
        for test in (equivalence, non_inferiority):
            with pytest.raises(ConfigError, match=r"margin=.* between 0 and inf"):
                test([0.1], ["a"], margin)
    with pytest.raises(ConfigError, match=r"alpha=0.5; expected a number between 0 and 0.5"):
        equivalence([0.1], ["a"], 0.1, alpha=0.5)
