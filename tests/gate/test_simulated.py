"""False alarms and power on the values of the committed baseline: the experiment, smaller.

experiments/LOG.md has the full counts. Seeds are fixed, so nothing here depends on luck.
"""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memlab.gate.check import ALPHA
from memlab.gate.contrast import REGRESSION, judged
from memlab.gate.files import load
from memlab.gate.quality import MAX_DROP, NEVER, drops
from memlab.gate.snapshot import Column

ROOT = Path(__file__).resolve().parents[2]
BM25 = Column("bm25", 500, "Recall(k=10)")


@pytest.fixture(scope="module")
def experiment():
    spec = importlib.util.spec_from_file_location(
        "gate_check", ROOT / "experiments" / "gate_check.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["gate_check"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["gate_check"]


@pytest.fixture
def bench(experiment):
    return experiment.Bench(load(ROOT / "results" / "baseline"), np.random.default_rng(0))


@pytest.mark.parametrize("correlation", [0.0, 0.05])
def test_neutral_changes_raise_no_alarm(experiment, bench, correlation):
    told = experiment.neutral(bench, 50, correlation, 0.2)
    # At a rate of 1 % two alarms or more in 50 have a chance of .09.
    assert told["false alarms"] <= 1 / 50
    assert told["probes changed"] > 0.15


def test_a_drop_is_found(experiment, bench):
    assert experiment.dropped(bench, BM25, 200, 0.0, 0.03, 0.2)[0] >= 0.95
    assert experiment.dropped(bench, BM25, 200, 0.0, 0.003, 0.2)[0] <= 0.01  # below the limit


def test_a_slowdown_is_found_and_noise_is_not(experiment, bench):
    assert experiment.timed(bench, 10, 0.1, 0.1, 2.0) == 1.0
    assert experiment.timed(bench, 10, 0.1, 0.1, 1.0) == 0.0


@pytest.mark.parametrize("shift", [0.0, 0.02])
def test_the_experiment_decides_as_the_gate_does(experiment, bench, shift):
    donors = {g: experiment._Donors(bench, g, 0.2) for g in bench.base.groups}
    values = dict(bench.base.values)
    for column in bench.columns:
        drawn = donors[column.strategy, column.budget].drawn(0.2)
        values[column] = bench.base.values[column][drawn] - shift
    run = replace(bench.base, values=values)
    limits = {m: NEVER.get(m, MAX_DROP) for m in bench.base.metrics}
    gate = judged(drops(run, bench.base, limits), ALPHA)
    tested = {(c.strategy, c.budget, c.measure): c.verdict == REGRESSION for c in gate if c.limit}
    sums = np.zeros((1, bench.groups, len(bench.columns)))
    n = np.zeros(len(bench.columns))
    for i, column in enumerate(bench.columns):
        weights, n[i] = bench.weights(column)
        gain = np.nan_to_num(values[column] - bench.base.values[column])
        sign = experiment.direction(bench.base, column.metric)
        sums[0, :, i] = np.bincount(bench.codes, sign * gain * weights)
    found = experiment.verdicts(sums, n, len(bench.columns))[0]
    assert dict(zip(map(tuple, bench.columns), found.tolist(), strict=True)) == tested
    assert found.any() == (shift > 0)
