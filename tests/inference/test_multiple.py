"""Adjusted p-values against statsmodels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from memlab.errors import ConfigError
from memlab.inference.multiple import benjamini_hochberg, holm

WAYS = [(holm, "holm"), (benjamini_hochberg, "fdr_bh")]


def test_by_hand():
    # Sorted .01 .02 .03 .5. Holm: x4, x3, x2, x1. BH: .04, .04, .04, .5.
    ps = [0.5, 0.01, 0.03, 0.02]
    assert holm(ps).tolist() == pytest.approx([0.5, 0.04, 0.06, 0.06])
    assert benjamini_hochberg(ps).tolist() == pytest.approx([0.5, 0.04, 0.04, 0.04])


@pytest.mark.parametrize(("adjust", "method"), WAYS)
@settings(max_examples=6)  # statsmodels collects garbage in every call
@given(ps=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_agrees_with_statsmodels(adjust, method, ps):
    expected = multipletests(ps, method=method)[1]
    assert adjust(ps).tolist() == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize(("adjust", "method"), WAYS)
@given(ps=st.lists(st.one_of(st.floats(0, 1), st.just(math.nan)), max_size=12))
def test_nan_stays_and_does_not_count(adjust, method, ps):
    found = adjust(ps)
    known = [p for p in ps if not math.isnan(p)]
    assert np.isnan(found).tolist() == np.isnan(np.array(ps, dtype=float)).tolist()
    assert found[~np.isnan(found)].tolist() == pytest.approx(adjust(known).tolist())
    assert all(p - 1e-12 <= a <= 1 for p, a in zip(ps, found, strict=True) if not math.isnan(p))


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_the_input_is_left_as_it_was(adjust):
    ps = np.array([0.04, 0.01])
    adjust(ps)
    assert ps.tolist() == [0.04, 0.01]
    assert adjust([0.2]).tolist() == [0.2]
    assert adjust([]).tolist() == []


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_what_cannot_work_is_refused(adjust):
    with pytest.raises(ConfigError, match=r"p-values \[1.2, -0.1\]; expected numbers from 0 to 1"):
        adjust([0.5, 1.2, -0.1])
    with pytest.raises(ConfigError, match=r"shape \(1, 2\); expected one dimension"):
        adjust([[0.1, 0.2]])
