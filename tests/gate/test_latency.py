"""The time side: ratios to the reference, medians over conversations, signs."""

import math

import numpy as np
import pytest
from scipy.stats import binom, quantile_test

from memlab.gate.contrast import BLIND, IMPROVED, REGRESSION, WITHIN, judged
from memlab.gate.latency import RESOLUTION, detectable, slowdowns

VALUES = {("s", 100, "MRR()"): [1.0]}
TALKS = [f"c{i:02}" for i in range(16)]


def side(snapshot, **times):
    """Give every conversation the same times, or each its own."""
    each = {
        ("s", talk): {
            name: float(ns[i] if isinstance(ns, list) else ns)
            for name, ns in {"reference": 100_000, **times}.items()
        }
        for i, talk in enumerate(TALKS)
    }
    return snapshot(VALUES, ["c00"], times=each)


def one(snapshot, before, now, limit=1.5, alpha=0.01):
    (found,) = judged(slowdowns(side(snapshot, **now), side(snapshot, **before), limit), alpha)
    return found


def test_the_change_is_the_ratio_of_the_ratios(snapshot):
    # 199.5 µs over 100 µs, and .005: 2. On a machine half as fast 399 over 200, the same.
    found = one(snapshot, {"write": 199_500}, {"write": 399_000, "reference": 200_000})
    assert (found.baseline, found.run, found.change) == pytest.approx((2.0, 2.0, 1.0))
    assert found.verdict == WITHIN


def test_twice_as_slow(snapshot):
    found = one(snapshot, {"read 100": 200_000}, {"read 100": 400_000})
    assert (found.verdict, found.measure, found.budget) == (REGRESSION, "read", 100)
    assert found.change == pytest.approx(4.005 / 2.005)
    assert found.adjusted == pytest.approx(2**-16)  # every one of 16 beyond the limit
    assert one(snapshot, {"read 100": 400_000}, {"read 100": 200_000}).verdict == IMPROVED
    assert one(snapshot, {"read 100": 200_000}, {"read 100": 280_000}).verdict == WITHIN


def test_wild_conversations_do_not_decide(snapshot):
    wild = [9e6] * 10 + [2e5] * 6
    found = one(snapshot, {"write": 200_000}, {"write": wild})
    assert found.worse == 10
    assert found.adjusted == pytest.approx(binom.sf(9, 16, 0.5))
    assert found.verdict == WITHIN


def test_the_interval_is_that_of_scipy(snapshot):
    noise = np.random.default_rng(0).lognormal(11, 0.3, 16).tolist()
    found = one(snapshot, {"write": 100_000}, {"write": noise})
    logs = np.log((np.array(noise) / 100_000 + RESOLUTION) / (1 + RESOLUTION))
    scipy = quantile_test(logs, p=0.5).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((math.exp(scipy.low), math.exp(scipy.high)))


def test_times_far_below_a_microsecond_are_no_slowdown(snapshot):
    # 0.1 µs and 0.3 µs over a reference of 100 µs.
    found = one(snapshot, {"write": 100}, {"write": 300})
    assert found.change == pytest.approx((0.003 + 0.005) / (0.001 + 0.005))
    assert one(snapshot, {"write": 300}, {"write": 400}).verdict == WITHIN
    assert one(snapshot, {"write": 100}, {"write": 5_000}).verdict == REGRESSION


def test_work_that_is_new_is_seen(snapshot):
    # Nothing was done in a flush before: (0.5 + 0.005) / 0.005.
    found = slowdowns(side(snapshot, write=1000, flush=50_000), side(snapshot, write=1000), 1.5)
    flush = next(m.contrast for m in found if m.contrast.measure == "flush")
    assert flush.change == pytest.approx(101.0)
    assert flush.worse == 16


def test_conversations_without_a_time_are_left_out(snapshot):
    now = side(snapshot, write=1000)
    for talk in TALKS[:5]:
        del now.times["s", talk]["write"]
    (found,) = slowdowns(now, side(snapshot, write=1000), 1.5)
    assert found.contrast.n == 11
    bare = snapshot(VALUES, ["c00"], times={("s", "c00"): {"write": 5.0}})
    assert slowdowns(bare, side(snapshot, write=1000), 1.5) == []


def test_few_conversations_are_blind(snapshot):
    now = side(snapshot, write=900_000)
    for talk in TALKS[6:]:
        del now.times["s", talk]
    (found,) = judged(slowdowns(now, side(snapshot, write=1000), 1.5), 0.01)
    assert (found.verdict, found.n, found.detectable) == (BLIND, 6, math.inf)


def test_the_detectable_slowdown_is_found_as_often_as_it_says():
    rng, level, size = np.random.default_rng(0), 0.0005, 80
    logs = rng.normal(0, 0.2, 100_000)  # so many that the quantile is exact
    needed = int(binom.isf(level, size, 0.5)) + 1
    ratio = detectable(logs[:size], 1.5, level)
    assert ratio > 1.5
    exact = 1.5 * math.exp(-np.quantile(logs, 1 - _share(needed, size)))
    again = math.log(exact) + rng.normal(0, 0.2, (20_000, size))
    found = np.mean(np.sum(again > math.log(1.5), axis=1) >= needed)
    assert found == pytest.approx(0.95, abs=0.01)
    assert ratio == pytest.approx(exact, rel=0.1)


def _share(needed, size):
    from scipy.optimize import brentq

    return brentq(lambda q: binom.sf(needed - 1, size, q) - 0.95, 0.01, 0.999)
