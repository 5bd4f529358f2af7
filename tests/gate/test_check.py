"""Checks of real runs: unchanged, worse, better, vanished, failing, slower, not comparable."""

import copy

import numpy as np
import pytest

import memlab as ml
from memlab.errors import ConfigError, RunError
from memlab.gate.check import check
from memlab.gate.contrast import IMPROVED, REGRESSION, SAME
from memlab.gate.files import BaselineMissing
from memlab.gate.snapshot import Snapshot
from memlab.naming import strategy
from memlab.reference import work
from memlab.strategies import BM25, Window

METRICS = ["Recall(k=5)", "MRR()", "StaleHit()"]


@strategy
class Slow(BM25):
    """Works many times as long on every read, and returns the same."""

    rounds: int = 4

    def read(self, query, budget):
        for _ in range(self.rounds):
            work()
        return super().read(query, budget)


@strategy
class Failing(BM25):
    """Fails on every third question."""

    def read(self, query, budget):
        if len(query.text) % 3 == 0:
            raise ValueError("no")
        return super().read(query, budget)


@strategy
class Breaking(BM25):
    """Fails at the last session end, after the last question."""

    def maintain(self, now):
        if len(self.history) > 50:
            raise ValueError("late")


def evaluated(data, strategies, metrics=METRICS, budget=(100, 400)):
    return ml.evaluate(strategies, data, metrics, budget=list(budget), name="toy")


def test_an_unchanged_run_is_ok(run, data, strategies):
    found = check(evaluated(data, strategies), run)
    assert found.ok
    assert not found.lost
    quality = [one for one in found.contrasts if one.part == "quality"]
    assert len(quality) == 2 * 2 * 3
    assert {one.verdict for one in quality} == {SAME}
    assert {one.clusters for one in quality} == {20}
    assert all(one.detectable > 0.01 for one in quality)


def test_a_broken_strategy_is_found_and_named(run, data, strategies):
    found = check(evaluated(data, {**strategies, "bm25": Window(turns=1)}), run, latency=False)
    assert not found.ok
    assert {(one.strategy, one.measure) for one in found.regressions} >= {
        ("bm25", "Recall(k=5)"),
        ("bm25", "MRR()"),
    }
    assert "window" not in {one.strategy for one in found.regressions}
    assert "bm25 was BM25(), is Window(turns=1)" in found.notes


def test_a_better_strategy_is_shown_and_no_error(run, data, strategies):
    found = check(evaluated(data, {**strategies, "window": "Oracle()"}), run, latency=False)
    assert found.ok
    assert {one.strategy for one in found.contrasts if one.verdict == IMPROVED} == {"window"}
    assert "improved" in found.headline()


def test_one_turn_less_is_told_by_its_size(run, data, strategies):
    found = check(evaluated(data, {**strategies, "window": Window(turns=5)}), run, latency=False)
    changed = [one for one in found.contrasts if one.worse]
    assert {one.strategy for one in changed} == {"window"}
    assert all(one.change < 0 for one in changed if one.measure == "Recall(k=5)")


def test_what_vanished_is_a_regression(run, data, strategies):
    fewer = check(evaluated(data, {"bm25": BM25()}, ["MRR()"], budget=[100]), run, latency=False)
    assert not fewer.ok
    assert [(one.kind, one.strategy, one.budget) for one in fewer.lost] == [
        ("strategy", "window", None),
        ("budget", "bm25", 400),
        ("metric", "", None),
        ("metric", "", None),
    ]


def test_what_is_new_is_listed_and_not_checked(run, data, strategies):
    more = evaluated(data, {**strategies, "new": Failing()}, [*METRICS, "NDCG()"], [100, 400, 9])
    found = check(more, run, latency=False)
    assert found.ok
    (note,) = [note for note in found.notes if "not in the baseline" in note]
    assert "strategy new" in note
    assert "budget 9 of bm25" in note
    assert "metric NDCG()" in note


