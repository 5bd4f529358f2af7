"""evaluate: what is run, what is recorded, what is refused."""

import json
import math
import re

import numpy as np
import pytest

import memlab as ml
from memlab.errors import Faults
from memlab.metrics import MRR, Leak, Recall, Residue, StaleHit
from memlab.parsing import parse
from memlab.run import Run
from memlab.strategies import BM25, FullHistory, NoMemory, Oracle, Window
from memlab.types import Conversation, Dataset, Forget, Item, Probe, SessionEnd, Tick, Turn, utc

NOW = utc("2024-01-01")


def dialogue(name="c", extra=()):
    texts = ["I moved to Oslo.", "Nice!", "I moved on to Rome.", "Where is the cat?"]
    turns = [
        Turn(id=f"t{i}", text=t, time=NOW, user=name, session="12"[i // 2])
        for i, t in enumerate(texts)
    ]
    probe = Probe(
        id="p", text="Where did I move?", time=NOW, user=name, category="update",
        evidence=("t2",), stale=("t0",), answers=("Rome",),
    )  # fmt: skip
    events = [*turns[:2], SessionEnd(session="1", time=NOW), *turns[2:], probe, *extra]
    return Conversation(name, tuple(events))


DATA = Dataset("toy", (dialogue("c"), dialogue("d")))


def rows(results, label):
    return [r for r in results.records if r.strategy == label]


def test_one_call_gives_records_and_a_table():
    results = ml.evaluate({"last 2": Window(turns=2), "bm25": BM25()}, DATA, [Recall(k=1), MRR()])
    first = rows(results, "last 2")[0]
    assert first.ranked == ("t3", "t2")
    assert (first.ranked_sessions, first.evidence_sessions) == ((1, 1), (1,))
    assert (first.items, first.candidates, first.candidate_sessions) == (2, 4, 2)
    counter = Run().counter
    assert first.tokens == sum(
        counter.count(t) for t in ("I moved on to Rome.", "Where is the cat?")
    )
    assert results.values(MRR())[:2].tolist() == [0.5, 0.5]
    assert len(results.rows) == 4
    assert "last 2" in repr(results)
    assert "<table>" in results._repr_html_()


def test_a_list_is_labelled_by_repr_and_texts_are_read():
    results = ml.evaluate([Window(turns=2), "NoMemory()"], DATA, ["MRR()"])
    assert list(results.groups) == [("Window(turns=2)", 4000), ("NoMemory()", 4000)]


def test_budgets_are_tried_one_by_one():
    results = ml.evaluate({"full": FullHistory()}, DATA, [Recall()], budget=[5, None])
    assert [(r.budget, r.ranked) for r in results.records[:2]] == [
        (5, ("t3",)),
        (None, ("t3", "t2", "t1", "t0")),
    ]
    assert [r.cut for r in results.records[:2]] == [True, False]
    curve = results.curve()
    assert curve["budget"].tolist()[0] == 5
    assert curve["Recall()"].tolist() == [0.0, 1.0]


def test_the_clock_is_the_dialogues():
    seen = []

    class Clock(NoMemory):
        def maintain(self, now):
            seen.append(now)

        def write(self, turn):
            seen.append(turn.time)

    later = utc("2024-02-01")
    data = Dataset("toy", (dialogue("c", extra=[Tick(time=later)]),))
    ml.evaluate({"clock": Clock()}, data, [])
    assert seen == [NOW] * 5 + [later]


def test_flush_comes_once_before_the_first_probe_after_a_write():
    calls = []

    class Slow(NoMemory):
        def write(self, turn):
            calls.append(turn.id)

        def flush(self):
            calls.append("flush")

        def read(self, query, budget):
            calls.append("read")
            return []

    probes = [Probe(id=f"q{i}", text="?", time=NOW, user="c") for i in range(2)]
    data = Dataset("toy", (dialogue("c", extra=probes),))
    ml.evaluate({"slow": Slow()}, data, [])
    assert calls == ["t0", "t1", "t2", "t3", "flush", "read", "read", "read"]


def test_a_failing_strategy_is_recorded_and_the_others_go_on():
    class Breaks(NoMemory):
        def read(self, query, budget):
            raise ValueError("no luck")

    class BreaksOnWrite(NoMemory):
        def write(self, turn):
            if turn.id == "t1":
                raise KeyError(turn.id)

    results = ml.evaluate(
        {"reads": Breaks(), "writes": BreaksOnWrite(), "oracle": Oracle()}, DATA, [Recall(), MRR()]
    )
    (first,), (second,) = ({r.error for r in rows(results, name)} for name in ("reads", "writes"))
    assert re.fullmatch(r"ValueError: no luck \(test_runner\.py:\d+\)", first)
    assert re.fullmatch(r"KeyError: 't1' \(test_runner\.py:\d+\)", second)
    assert f"failed: 'reads' on 2 reads: {first}" in repr(results)
    summary = results.summary().set_index("strategy")
    assert summary["Recall()"].tolist() == [0.0, 0.0, 1.0]
    assert summary["Recall() n"].tolist() == [2, 2, 2]
    assert summary["failed"].tolist() == [2, 2, 0]
    failed = results.failures("reads")
    assert failed["question"].tolist() == ["Where did I move?"] * 2
    assert failed["evidence"].tolist()[0] == "[t2] user: I moved on to Rome."


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([Item("x " * 50, ("t0",), "summary")], "tokens returned at a budget of 20"),
        ([Item("I moved to Oslo.", ("t9",))], "t9"),
        ([Item("I moved to Oslo.", ())], "source"),
    ],
)
def test_a_read_that_breaks_the_contract_fails(items, message):
    class Cheats(NoMemory):
        def read(self, query, budget):
            return items

    results = ml.evaluate({"cheats": Cheats()}, DATA, [Recall()], budget=20)
    assert all(message in record.error for record in results.records)


