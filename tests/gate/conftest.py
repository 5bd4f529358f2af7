"""Snapshots written by hand, and small real runs."""

import numpy as np
import pytest

import memlab as ml
from memlab.gate.snapshot import Column, ProbeKey, Snapshot
from memlab.strategies import BM25, Window

METRICS = ["Recall(k=5)", "MRR()", "StaleHit()"]


@pytest.fixture(scope="session")
def snapshot():
    def make(
        values, talks, *, datasets=None, lower=(), failed=None, broken=None, times=None, **about
    ):
        names = [d or "" for d in datasets or [""] * len(talks)]
        numbers = {}
        probes = []
        for dataset, talk in zip(names, talks, strict=True):
            numbers[talk] = numbers.get(talk, 0) + 1
            probes.append(ProbeKey(dataset, talk, f"p{numbers[talk]}"))
        columns = {Column(*key): np.array(v, dtype=np.float64) for key, v in values.items()}
        metrics = list(dict.fromkeys(column.metric for column in columns))
        known = {
            "name": "toy",
            "hash8": "0" * 8,
            "resolved": {"data": "d", "tokenizer": "t", "budget": [100]},
            "strategies": {},
            "evidence_rule": "rule",
            "metrics": metrics,
            "definitions": {m: {"higher_is_better": m not in lower} for m in metrics},
        }
        return Snapshot(known | about, probes, columns, failed or {}, broken or {}, times or {})

    return make


@pytest.fixture(scope="session")
def data():
    """Twenty short dialogues."""
    return ml.load("synthetic", conversations=20, turns=64, sessions=4, days=30, probes=15)


@pytest.fixture(scope="session")
def strategies():
    return {"bm25": BM25(), "window": Window(turns=6)}


@pytest.fixture(scope="session")
def run(data, strategies):
    """A run of two strategies."""
    return ml.evaluate(strategies, data, METRICS, budget=[100, 400], name="toy")


@pytest.fixture(scope="session")
def folder(data, strategies, tmp_path_factory):
    """The same run in a folder."""
    out = tmp_path_factory.mktemp("runs")
    return ml.evaluate(strategies, data, METRICS, budget=[100, 400], name="toy", out=out).path
