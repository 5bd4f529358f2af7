"""Costs along a dial: hand-made records and timings, with their arithmetic."""

import math

import numpy as np
import pytest

import memlab as ml
from memlab.metrics.retrieval import Recall
from memlab.results import Results
from memlab.scaling import read_ms
from memlab.types import Record

METRIC = "Recall(k=1)"


def record(conversation, probe, *, hit=True, **given):
    plain = {
        "strategy": "a",
        "budget": 100,
        "evidence": ("e",),
        "ranked": ("e",) if hit else ("x",),
        "ranked_sessions": (0,),
        "evidence_sessions": (0,),
    }
    return Record(**plain | given, conversation=conversation, probe=probe)


def timing(conversation, times, budget="100", strategy="a"):
    return {"strategy": strategy, "conversation": conversation, "read": {budget: times}}


def fact(conversation, size):
    return {"strategy": "a", "conversation": conversation, "bytes": size}


def run():
    """Two conversations of 10 and 1,000 turns, the second with a failed read in the middle."""
    records = [
        record("short", "p", candidates=10, tokens=40),
        record("short", "q", candidates=10, tokens=60, hit=False),
        record("short", "r", candidates=10, tokens=50),
        record("long", "p", candidates=10, tokens=90),
        record("long", "q", candidates=1000, ranked=(), ranked_sessions=(), error="broke"),
        record("long", "r", candidates=1000, tokens=100),
        record("long", "s", candidates=1000, tokens=80),
    ]
    latencies = [
        timing("short", [9_000_000, 2_000_000, 4_000_000]),
        timing("long", [7_000_000, 5_000_000, 6_000_000]),
    ]
    return Results(records, [fact("short", 512), fact("long", 4096)], latencies, {}, [Recall(k=1)])


def test_costs_are_those_of_the_records_in_a_range():
    small, large = run().scaling(METRIC).to_dict("records")
    assert (small["history"], large["history"]) == (10, 1000)
    assert (small[METRIC], large[METRIC]) == (3 / 4, 2 / 3)
    assert (small["n"], large["n"]) == (4, 3)
    # (40 + 60 + 50 + 90) / 4; the failed read is no read of 0 tokens: (100 + 80) / 2.
    assert (small["tokens_read"], large["tokens_read"]) == (60, 90)
    # The first read of a conversation is cold; the one that failed was not timed.
    assert (small["read_ms_p50"], large["read_ms_p50"]) == (3, 5.5)
    assert small["cold_read_ms_p50"] == 8
    assert math.isnan(large["cold_read_ms_p50"])
    assert (small["bytes_saved"], large["bytes_saved"]) == (512, 4096)


def test_read_times_belong_to_the_reads_that_did_not_fail():
    warm, cold = read_ms(run())
    nan = math.nan
    np.testing.assert_array_equal(warm, [nan, 2, 4, nan, nan, 5, 6])
    np.testing.assert_array_equal(cold, [9, nan, nan, 7, nan, nan, nan])


def test_times_of_reads_that_are_not_known_apart_are_left_out():
    results = run()
    results.latencies[1]["read"]["100"].append(1)  # four times, of four reads one failed
    warm, _ = read_ms(results)
    assert warm[5:].tolist() == [6, 1e-6]
    results.latencies[1]["read"]["100"].append(1)  # five times for four reads
    warm, _ = read_ms(results)
    assert np.isnan(warm[3:]).all()


def test_state_has_a_size_along_the_history_only():
    results = run()
    assert results.scaling(METRIC, by="candidates")["bytes_saved"].tolist() == [512, 4096]
    dialled = [
        record("short", "p", dials={"overlap": 0.1}),
        record("short", "q", dials={"overlap": 0.9}),
    ]
    table = Results(dialled, results.facts, results.latencies, {}, [Recall(k=1)])
    assert table.scaling(METRIC, by="overlap")["bytes_saved"].isna().all()


def test_data_sets_weigh_the_same_in_a_range():
    rows = [
        record("x/a", "p", dataset="x", candidates=10),
        *(record("y/b", f"p{i}", dataset="y", candidates=10, hit=False) for i in range(9)),
        record("y/b", "late", dataset="y", candidates=99),
    ]
    small, large = Results(rows, [], [], {}, [Recall(k=1)]).scaling(METRIC).to_dict("records")
    assert (small[METRIC], large[METRIC]) == (0.5, 1)  # (1 + 0) / 2, not 1 / 10
    assert small["n"] == 10


def test_a_run_agrees_with_its_own_tables():
    results = ml.evaluate({"w": "Window(turns=8)", "b": "BM25()"}, "quickstart", [METRIC])
    table = results.scaling(METRIC)
    summary = results.summary().set_index("strategy")
    for strategy, rows in table.groupby("strategy"):
        mean = np.average(rows[METRIC], weights=rows["n"])
        assert mean == pytest.approx(summary.loc[strategy, METRIC])
        assert rows["n"].sum() == summary.loc[strategy, f"{METRIC} n"]
        assert rows["read_ms_p50"].gt(0).all()
        assert np.average(rows["tokens_read"], weights=rows["n"]) > 0