def test_deletion_stale_and_leak_are_seen():
    forget = Forget(turn_ids=("t3",), user="c", time=NOW)
    probe = Probe(id="q", text="the cat", time=NOW, user="c", forbidden=("t3",))
    data = Dataset("toy", (dialogue("c", extra=[forget, probe]),))

    class Keeps(FullHistory):
        forget = None

    metrics = [StaleHit(), Residue(), Leak()]
    results = ml.evaluate({"full": FullHistory(), "keeps": Keeps()}, data, metrics)
    assert results.values(Residue())[[1, 3]].tolist() == [0.0, 1.0]
    # Newest first: Rome (current) stands above Oslo (superseded).
    assert results.values(StaleHit())[0] == 0.0
    assert np.isnan(results.values(Leak())).all()  # nobody else spoke, so nothing could leak
    assert [f.get("forget_ignored", 0) for f in results.facts] == [0, 1]
    assert "1 requests went to 'keeps', which cannot forget" in repr(results)


def test_learning_on_read_is_replayed_per_budget():
    class Learns(NoMemory):
        touch = True
        reads = 0

        def read(self, query, budget):
            self.reads += 1
            return [Item("x", (), f"read {self.reads}")]

    results = ml.evaluate({"learns": Learns()}, DATA, [], budget=[10, 20])
    assert [(r.budget, r.items) for r in results.records] == [(10, 1), (20, 1)] * 2
    assert [r.measurable for r in results.records] == [False] * 4


def test_a_strategy_per_conversation():
    table = {"c": "Window(turns=1)", "d": "Window(turns=2)"}
    results = ml.evaluate({"tuned": table}, DATA, [Recall()])
    assert [len(r.ranked) for r in results.records] == [1, 2]
    with pytest.raises(Faults, match="no entry for conversation 'd'"):
        ml.evaluate({"tuned": {"c": "Window()"}}, DATA, [Recall()])


def test_all_faults_are_listed_before_anything_is_run():
    with pytest.raises(Faults) as caught:
        ml.evaluate(
            {"a": "Windo()", "b": Window(turns=-1), "c": object()},
            {"name": "locomo", "path": "nowhere.json"},
            ["Recal(k=5)", "Recall(k=0)"],
            budget=-1,
            tokenizer="no such",
        )
    text = str(caught.value)
    for fault in (
        "did you mean 'Window'", "at least 0", "is not a memory", "nowhere.json",
        "did you mean 'Recall'", "k=0", "budget -1", "unknown tokenizer 'no such'",
    ):  # fmt: skip
        assert fault in text, fault
    assert len(caught.value.faults) == 8


