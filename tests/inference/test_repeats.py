"""Means and spread over seeds, by hand and against pandas."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.inference.repeats import averaged, repeats


def test_by_hand():
    # The second probe lacks a value under one seed. Seed means .5, .75, 1: sd .25.
    values = [[0.0, 1.0, 1.0], [0.5, math.nan, 1.0], [1.0, 0.0, 1.0]]
    found = repeats(values)
    assert found.means == (0.5, 0.75, 1.0)
    assert (found.mean, found.sd) == (0.75, 0.25)
    assert (found.n, found.repeats, found.ignored) == (2, 3, 1)
    assert averaged(values).tolist() == pytest.approx([0.5, math.nan, 1.0], nan_ok=True)


def test_one_seed_has_no_spread():
    found = repeats([[0.25, 0.75]])
    assert (found.mean, found.means) == (0.5, (0.5,))
    assert math.isnan(found.sd)
    assert averaged([[0.25, 0.75]]).tolist() == [0.25, 0.75]


def test_equal_seeds_have_a_spread_of_zero():
    assert repeats([[1.0, 0.0, 0.5]] * 4).sd == 0.0


cells = st.one_of(st.floats(-4, 4), st.just(math.nan))


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n))))
def test_agrees_with_pandas_on_complete_probes(rows):
    if not rows:
        return
    found, kept = repeats(rows), pd.DataFrame(rows).dropna(axis=1)
    assert (found.n, found.ignored) == (kept.shape[1], len(rows[0]) - kept.shape[1])
    assert found.repeats == len(rows)
    means = kept.mean(axis=1)
    assert found.means == pytest.approx(means.tolist(), abs=1e-9, nan_ok=True)
    assert found.sd == pytest.approx(means.std(), abs=1e-9, nan_ok=True)
    per_probe = averaged(rows)
    assert per_probe[~np.isnan(per_probe)].tolist() == pytest.approx(kept.mean().tolist())
    if found.n:
        assert found.mean == pytest.approx(np.nanmean(per_probe), abs=1e-9)


def test_no_probe_at_all():
    for values in ([[math.nan, math.nan]] * 2, np.empty((2, 0))):
        found = repeats(values)
        assert math.isnan(found.mean)
        assert math.isnan(found.sd)
        assert found.n == 0


def test_what_cannot_work_is_refused():
    for call in (repeats, averaged):
        with pytest.raises(ConfigError, match=r"shape \(2,\); expected \(seeds, probes\)"):
            call([0.1, 0.2])
        with pytest.raises(ConfigError, match=r"shape \(0, 3\)"):
            call(np.empty((0, 3)))
        with pytest.raises(ConfigError, match="infinite"):
            call([[0.1, math.inf]])
