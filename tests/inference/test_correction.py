"""Corrected means against loops that leave out a cluster, and against what must hold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from memlab.errors import ConfigError, Faults
from memlab.inference.correction import corrected_mean, rogan_gladen
from memlab.stats import cluster_mean

NAN = math.nan


def example(groups=8, seed=0, share=0.2):
    """A judge of sensitivity .9 and specificity .75 over records, some of them audited."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(groups), rng.integers(30, 70, groups))
    true = rng.random(len(codes)) < rng.beta(6, 4, groups)[codes]
    judged = (rng.random(len(codes)) < np.where(true, 0.9, 0.25)).astype(float)
    audited = np.where(rng.random(len(codes)) < share, true.astype(float), NAN)
    return judged, audited, codes


def powered(judged, audited, lam=None):
    """The estimate of PPI++ with numpy's covariance."""
    known = ~np.isnan(audited)
    m, rest = known.sum(), (~known).sum()
    if lam is None:
        covariance = np.cov(audited[known], judged[known])[0, 1]
        lam = min(1, max(0, covariance / (1 + m / rest) / judged.var(ddof=1)))
    rectifier = (audited[known] - lam * judged[known]).mean()
    return lam * judged[~known].mean() + rectifier, lam


def rogan(judged, audited):
    sensitivity, specificity = judged[audited == 1].mean(), 1 - judged[audited == 0].mean()
    return (judged.mean() + specificity - 1) / (sensitivity + specificity - 1)


def left_out(estimate, judged, audited, codes):
    """The jackknife standard error by leaving out one cluster after the other."""
    groups, whole = codes.max() + 1, estimate(judged, audited)
    squares = [
        (estimate(judged[codes != g], audited[codes != g]) - whole) ** 2 for g in range(groups)
    ]
    return math.sqrt((groups - 1) / groups * math.fsum(squares))


@pytest.mark.parametrize("tune", [True, False])
def test_prediction_powered_mean_equals_the_loop(tune):
    judged, audited, codes = example()
    found = corrected_mean(judged, audited, codes.tolist(), tune=tune)
    lam = None if tune else 1.0
    mean, weight = powered(judged, audited, lam)
    assert (found.mean, found.lambda_) == pytest.approx((mean, weight), rel=1e-10)
    error = left_out(lambda j, a: powered(j, a, lam)[0], judged, audited, codes)
    assert found.se == pytest.approx(error, rel=1e-9)
    half = stats.t.ppf(0.975, 7) * error
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half), rel=1e-9)
    assert found.raw == judged.mean()
    assert (found.n, found.clusters, found.audited_clusters) == (len(codes), 8, 8)
    assert found.audited == np.sum(~np.isnan(audited))


def test_rogan_gladen_equals_the_loop():
    judged, audited, codes = example(seed=1)
    found = rogan_gladen(judged, audited, codes.tolist(), level=0.9)
    error = left_out(rogan, judged, audited, codes)
    half = stats.t.ppf(0.95, 7) * error
    mean = rogan(judged, audited)
    assert found[:3] == pytest.approx((mean, mean - half, mean + half), rel=1e-9)
    assert found.sensitivity == judged[audited == 1].mean()
    assert found.specificity == pytest.approx(1 - judged[audited == 0].mean())


def test_by_hand():
    # Raw 5/8, sensitivity 3/4, specificity 2/2: (5/8 + 1 - 1) / (3/4 + 1 - 1) = 5/6.
    judged, audited = [1, 1, 1, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0, NAN, NAN]
    found = rogan_gladen(judged, audited, list("abababab"))
    assert (found.sensitivity, found.specificity) == (0.75, 1.0)
    assert found.mean == pytest.approx(5 / 6)
    # lambda 1: 1 where not audited; where audited, true - judge averages 1/6.
    assert corrected_mean(judged, audited, list("abababab"), tune=False).mean == pytest.approx(
        7 / 6
    )


@given(st.integers(0, 50), st.floats(-2, 2))
def test_the_judge_may_be_off_by_any_constant(seed, off):
    judged, audited, codes = example(seed=seed)
    plain = corrected_mean(judged, audited, codes.tolist())
    moved = corrected_mean(judged + off, audited, codes.tolist())
    assert moved[:3] == pytest.approx(plain[:3], abs=1e-9)
    assert moved.raw == pytest.approx(plain.raw + off)


