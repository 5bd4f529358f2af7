"""One-sided sign flips: against scipy's permutation test and against the two-sided test."""

import numpy as np
import pytest
from scipy.stats import norm, permutation_test

from memlab.gate.flips import one_sided
from memlab.inference.sign_flip import DRAWS, sign_flip


def sums(groups, columns, seed=0):
    return np.random.default_rng(seed).normal(0.2, 1.0, (groups, columns))


@pytest.mark.parametrize("groups", [3, 8, 12])
def test_exact_p_is_that_of_scipy(groups):
    given = sums(groups, 4)
    found = one_sided(given)
    for i in range(4):
        for side, p in (("less", found.worse[i]), ("greater", found.better[i])):
            scipy = permutation_test(
                (given[:, i],), np.sum, permutation_type="samples", alternative=side,
                n_resamples=np.inf,
            )  # fmt: skip
            assert p == pytest.approx(scipy.pvalue, abs=1e-12)


def test_twice_the_smaller_side_is_the_two_sided_p():
    given = sums(10, 5, seed=1)
    found = one_sided(given)
    for i in range(5):
        two = sign_flip(given[:, i], range(10)).p
        assert 2 * min(found.worse[i], found.better[i]) == pytest.approx(two)


def test_drawn_p_is_near_that_of_the_normal_limit():
    given = sums(60, 6, seed=2) - 0.3
    z = given.sum(axis=0) / np.sqrt((given**2).sum(axis=0))
    # A share of 100,000 draws has a standard error of at most .0016.
    assert one_sided(given).worse == pytest.approx(norm.cdf(z), abs=0.008)


def test_the_smallest_p():
    assert one_sided(-np.ones((10, 1))).worse[0] == 2**-10 == one_sided(-np.ones((10, 1))).smallest
    many = one_sided(-np.ones((40, 1)))
    assert many.worse[0] == many.smallest == 1 / (1 + DRAWS)


def test_zeros_and_equal_columns():
    given = np.column_stack([np.zeros(20), -np.ones(20), -np.ones(20)])
    found = one_sided(given)
    assert found.worse[0] == found.better[0] == 1
    assert found.worse[1] == found.worse[2]
    assert np.array_equal(found.worse, one_sided(given).worse)


def test_no_contrast_at_all():
    assert one_sided(np.zeros((20, 0))).worse.shape == (0,)
