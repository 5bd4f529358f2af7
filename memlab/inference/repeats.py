"""Repeats of a stochastic strategy: its spread between seeds, and one value per probe."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from memlab.errors import ConfigError
from memlab.inference.clusters import Floats


class Repeats(NamedTuple):
    """The mean over seeds of a strategy's mean, and how much it varies between seeds.

    `means` holds the mean of each seed, `sd` their standard deviation (over R - 1; NaN for one
    seed). `n` probes have a value with every seed; `ignored` do not. The spread between seeds
    says nothing about other dialogues: for that, test `averaged` values by conversation.
    """

    mean: float
    sd: float
    means: tuple[float, ...]
    n: int
    repeats: int
    ignored: int = 0


def repeats(values: ArrayLike) -> Repeats:
    """Return mean and sd between seeds of values (R, n), one row per seed.

    Only probes with a value under every seed count, so that all seeds are measured on the
    same ones.

    Raises:
        ConfigError: not two dimensions, no seed, or infinite values.

    >>> found = repeats([[1.0, 0.0, 0.5], [0.0, 0.0, float("nan")]])
    >>> found.means, found.mean, round(found.sd, 4), found.n, found.ignored
    ((0.5, 0.0), 0.25, 0.3536, 2, 1)
    """
    numbers = _checked(values)
    kept = numbers[:, ~np.isnan(numbers).any(axis=0)]
    seeds, n = kept.shape
    means = kept.mean(axis=1) if n else np.full(seeds, np.nan)
    same = len(set(means.tolist())) == 1  # whose sd could come out as 1e-17
    sd = float("nan") if seeds < 2 else 0.0 if same else float(means.std(ddof=1))
    return Repeats(
        float(means.mean()),
        sd,
        tuple(means.tolist()),
        n,
        seeds,
        numbers.shape[1] - n,
    )


def averaged(values: ArrayLike) -> Floats:
    """Return each probe's mean over seeds (n,) of values (R, n), for paired tests.

    NaN if any seed has no value: the others would stand for a luckier draw.

    Raises:
        ConfigError: as `repeats`.

    >>> averaged([[1.0, 0.0, 0.5], [0.0, 0.0, float("nan")]]).tolist()
    [0.5, 0.0, nan]
    """
    means: Floats = _checked(values).mean(axis=0)
    return means


def _checked(values: ArrayLike) -> Floats:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 2 or not len(numbers):
        raise ConfigError(f"values of shape {numbers.shape}", "(seeds, probes), a seed at least")
    if np.isinf(numbers).any():
        raise ConfigError("infinite values", "finite numbers, or NaN for no value")
    return numbers