def test_new_failures_are_a_regression_and_old_ones_are_not(run, data, strategies):
    failing = evaluated(data, {**strategies, "bm25": Failing()})
    found = check(failing, run, latency=False)
    kinds = {(one.kind, one.strategy, one.budget) for one in found.lost}
    assert kinds == {("failure", "bm25", 100), ("failure", "bm25", 400)}
    assert "ValueError: no" in found.lost[0].text
    again = check(failing, failing, latency=False)
    assert again.ok
    assert any("reads failed in the baseline, 0 of them no more" in note for note in again.notes)
    mended = check(run, failing, latency=False)
    assert mended.ok
    assert mended.failed == 0


def test_a_fault_after_the_last_question_counts(run, data, strategies):
    found = check(evaluated(data, {**strategies, "bm25": Breaking()}), run, latency=False)
    assert any(one.kind == "failure" and "late" in one.text for one in found.lost)


def test_values_that_can_no_longer_be_measured_vanished(run):
    now, before = Snapshot.of(run), Snapshot.of(run)
    column = next(c for c in now.values if c.metric == "MRR()")
    values = now.values[column].copy()
    known = np.flatnonzero(~np.isnan(values))[:3]
    values[known] = np.nan
    results = copy.copy(run)
    from memlab.gate.changes import vanished

    (lost,) = vanished(Snapshot(**vars(now) | {"values": {**now.values, column: values}}), before)
    assert (lost.kind, lost.strategy) == ("value", column.strategy)
    assert "no value on 3 of" in lost.text
    assert check(results, before, latency=False).ok


def test_nothing_measured(run, data, strategies):
    @strategy
    class Never(BM25):
        def read(self, query, budget):
            raise ValueError("never")

    found = check(evaluated(data, dict.fromkeys(strategies, Never())), run, latency=False)
    assert not found.measured
    assert not found.ok
    assert "nothing was measured: 1200 of 1200 reads failed" in found.headline()


def test_a_busy_strategy_is_slower_and_as_good(run, data):
    now, before = (
        evaluated(data, {"bm25": memory}, ["MRR()"], [100]) for memory in (Slow(), BM25())
    )
    found = check(now, before)
    wrong = {(one.part, one.measure) for one in found.regressions}
    assert ("time", "read") in wrong  # four times the reference and more: the ratio is above 5
    assert not any(part == "quality" for part, _ in wrong)
    assert check(now, before, latency=False).ok
    assert {one.part for one in check(now, before, quality=False).contrasts} == {"time"}


def moved(run, **machine):
    other = copy.copy(run)
    other.manifest = {**run.manifest, "machine": {**run.manifest["machine"], **machine}}
    return other


def test_times_of_another_machine_have_a_wider_limit(run):
    here = check(run, moved(run))
    there = check(run, moved(run, cpu="another"))
    assert {one.limit for one in here.contrasts if one.part == "time"} == {1.5}
    assert {one.limit for one in there.contrasts if one.part == "time"} == {2.5}
    assert any("another machine" in note and "cpu another" in note for note in there.notes)
    given = check(run, moved(run, cpu="another"), latency_ratio=3.0)
    assert {one.limit for one in given.contrasts if one.part == "time"} == {3.0}


def test_parallel_runs_and_runs_without_reference_are_told(run):
    parallel = copy.copy(run)
    parallel.manifest = {**run.manifest, "jobs": 2, "units": {"computed": 30, "resumed": 10}}
    notes = check(parallel, run).notes
    assert "the run was measured with 2 units side by side" in notes
    assert "10 units of the run were measured before it was interrupted" in notes
    bare = copy.copy(run)
    bare.latencies = tuple({k: v for k, v in u.items() if k != "reference"} for u in run.latencies)
    lost = check(bare, run).lost
    assert [(one.kind, one.strategy) for one in lost] == [("time", "bm25"), ("time", "window")]
    assert "the baseline has no reference: times are not compared" in check(run, bare).notes


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        (("resolved", "data"), "x" * 64, "data"),
        (("resolved", "tokenizer"), "estimate", "tokenizer"),
        (("resolved", "budget"), [7], None),
        (("evidence_rule",), "another", "evidence rule"),
        (("dataset", "options", "labels"), "raw", "labels"),
    ],
)
def test_runs_that_cannot_be_compared(run, path, value, key):
    run, other = copy.copy(run), copy.copy(run)
    run.manifest = copy.deepcopy(run.manifest)
    run.manifest["dataset"]["options"]["labels"] = "repaired"
    other.manifest = copy.deepcopy(run.manifest)
    place = other.manifest
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    if key is None:  # the budgets of the records are shared: what is there is compared
        assert check(run, other, latency=False).ok
        return
    with pytest.raises(RunError, match=f"they differ in {key}.*--save"):
        check(run, other)


