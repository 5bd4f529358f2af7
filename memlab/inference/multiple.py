"""Adjusted p-values: Holm for a family named before the run, Benjamini-Hochberg to explore."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from memlab.errors import ConfigError
from memlab.inference.clusters import Floats


def holm(ps: ArrayLike) -> Floats:
    """Return p-values (m,) adjusted so that the family-wise error rate holds.

    The i-th smallest times m - i + 1, never below one before it, at most 1. NaN stays NaN
    and is not counted in m. Holm, "A simple sequentially rejective multiple test procedure",
    Scandinavian Journal of Statistics 6 (1979).

    Raises:
        ConfigError: not one dimension, or a p outside [0, 1].

    >>> holm([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    adjusted = _checked(ps)
    known = ~np.isnan(adjusted)
    values = adjusted[known]
    order = np.argsort(values, kind="stable")
    raised = values[order] * np.arange(len(values), 0, -1)
    values[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    adjusted[known] = values
    return adjusted


def benjamini_hochberg(ps: ArrayLike) -> Floats:
    """Return p-values (m,) adjusted so that the false discovery rate holds.

    The i-th smallest times m / i, never above one after it. NaN stays NaN and is not counted
    in m. Benjamini and Hochberg, "Controlling the false discovery rate", Journal of the Royal
    Statistical Society B 57 (1995).

    Raises:
        ConfigError: as `holm`.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.04, 0.04]
    """
    from scipy.stats import false_discovery_control

    adjusted = _checked(ps)
    known = ~np.isnan(adjusted)
    if known.any():
        adjusted[known] = false_discovery_control(adjusted[known])
    return adjusted


def _checked(ps: ArrayLike) -> Floats:
    """Return a copy of the p-values."""
    values = np.array(ps, dtype=np.float64)
    if values.ndim != 1:
        raise ConfigError(f"p-values of shape {values.shape}", "one dimension")
    wrong = values[(values < 0) | (values > 1)]
    if len(wrong):
        raise ConfigError(f"p-values {wrong.tolist()}", "numbers from 0 to 1, or NaN for no test")
    return values
