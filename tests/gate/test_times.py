"""The times of a unit: without the slowest tenth, and what is not there is not made up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.gate.times import kept_mean, unit_times
from memlab.latency import Histogram

REFERENCE = {"before": [30, 20], "after": [40, 60]}


def unit(**given):
    return {"write": Histogram().to_json(), "read": {}, "reference": REFERENCE, **given}


def writes(*nanoseconds):
    histogram = Histogram()
    for ns in nanoseconds:
        histogram.add(ns)
    return histogram.to_json()


def test_reference_is_the_mean_of_the_fastest():
    assert unit_times(unit()) == {"reference": (20 + 40) / 2}


def test_the_cold_read_and_the_slowest_tenth_are_left_out():
    # Of ten warm reads the slowest, 1000, goes; 10 to 18 have the mean 14.
    reads = {"200": [5000, *range(10, 19), 1000], "none": [7]}
    found = unit_times(unit(read=reads))
    assert (found["read 200"], found["read none"]) == (14, 7)


def test_writes_come_from_the_histogram():
    # Small numbers have a bucket each: 1 to 9 without the 30, ten writes.
    assert unit_times(unit(write=writes(*range(1, 10), 30)))["write"] == 5


def test_flush_and_upkeep_are_means_of_everything():
    given = unit(write=writes(1, 1), flush={"total": 90, "count": 3}, maintain=50)
    found = unit_times(given)
    assert (found["flush"], found["maintain"]) == (90 / 3, 50 / 2)
    idle = unit_times(unit(write=writes(1), flush={"total": 0, "count": 3}, maintain=0))
    assert not {"flush", "maintain"} & set(idle)


def test_a_run_without_a_reference_has_none():
    given = unit()
    del given["reference"]
    assert unit_times(given) == {}


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=60))
def test_counts_stand_for_repeated_values(values):
    sizes, counts = np.unique(values, return_counts=True)
    kept = np.sort(values)[: int(np.ceil(0.9 * len(values)))]
    assert kept_mean(sizes.tolist(), counts.tolist()) == pytest.approx(kept.mean())