@pytest.mark.parametrize("seed", range(5))
def test_ends_of_the_scale_of_judges(seed):
    judged, audited, codes = example(seed=seed)
    alone = cluster_mean(audited, codes.tolist())
    constant = corrected_mean(np.full(len(codes), 0.1), audited, codes.tolist())
    assert (constant.mean, constant.lambda_) == (pytest.approx(alone.mean), 0.0)
    reverse = corrected_mean(1 - judged, audited, codes.tolist())
    assert (reverse.mean, reverse.lambda_) == (pytest.approx(alone.mean), 0.0)
    perfect = np.where(np.isnan(audited), judged, audited)
    assert rogan_gladen(perfect, audited, codes.tolist()).mean == pytest.approx(perfect.mean())
    whole = corrected_mean(judged, judged, codes.tolist())
    assert (whole.note, whole.lambda_) == ("all audited", 0.0)
    assert whole[:3] == pytest.approx(cluster_mean(judged, codes.tolist())[:3])
    assert rogan_gladen(judged, perfect, codes.tolist()).mean == pytest.approx(perfect.mean())


def test_tuning_narrows_the_interval_of_a_poor_judge():
    # The judge agrees with the truth in 60 %: lambda near .2; taken at its word it adds noise.
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(12), 100)
    true = rng.random(1200) < 0.5
    judged = np.where(rng.random(1200) < 0.6, true, ~true).astype(float)
    audited = np.where(rng.random(1200) < 0.3, true, NAN)
    tuned, plain = (
        corrected_mean(judged, audited, codes.tolist(), tune=tune) for tune in (True, False)
    )
    assert tuned.high - tuned.low < plain.high - plain.low
    assert 0 < tuned.lambda_ < 0.4


@pytest.mark.parametrize(
    ("judged", "audited", "clusters", "note"),
    [
        ([], [], [], "no records"),
        ([1, 0, 1], [NAN] * 3, list("aab"), "nothing audited"),
        ([1, 0, 1], [1, 0, NAN], list("aab"), "audited in one cluster only"),
    ],
)
def test_where_nothing_can_be_corrected(judged, audited, clusters, note):
    for found in (
        corrected_mean(judged, audited, clusters),
        rogan_gladen(judged, audited, clusters),
    ):
        assert found.note == note
        assert math.isnan(found.low)
        assert math.isnan(found.high)
        assert found.descriptive
        assert math.isnan(found.mean) == (found.audited == 0)
        assert found.raw == pytest.approx(np.mean(judged) if judged else NAN, nan_ok=True)


@pytest.mark.parametrize(
    ("judged", "audited", "note"),
    [
        ([1, 0, 1, 1], [1, 1, NAN, 1], "no true 0 audited"),
        ([1, 0, 1, 0], [0, 0, NAN, 0], "no true 1 audited"),
        ([1, 0, 0, 1], [0, 0, 1, 1], "the judge is no better than chance"),
        ([1, 0, 1, 1], [1, 0, NAN, 1], "the judge's errors rest on one cluster"),
    ],
)
def test_where_the_judges_errors_are_unknown(judged, audited, note):
    found = rogan_gladen(judged, audited, list("abab"))
    assert found.note == note
    assert math.isnan(found.low)
    assert math.isnan(found.mean) == (not note.startswith("the judge's"))
    assert found.n == 4


def test_few_audited_clusters_only_describe():
    judged, audited, codes = example(groups=9)
    audited[codes > 4] = NAN
    for estimate in (corrected_mean, rogan_gladen):
        found = estimate(judged, audited, codes.tolist())
        assert (found.clusters, found.audited_clusters, found.descriptive) == (9, 5, True)
        assert (found.high - found.mean) / found.se == pytest.approx(stats.t.ppf(0.975, 4))


def test_what_cannot_work_is_refused():
    with pytest.raises(ConfigError, match=r"1 labels are not finite.*leave out records"):
        corrected_mean([1.0, NAN], [1.0, NAN], ["a", "b"])
    with pytest.raises(Faults) as told:
        corrected_mean([math.inf, 1.0], [math.inf, NAN], ["a"])
    assert len(told.value.faults) == 3
    with pytest.raises(ConfigError, match=r"labels \[0.5\]; expected 0 or 1; use corrected_mean"):
        rogan_gladen([0.5, 1.0], [1.0, 0.0], ["a", "b"])
    with pytest.raises(ConfigError, match="level=1"):
        corrected_mean([1.0], [1.0], ["a"], level=1)
