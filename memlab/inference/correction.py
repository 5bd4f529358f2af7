"""Means of an imperfect judge's labels, corrected with a small audited sample."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from memlab.errors import ConfigError
from memlab.inference.audit import Audit, audit, ratio
from memlab.inference.clusters import Floats, check_between, jackknife
from memlab.stats import FEW, t_quantile


class Corrected(NamedTuple):
    """A corrected mean with its interval by clusters, which is not clipped.

    `raw` is the mean of the judge alone over `n` records in `clusters` clusters; `audited` of
    them, in `audited_clusters`, have a true label too. `lambda_` is the weight of the judge: 0
    leaves the mean of the audited, 1 takes every label at its word before it is corrected. The
    interval is t with one less than the audited clusters as degrees of freedom, and
    `descriptive` with fewer than six of them. `note` says what could not be estimated.
    """

    mean: float
    low: float
    high: float
    raw: float
    n: int
    audited: int
    clusters: int
    audited_clusters: int
    lambda_: float
    se: float = float("nan")
    note: str = ""
    descriptive: bool = True


def corrected_mean(
    judged: ArrayLike,
    audited: ArrayLike,
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
    tune: bool = True,
) -> Corrected:
    """Return the mean of true labels from the judge's (n,) and audited ones (n,), else NaN.

    lambda * mean of the judge where not audited + mean of (true - lambda * judge) where audited.
    Records must be audited at random; then it is unbiased however wrong the judge is.
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, "Prediction-powered inference", Science 382
    (2023). `tune` chooses lambda for the least variance, covariance of true and judged labels /
    ((1 + audited / not audited) * variance of judged labels), within 0 to 1: Angelopoulos,
    Duchi and Zrnic, "PPI++: efficient prediction-powered inference", arXiv 2311.01453 (2023);
    without it lambda is 1. The standard error is the jackknife over clusters of all of this.

    Raises:
        ConfigError: columns of different length, a label that is not finite, or a level
            outside (0, 1).

    >>> nan = float("nan")
    >>> found = corrected_mean([1, 0, 1, 1], [1, nan, 0, nan], list("abab"), tune=False)
    >>> found.mean, found.raw  # 0.5 where not audited, audited -0.5 on average
    (0.0, 0.75)
    """
    check_between("level", level, 0, 1, "0.95")
    sample = audit(judged, audited, clusters)
    found, lambdas, note = np.array([np.nan]), np.array([np.nan]), sample.note()
    if sample.known.any():
        found, lambdas = _powered(sample, tune)
        note = note or ("all audited" if sample.known.all() else "")
    low, high, se = _interval(sample, found, level)
    few, weight = sample.audited_clusters < FEW, float(lambdas[0])
    return Corrected(float(found[0]), low, high, sample.raw, *sample.counts, weight, se, note, few)


def _powered(sample: Audit, tune: bool) -> tuple[Floats, Floats]:
    """Return estimate and lambda, of all records first, then without each cluster."""
    inside = sample.known.astype(np.float64)
    outside, f = 1 - inside, sample.judged - sample.raw  # centred, so that squares stay exact
    y = np.where(sample.known, sample.audited, 0.0)
    columns = (inside, outside, y, f * inside, f * outside, y * f * inside, f * f)
    m, rest, sum_y, sum_f, sum_rest, cross, squares = sample.totals(*columns).T
    mean_y, mean_f, mean_rest = ratio(sum_y, m), ratio(sum_f, m), ratio(sum_rest, rest)
    lambdas = np.ones(len(m))
    if tune:
        n = m + rest
        covariance = ratio(cross - sum_y * mean_f, m - 1)
        variance = ratio(squares - (sum_f + sum_rest) ** 2 / n, n - 1)
        lambdas = np.clip(ratio(covariance, variance * (1 + ratio(m, rest))), 0.0, 1.0)
    plain = (rest == 0) | np.isnan(lambdas) | (np.ptp(sample.judged) == 0)
    corrected = mean_y + lambdas * (mean_rest - mean_f)
    return np.where(plain, mean_y, corrected), np.where(plain, 0.0, lambdas)


class Prevalence(NamedTuple):
    """The share of true labels corrected for the judge's errors, with its interval by clusters.

    `sensitivity` is the share of true 1 that the judge calls 1, `specificity` that of true 0 it
    calls 0, both from the audit. Neither the share nor its interval is clipped to 0 to 1. Other
    fields as in `Corrected`.
    """

    mean: float
    low: float
    high: float
    raw: float
    n: int
    audited: int
    clusters: int
    audited_clusters: int
    sensitivity: float
    specificity: float
    se: float = float("nan")
    note: str = ""
    descriptive: bool = True


def rogan_gladen(
    judged: ArrayLike,
    audited: ArrayLike,
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
) -> Prevalence:
    """Return the share of true labels 1 from the judge's 0 or 1 (n,) and audited ones, else NaN.

    (raw share + specificity - 1) / (sensitivity + specificity - 1): Rogan and Gladen, "Estimating
    prevalence from the results of a screening test", American Journal of Epidemiology 107
    (1978). What is audited may depend on the judge's label or the true one as long as the rates
    stay those of all records: it must be as good as random within either true label. NaN
    where the audit holds no true 1 or no true 0, or finds the judge no better than chance; no
    interval where that happens without one of the clusters. The standard error is the jackknife
    over clusters of all of this.

    Raises:
        ConfigError: labels other than 0 and 1, or as `corrected_mean`.

    >>> nan = float("nan")
    >>> found = rogan_gladen([1, 1, 0, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0, nan, nan], "abababab")
    >>> round(found.sensitivity, 3), round(found.specificity, 3), round(found.mean, 3)
    (0.667, 0.667, 0.5)
    """
    check_between("level", level, 0, 1, "0.95")
    sample = audit(judged, audited, clusters)
    given = np.concatenate([sample.judged, sample.audited[sample.known]])
    if not np.isin(given, (0, 1)).all():
        other = sorted({float(x) for x in given} - {0.0, 1.0})
        raise ConfigError(f"labels {other[:5]}", "0 or 1", "use corrected_mean")
    found, rates, note = _rated(sample)
    low, high, se = _interval(sample, found, level)
    if not note and np.isnan(se):
        note = "the judge's errors rest on one cluster"
    few, mean = sample.audited_clusters < FEW, float(found[0])
    return Prevalence(mean, low, high, sample.raw, *sample.counts, *rates, se, note, few)


def _rated(sample: Audit) -> tuple[Floats, tuple[float, float], str]:
    """Return the estimate, of all first, then without each cluster, and the judge's rates."""
    true, false = (np.where(sample.audited == x, 1.0, 0.0) for x in (1, 0))
    f, ones = sample.judged, np.ones(len(sample.judged))
    columns = (ones, f, true, true * f, false, false * (1 - f))
    n, positive, is_true, hits, is_false, rejections = sample.totals(*columns).T
    sensitivity, specificity = ratio(hits, is_true), ratio(rejections, is_false)
    informed = sensitivity + specificity - 1
    informed[informed <= 0] = np.nan
    found = ratio(ratio(positive, n) + specificity - 1, informed)
    rates, note = (float(sensitivity[0]), float(specificity[0])), sample.note()
    if not note and np.isnan(rates).any():
        note = "no true 1 audited" if np.isnan(rates[0]) else "no true 0 audited"
    elif np.isnan(found[0]):
        note = note or "the judge is no better than chance"
    return found, rates, note


def _interval(sample: Audit, found: Floats, level: float) -> tuple[float, float, float]:
    """Return low, high and standard error of estimates: of all first, then without clusters."""
    if sample.audited_clusters < 2:
        return float("nan"), float("nan"), float("nan")
    mean, se = float(found[0]), float(jackknife(found[0], found[1:]))
    half = se * t_quantile((1 + level) / 2, sample.audited_clusters - 1)
    return mean - half, mean + half, se
