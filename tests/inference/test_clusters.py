"""Values in clusters, and the jackknife against statsmodels and a written-out regression."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.inference.clusters import check_between, clustered, jackknife, mean_and_error


def test_clusters_are_numbered_as_they_come_and_empty_ones_left_out():
    found = clustered([math.nan, 1.0, 2.0, 4.0, math.nan], ["x", "b", "a", "b", "b"])
    assert found.codes.tolist() == [0, 1, 0]
    assert found.sizes.tolist() == [2, 1]
    assert found.sums.tolist() == [5.0, 2.0]
    assert found.means.tolist() == [2.5, 2.0]
    assert (found.n, found.groups, found.ignored, found.scale) == (3, 2, 2, 4.0)


@pytest.mark.parametrize(
    ("values", "clusters", "note"),
    [
        ([], [], "no pairs"),
        ([math.nan], ["a"], "no pairs"),
        ([0.0, 0.0], ["a", "b"], "identical"),
        ([0.0, 1.0], ["a", "a"], "one cluster"),
        ([0.1 + 0.2, 0.3], ["a", "b"], "no spread"),  # they differ by 5.6e-17
        ([1.0, -1.0, 0.0], ["a", "a", "b"], "no spread"),
        ([0.1, 0.2], ["a", "b"], ""),
    ],
)
def test_why_nothing_can_be_inferred(values, clusters, note):
    assert clustered(values, clusters).note() == note


def test_equal_clusters_agree_with_statsmodels():
    # With clusters of one size CR3 is CR0 times G / (G - 1), which statsmodels applies.
    import statsmodels.api as sm

    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(8), 25)
    values = rng.normal(0, 0.3, 8)[codes] + rng.normal(0.1, 1, 200)
    fit = sm.OLS(values, np.ones(200)).fit(cov_type="cluster", cov_kwds={"groups": codes})
    found = clustered(values, codes.tolist())
    mean, error = mean_and_error(found.sums, found.sizes)
    assert float(mean) == pytest.approx(fit.params[0], rel=1e-12)
    assert float(error) == pytest.approx(fit.bse[0], rel=1e-10)


def test_unequal_clusters_agree_with_cr3_of_a_regression():
    # CR3: residuals of each cluster times (I - H)^-1 of its block of the hat matrix.
    rng = np.random.default_rng(4)
    sizes = [3, 9, 1, 14, 6]
    codes = np.repeat(np.arange(5), sizes)
    values = rng.normal(0, 1, len(codes))
    x = np.ones((len(codes), 1))
    bread = np.linalg.inv(x.T @ x)
    residuals, meat = values - values.mean(), np.zeros((1, 1))
    for g in range(5):
        rows = x[codes == g]
        leverage = np.eye(sizes[g]) - rows @ bread @ rows.T
        score = rows.T @ np.linalg.solve(leverage, residuals[codes == g])
        meat += np.outer(score, score)
    expected = math.sqrt(4 / 5 * (bread @ meat @ bread).item())
    found = clustered(values, codes.tolist())
    assert float(mean_and_error(found.sums, found.sizes)[1]) == pytest.approx(expected, rel=1e-10)


def test_leading_axes_are_samples_of_their_own():
    rng = np.random.default_rng(5)
    sums, sizes = rng.normal(size=(3, 4, 6)), rng.integers(1, 9, (3, 4, 6)).astype(float)
    means, errors = mean_and_error(sums, sizes)
    assert means.shape == errors.shape == (3, 4)
    one = mean_and_error(sums[2, 1], sizes[2, 1])
    assert (means[2, 1], errors[2, 1]) == pytest.approx([float(x) for x in one])


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=12))
def test_of_single_records_the_jackknife_is_the_textbook_error(values):
    n, numbers = len(values), np.array(values)
    without = (numbers.sum() - numbers) / (n - 1)
    expected = numbers.std(ddof=1) / math.sqrt(n)
    assert float(jackknife(numbers.mean(), without)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("value", [0, 1, -0.1, math.nan, "0.5", None, True])
def test_limits_are_outside(value):
    with pytest.raises(ConfigError, match=r"a number between 0 and 1, as 0.95"):
        check_between("level", value, 0, 1, "0.95")
    check_between("level", np.float32(0.5), 0, 1, "0.95")
