"""The reference: a fixed piece of work, booked beside every unit and in no strategy's time."""

import math

import memlab as ml
from memlab import reference
from memlab.reference import TIMES, timed, typical, work


def test_the_work_is_always_the_same():
    # 500 different words counted + 500 pairs sorted - 10 best rows.
    assert {work() for _ in range(3)} == {500 + 500 - 10}


def test_every_repetition_is_timed():
    found = timed(4)
    assert len(found) == 4
    assert all(isinstance(ns, int) and ns > 0 for ns in found)


def test_the_fastest_of_each_side_count():
    assert typical([5, 3, 900], [7, 9]) == (3 + 7) / 2
    assert math.isnan(typical([], [7]))


def test_it_is_booked_with_every_unit_and_nowhere_else(tmp_path):
    strategies = {"none": "NoMemory()", "window": "Window()"}
    results = ml.evaluate(strategies, "quickstart", ["MRR()"], out=tmp_path)
    assert len(results.latencies) == 2 * 8
    for unit in results.latencies:
        assert {len(side) for side in unit["reference"].values()} == {TIMES}
        assert set(unit) >= {"write", "read", "flush", "maintain", "encode"}
    assert '"reference"' not in (results.path / "records.jsonl").read_text("utf-8")


def test_short_units_share_a_timing_and_long_ones_do_not(monkeypatch):
    now = iter([0, 49_000_000, 60_000_000, 61_000_000])  # nanoseconds
    made = iter([[1], [2]])
    monkeypatch.setattr(reference, "timed", lambda: next(made))
    monkeypatch.setattr(reference, "perf_counter_ns", lambda: next(now))
    beside = reference.Beside()
    # Timed at 0; 49 ms later it still holds, 60 ms later it is timed again, at 61 ms.
    assert [beside.timed() for _ in range(3)] == [[1], [1], [2]]
