"""Effect sizes by hand, and their invariants."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.inference.effects import effects


def test_by_hand():
    # Cluster means .5, -.5, .1, .3: mean .1, squares .16 .36 0 .04, sd sqrt(.56 / 3).
    # m = 3: gamma(1.5) / (sqrt(1.5) gamma(1)) = .886227 / 1.224745 = .723601.
    values = [1.0, 0.0, -1.0, 0.0, 0.1, 0.3, math.nan]
    found = effects(values, ["a", "a", "b", "b", "c", "d", "d"])
    assert (found.wins, found.ties, found.losses) == (3, 2, 1)
    assert found.superiority == pytest.approx((3 + 1) / 6)
    assert found.discordant == pytest.approx(4 / 6)
    assert found.d == pytest.approx(0.1 / math.sqrt(0.56 / 3) * 0.723601, rel=1e-5)
    assert (found.clusters_won, found.clusters_lost) == (3, 1)
    assert (found.n, found.clusters, found.ignored, found.descriptive) == (6, 4, 1, True)


def test_the_correction_takes_the_bias_out():
    # Ten normal clusters with true d = .5: uncorrected d averages .5 / .9139 = .547. 10,000
    # repetitions have a standard error of about .0036; four of them are .0145.
    rng = np.random.default_rng(12)
    found = [effects(row, range(10)).d for row in rng.normal(0.5, 1, (10_000, 10))]
    assert np.mean(found) == pytest.approx(0.5, abs=0.0145)


def test_rounding_is_a_tie():
    found = effects([0.1 + 0.2 - 0.3, -1e-13, 1e-9], ["a", "b", "c"])  # the first is 5.6e-17
    assert (found.wins, found.ties, found.losses) == (1, 2, 0)
    assert (found.clusters_won, found.clusters_lost) == (1, 0)


rows = st.tuples(st.integers(-4, 4), st.integers(0, 8))


@given(st.lists(rows, min_size=1, max_size=40))
def test_the_other_way_round_everything_is_mirrored(pairs):
    values, clusters = np.array([v / 4 for v, _ in pairs]), [c for _, c in pairs]
    found, mirrored = effects(values, clusters), effects(-values, clusters)
    assert (found.wins, found.losses) == (mirrored.losses, mirrored.wins)
    assert found.superiority == pytest.approx(1 - mirrored.superiority)
    assert found.d == pytest.approx(-mirrored.d, nan_ok=True)
    assert found.clusters_won == mirrored.clusters_lost
    assert found.wins + found.ties + found.losses == found.n
    assert found.discordant == pytest.approx(1 - found.ties / found.n)
    assert effects(values * 8, clusters).d == pytest.approx(found.d, nan_ok=True)


@pytest.mark.parametrize(
    ("values", "clusters", "d", "note"),
    [
        ([math.nan], ["a"], math.nan, "no pairs"),
        ([0.0] * 3, ["a", "b", "c"], 0.0, "identical"),
        ([1.0, 0.5], ["a", "a"], math.nan, "one cluster"),
        ([0.1] * 3, ["a", "b", "c"], math.nan, "no spread"),
        ([0.1, 0.2], ["a", "b"], math.nan, ""),  # the correction of two clusters is 0
    ],
)
def test_degenerate_samples(values, clusters, d, note):
    found = effects(values, clusters)
    assert found.d == pytest.approx(d, nan_ok=True)
    assert found.note == note
    assert math.isnan(found.superiority) == (found.n == 0)


def test_what_cannot_work_is_refused():
    with pytest.raises(ConfigError, match="one cluster each"):
        effects([1.0], [])
