"""Power, the detectable difference and the dialogues it takes, against statsmodels."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower

from memlab.errors import ConfigError
from memlab.inference.power import MOST, clusters_needed, detectable, power_of
from memlab.stats import paired

REFERENCE = TTestPower()


@pytest.mark.parametrize("groups", [2, 5, 10, 30, 200])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 1.0, 2.5, 4.0])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_power_agrees_with_statsmodels(groups, ratio, alpha):
    expected = REFERENCE.power(ratio / math.sqrt(groups), groups, alpha)
    assert power_of(ratio * 0.02, 0.02, groups, alpha) == pytest.approx(expected, abs=1e-9)
    assert power_of(-ratio * 0.02, 0.02, groups, alpha) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("df", "noncentrality", "alpha"),
    [(1, 8, 0.05), (1, 12, 0.05), (9, 20, 0.05), (4, 40, 0.05), (5, 7.823, 0.01), (9, 5.5, 1e-6)],
)
def test_power_far_out_where_scipy_has_no_lower_tail(df, noncentrality, alpha):
    # P(T > t) = E[P(Z > t sqrt(V / df) - noncentrality)], V chi-square; below -t next to nothing.
    critical = stats.t.ppf(1 - alpha / 2, df)
    assert math.isnan(stats.nct.cdf(-critical, df, noncentrality))
    expected, _ = integrate.quad(
        lambda v: (
            stats.norm.sf(critical * math.sqrt(v / df) - noncentrality) * stats.chi2.pdf(v, df)
        ),
        0,
        math.inf,
        limit=200,
    )
    assert power_of(noncentrality, 1.0, df + 1, alpha) == pytest.approx(expected, abs=1e-8)


def example(groups=10, seed=3):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(groups), rng.integers(20, 60, groups))
    values = rng.normal(0, 0.1, groups)[codes] + rng.normal(0.05, 0.5, len(codes))
    return values, codes.tolist()


@pytest.mark.parametrize("power", [0.1, 0.5, 0.8, 0.95, 0.999])
def test_the_detectable_difference_has_the_power(power):
    values, clusters = example()
    found = detectable(values, clusters, power=power)
    assert found.se == paired(values, clusters).se
    assert power_of(found.effect, found.se, 10) == pytest.approx(power, abs=1e-9)
    expected = REFERENCE.solve_power(nobs=10, alpha=0.05, power=power) * math.sqrt(10) * found.se
    assert found.effect == pytest.approx(expected, rel=1e-4)
    assert (found.n, found.clusters, found.descriptive) == (len(values), 10, False)


def test_detectable_over_strata_has_their_error_and_degrees_of_freedom():
    values, clusters = example(14)
    strata = [c % 2 for c in clusters]
    mean = paired(values, clusters, strata)
    found = detectable(values, clusters, strata)
    critical = stats.t.ppf(0.975, mean.df)
    reached = stats.nct.sf(critical, mean.df, found.effect / mean.se)
    assert reached == pytest.approx(0.8, abs=1e-4)


@given(st.floats(0.01, 0.5), st.sampled_from([0.8, 0.9]), st.sampled_from([0.01, 0.05]))
def test_the_clusters_needed_are_the_fewest(effect, power, alpha):
    values, clusters = example()
    found = clusters_needed(effect, values, clusters, power=power, alpha=alpha)
    sd = paired(values, clusters).se * math.sqrt(10)
    assert power_of(effect, sd / math.sqrt(found.needed), found.needed, alpha) >= power
    if found.needed > 6:
        fewer = found.needed - 1
        assert power_of(effect, sd / math.sqrt(fewer), fewer, alpha) < power
    assert found.more == max(0, found.needed - 10)
    assert (found.have, found.n) == (10, len(values))
    assert clusters_needed(-effect, values, clusters, power=power, alpha=alpha).needed == (
        found.needed
    )


@pytest.mark.parametrize("effect", [0.02, 0.05, 0.1])
def test_the_clusters_needed_agree_with_statsmodels(effect):
    values, clusters = example()
    sd = paired(values, clusters).se * math.sqrt(10)
    expected = REFERENCE.solve_power(effect_size=effect / sd, alpha=0.05, power=0.8)
    found = clusters_needed(effect, values, clusters).needed
    assert found == max(6, math.ceil(float(expected)))


def test_never_fewer_than_six_and_never_beyond_counting():
    values, clusters = example(4)
    found = clusters_needed(5.0, values, clusters)
    assert (found.needed, found.more, found.descriptive) == (6, 2, True)
    far = clusters_needed(1e-7, values, clusters)
    assert (far.needed, far.more, far.note) == (None, None, f"more than {MOST:,}")


@pytest.mark.parametrize(
    ("values", "clusters", "note"),
    [
        ([math.nan], ["a"], "no pairs"),
        ([0.1, 0.2], ["a", "a"], "one cluster"),
        ([0.0] * 6, list("abcdef"), "identical"),
        ([0.1] * 6, list("abcdef"), "no spread"),
    ],
)
def test_degenerate_samples(values, clusters, note):
    found = detectable(values, clusters)
    assert math.isnan(found.effect)
    needed = clusters_needed(0.1, values, clusters)
    assert (needed.needed, needed.more) == (None, None)
    assert found.note == needed.note == note
    assert math.isnan(power_of(0.1, 0.1, 1))


def test_what_cannot_work_is_refused():
    for call, message in [
        (lambda: power_of(0.1, 0.0, 9), "se=0.0"),
        (lambda: power_of(math.nan, 0.1, 9), "effect=nan"),
        (lambda: power_of(0.1, 0.1, 9.5), "clusters=9.5"),
        (lambda: power_of(0.1, 0.1, 9, 1.0), "alpha=1.0"),
        (lambda: detectable([0.1], ["a"], power=0.04), "power=0.04; expected .* between 0.05"),
        (lambda: clusters_needed(0.0, [0.1], ["a"]), "effect=0.0"),
        (lambda: clusters_needed(math.inf, [0.1], ["a"]), "effect=inf"),
    ]:
        with pytest.raises(ConfigError, match=message):
            call()