def test_other_definitions_and_other_budgets_cannot_be_compared(run, data, strategies, monkeypatch):
    before = Snapshot.of(run)
    about = copy.deepcopy(dict(before.about))
    about["definitions"]["MRR()"]["definition"] = "another"
    with pytest.raises(RunError, match=r"definition of MRR\(\)"):
        check(run, Snapshot(**vars(before) | {"about": about}))
    with pytest.raises(RunError, match="they differ in budget"):
        check(evaluated(data, strategies, budget=[50]), run)


def test_too_few_conversations_are_refused(data, strategies):
    few = evaluated(data.take(6), strategies)
    # Twelve contrasts of quality: 12 / .01 = 1200 < 2^11.
    with pytest.raises(RunError, match="at least 11 conversations"):
        check(few, few, latency=False)
    assert check(few, few, latency=False, alpha=0.2).ok


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_drop": -0.1}, "max_drop=-0.1"),
        ({"max_drop": {"MRR": 0.1}}, r"did you mean 'MRR\(\)'"),
        ({"max_drop": {"MRR()": float("nan")}}, "max_drop of MRR"),
        ({"alpha": 0.0}, "alpha=0.0"),
        ({"latency_ratio": 0.5}, "latency_ratio=0.5"),
        ({"quality": False, "latency": False}, "something to check"),
        ({"latency": 1}, "latency=1"),
        ({"metrics": ["Recal()"]}, "did you mean"),
    ],
)
def test_settings_that_cannot_work(run, options, message):
    with pytest.raises(ConfigError, match=message):
        check(run, run, **options)


def test_limits_by_metric(run):
    found = check(run, run, max_drop={"MRR()": 0.2}, latency=False)
    assert {one.measure: one.limit for one in found.contrasts} == {
        "Recall(k=5)": 0.01,
        "MRR()": 0.2,
        "StaleHit()": 0.01,
    }
    leaks = check(run, run, metrics=["Leak()", "MRR()"], max_drop=0.05, latency=False)
    assert {one.measure: one.limit for one in leaks.contrasts} == {"Leak()": 0.0, "MRR()": 0.05}


def test_a_leak_is_a_regression_at_once(run, data):
    @strategy
    class Leaking(Window):
        def read(self, query, budget):
            from dataclasses import replace

            if len(query.text) % 7:
                return super().read(query, budget)
            users = sorted({turn.user for turn in self.history})
            return super().read(replace(query, user=users[0]), budget)

    before, now = (
        evaluated(data, {"w": memory}, ["Leak()", "MRR()"], [400])
        for memory in (Window(turns=20), Leaking(turns=20))
    )
    found = check(now, before, latency=False)
    leak = next(one for one in found.regressions if one.measure == "Leak()")
    assert 0 < leak.worse < 60
    assert leak.verdict == REGRESSION


def length(rankings):
    """Tell how many items came back."""
    return rankings.items.astype(float)


def test_a_function_without_a_direction_is_told(run):
    found = check(run, run, metrics=[length], latency=False)
    (note,) = [note for note in found.notes if "no direction stated" in note]
    assert "length" in note


def test_a_missing_baseline(run, tmp_path):
    with pytest.raises(BaselineMissing):
        check(run, tmp_path / "none")


def test_it_is_public():
    assert ml.check is check