@pytest.mark.parametrize(
    ("conversations", "message"),
    [
        ((), "has no conversation"),
        ((Conversation("c", ()),), "is empty"),
        ((dialogue("c"), dialogue("c")), "conversation id 'c' occurs 2 times"),
        ((dialogue("c", extra=[Turn(id="t0", text="", time=NOW)]),), "turn id 't0' occurs 2"),
        ((dialogue("c", extra=[Tick(time=utc("2023-01-01"))]),), "events in time order"),
    ],
)
def test_broken_data_are_refused(conversations, message):
    with pytest.raises(Faults, match=message):
        ml.evaluate({"w": Window()}, Dataset("toy", conversations), [Recall()])


@pytest.mark.parametrize("jobs", [0, -1, 1.5])
def test_impossible_jobs(jobs):
    with pytest.raises(Faults, match="jobs="):
        ml.evaluate({"w": Window()}, DATA, [Recall()], jobs=jobs)


def test_a_run_folder_loads_back_into_the_same_results(tmp_path):
    results = ml.evaluate(
        {"w": Window(turns=2), "b": BM25()}, DATA, [Recall(), MRR()], out=tmp_path
    )
    again = ml.Results.load(results.path)
    assert again == results
    assert repr(again) == repr(results)
    assert again.metrics == results.metrics
    manifest = json.loads((results.path / "manifest.json").read_text())
    resolved = manifest["resolved"]["strategies"]
    assert resolved["w"] == "Window(turns=2, exchanges=None, system=False)"
    assert manifest["counts"]["w"]["Recall()"]["n"] == 2
    names = {f.name for f in results.path.iterdir()} - {".lock"}
    assert names == {
        "spec.toml", "records.jsonl", "texts.jsonl", "latency.json", "summary.csv", "manifest.json"
    }  # fmt: skip


def test_any_metric_can_be_asked_for_later(tmp_path):
    results = ml.evaluate({"w": Window(turns=2)}, DATA, [Recall()], out=tmp_path)
    later = ml.Results.load(results.path, metrics=[parse("NDCG(k=2)")])
    # The evidence stands at rank two of two: 1 / log2(3).
    assert later.summary()["NDCG(k=2)"].tolist() == pytest.approx([1 / math.log2(3)])


def test_the_hash_follows_what_can_change_a_record(tmp_path):
    def folder(name="toy", strategies=None, data=DATA, metrics=(), **settings):
        strategies = strategies or {"w": Window()}
        results = ml.evaluate(strategies, data, list(metrics), out=tmp_path, name=name, **settings)
        return results.path.name.rpartition("-")[2]

    base = folder()
    assert folder(name="other") == base
    assert folder(metrics=[MRR()]) == base
    assert folder(jobs=2) == base
    different = [
        folder(strategies={"w": Window(turns=9)}),
        folder(strategies={"v": Window()}),
        folder(data=Dataset("toy", (dialogue("c"),))),
        folder(budget=3999),
        folder(seed=1),
        folder(tokenizer="estimate"),
    ]
    assert len({base, *different}) == 7


def test_results_do_not_depend_on_jobs(tmp_path):
    strategies = {"w": Window(turns=2), "r": "Random()", "b": BM25()}
    paths = [
        ml.evaluate(strategies, DATA, [MRR()], out=tmp_path / str(jobs), jobs=jobs).path
        for jobs in (1, 2)
    ]
    first, second = ((p / "records.jsonl").read_bytes() for p in paths)
    assert first == second


def test_privileged_strategies_alone_see_the_conversation():
    seen = {}

    class Looks(NoMemory):
        def attach(self, run):
            seen["looks"] = run.conversation

    class Privileged(Looks):
        privileged = True

        def attach(self, run):
            seen["privileged"] = run.conversation

    ml.evaluate({"a": Looks(), "b": Privileged()}, Dataset("toy", (dialogue(),)), [])
    assert seen["looks"] is None
    assert seen["privileged"].id == "c"
