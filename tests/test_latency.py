"""The histogram is small and its percentiles are right to about three percent."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.latency import Histogram


def filled(values):
    histogram = Histogram()
    for value in values:
        histogram.add(int(value))
    return histogram


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=200), st.floats(0.01, 1))
def test_quantiles_are_within_a_bucket(values, q):
    exact = sorted(values)[int(np.ceil(q * len(values))) - 1]
    found = filled(values).quantile(q)
    assert abs(found - exact) <= max(1, exact / 32)


@given(st.lists(st.integers(0, 10**9)), st.lists(st.integers(0, 10**9)))
def test_merging_is_counting_together(left, right):
    merged = filled(left).merge([filled(right)])
    assert merged.to_json() == filled(left + right).to_json()


def test_mean_is_exact_and_empty_is_nan():
    assert filled([1, 2, 6]).mean() == 3.0
    assert np.isnan(Histogram().mean())
    assert np.isnan(Histogram().quantile(0.5))


def test_a_million_writes_cost_kilobytes():
    rng = np.random.default_rng(0)
    histogram = filled(rng.lognormal(8, 2, 20_000))
    text = json.dumps(histogram.to_json())
    assert len(text) < 8000
    assert Histogram.from_json(json.loads(text)).to_json() == histogram.to_json()
    assert histogram.count == 20_000


def test_json_of_another_shape_is_empty():
    assert Histogram.from_json({"buckets": None, "total": 3}).count == pytest.approx(0)
