"""The quality side: golden differences, directions, limits, data sets that weigh the same."""

import math

import numpy as np
import pytest

from memlab.gate.contrast import BLIND, IMPROVED, REGRESSION, SAME, WITHIN, judged
from memlab.gate.quality import CHANGING, detectable, drops
from memlab.gate.snapshot import Column

KEY = ("s", 100, "MRR()")


def pair(snapshot, before, now, talks, **about):
    return snapshot({KEY: now}, talks, **about), snapshot({KEY: before}, talks, **about)


def only(run, baseline, limit=0.01, alpha=0.01):
    (one,) = judged(drops(run, baseline, {"MRR()": limit}), alpha)
    return one


def talks(groups, each):
    return [f"c{g:02}" for g in range(groups) for _ in range(each)]


def test_difference_interval_and_counts(snapshot):
    run, baseline = pair(snapshot, [1, 1, 0, 1], [1, 0, 0, 0], ["a", "a", "b", "c"])
    found = only(run, baseline)
    # (0 - 1 + 0 - 1) / 4; without a: -1/2, without b: -2/3, without c: -1/3.
    assert (found.baseline, found.run, found.change) == (0.75, 0.25, -0.5)
    assert (found.n, found.clusters, found.worse) == (4, 3, 2)
    se = math.sqrt(2 / 3 * (1 / 6**2 + 1 / 6**2))
    assert found.high - found.low == pytest.approx(2 * 4.302653 * se, abs=1e-5)  # t, 2 df


def test_twenty_conversations_that_all_lose(snapshot):
    before = np.ones(100)
    run, baseline = pair(snapshot, before, before - np.tile([0.1, 0, 0, 0, 0], 20), talks(20, 5))
    found = only(run, baseline)
    assert (found.verdict, found.worse) == (REGRESSION, 20)
    assert found.adjusted == pytest.approx(1 / 100_001)  # the one drawn pattern that is as low
    assert found.change == pytest.approx(-0.02)
    assert only(run, baseline, limit=0.021).verdict == WITHIN  # sure, but too small
    assert only(baseline, run).verdict == IMPROVED


def test_a_single_bad_conversation_is_no_regression(snapshot):
    run, baseline = pair(snapshot, np.ones(20), [0] * 5 + [1] * 15, talks(20, 1))
    spread = only(run, baseline)
    assert spread.verdict == WITHIN  # 5 of 20 lost: p = 2^-5
    assert spread.adjusted == pytest.approx(2**-5, abs=0.003)


def test_less_may_be_better(snapshot):
    run, baseline = pair(snapshot, np.zeros(20), np.ones(20), talks(20, 1), lower=["MRR()"])
    found = only(run, baseline)
    assert (found.verdict, found.change, found.worse) == (REGRESSION, 1.0, 20)
    assert only(baseline, run).verdict == IMPROVED


def test_a_limit_of_zero_is_one_probe_without_a_test(snapshot):
    now = np.ones(100)
    now[7] = 0.0
    run, baseline = pair(snapshot, np.ones(100), now, talks(4, 25))
    found = only(run, baseline, limit=0.0)
    assert (found.verdict, found.worse, found.detectable) == (REGRESSION, 1, 0.0)
    assert math.isnan(found.adjusted)
    assert only(baseline, run, limit=0.0).verdict == IMPROVED
    assert only(run, run, limit=0.0).verdict == SAME


def test_gains_elsewhere_do_not_make_up_for_a_limit_of_zero(snapshot):
    run, baseline = pair(snapshot, [0.5] * 20, [0.0] + [1.0] * 19, talks(20, 1))
    assert only(run, baseline, limit=0.0).verdict == REGRESSION


def test_data_sets_weigh_the_same(snapshot):
    # The small set loses 1, the large one nothing: the mean of both is -1/2.
    names, where = ["x"] * 2 + ["y"] * 6, ["a", "b", "c", "d", "e", "f", "g", "h"]
    run, baseline = pair(snapshot, [1.0] * 8, [0.0] * 2 + [1.0] * 6, where, datasets=names)
    assert only(run, baseline).change == pytest.approx(-0.5)


def test_probes_without_a_value_on_either_side_are_left_out(snapshot):
    nan = float("nan")
    run, baseline = pair(snapshot, [1, nan, 1], [nan, 1, 0.5], ["a", "b", "c"])
    assert (only(run, baseline).n, only(run, baseline).change) == (1, -0.5)
    assert drops(*pair(snapshot, [nan], [1.0], ["a"]), {"MRR()": 0.01}) == []


def test_a_contrast_that_cannot_reach_the_level_is_blind(snapshot):
    # Six conversations: p is at least 2^-6 = .016.
    run, baseline = pair(snapshot, np.ones(6), np.zeros(6), talks(6, 1))
    assert only(run, baseline).verdict == BLIND
    assert only(run, baseline, alpha=0.02).verdict == REGRESSION


def test_holm_is_over_all_contrasts(snapshot):
    keys = [("s", 100, f"m{i}") for i in range(5)]
    where = talks(9, 1)
    run = snapshot({key: np.zeros(9) for key in keys}, where)
    baseline = snapshot({key: np.ones(9) for key in keys}, where)
    found = judged(drops(run, baseline, {key[2]: 0.01 for key in keys}), 0.01)
    assert [one.adjusted for one in found] == pytest.approx([5 / 2**9] * 5)  # 2^-9, times five
    alone = judged(drops(run, baseline, {key[2]: 0.01 for key in keys})[:1], 0.01)
    assert alone[0].adjusted == pytest.approx(1 / 2**9)


def test_only_columns_of_both_are_compared(snapshot):
    run = snapshot({KEY: [1.0], ("new", 100, "MRR()"): [1.0]}, ["a"])
    baseline = snapshot({KEY: [1.0], ("gone", 100, "MRR()"): [1.0]}, ["a"])
    (one,) = drops(run, baseline, {"MRR()": 0.01})
    assert Column(one.contrast.strategy, 100, "MRR()") == Column(*KEY)


def test_the_detectable_drop_is_found_as_often_as_it_says():
    n, groups, level = 6000, 60, 0.0005
    drop = detectable(0.0, n, groups, 0.01, level)
    rng = np.random.default_rng(0)
    # Means of 60 conversations of 100 probes, one in five of them turned over.
    means = rng.normal(-drop, math.sqrt(CHANGING / 100), (20_000, groups))
    t = means.mean(axis=1) / (means.std(axis=1, ddof=1) / math.sqrt(groups))
    from scipy.stats import t as student

    found = np.mean(t < student.ppf(level, groups - 1))
    assert found == pytest.approx(0.95, abs=0.006)  # four standard errors of 20,000


def test_what_is_detectable_grows_with_noise_and_limit():
    quiet = detectable(0.0, 6000, 60, 0.01, 0.001)
    assert detectable(0.02, 6000, 60, 0.01, 0.001) > quiet
    assert detectable(0.0, 6000, 60, 0.10, 0.001) > 0.10 > quiet
    assert detectable(0.0, 6000, 1, 0.01, 0.001) == math.inf
