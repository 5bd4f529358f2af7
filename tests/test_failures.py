"""Failures and differences: questions, evidence and what came back, side by side."""

import pytest

import memlab as ml
from memlab.errors import ConfigError, Faults
from memlab.metrics import Recall, StaleHit
from memlab.results import Results
from memlab.types import Conversation, Dataset, Probe, Record, Turn, utc

METRIC = "Recall(k=1)"
START = utc("2024-01-01")


def data():
    turns = [
        Turn(id=i, text=text, time=START, user="c", speaker="Ann", session="1")
        for i, text in {"t1": "I live in Rome.", "t2": "我搬到了北京。", "t3": "Nice."}.items()
    ]
    known = {"time": START, "user": "c", "evidence": ("t2",), "answers": ("北京",)}
    probes = [Probe(id=f"p{i}", text=f"Where {i}?", **known) for i in (1, 2)]
    return Dataset("d", (Conversation("c", (*turns, *probes)),))


def record(strategy, probe, ranked, **given):
    named = {"strategy": strategy, "conversation": "c", "probe": probe, "budget": 100}
    return Record(**{**named, "evidence": ("t2",), "ranked": ranked, "candidates": 3, **given})


def run(rows, metrics=None):
    """Return a run: strategy -> probe -> ranks."""
    records = [record(s, p, ranked) for s, asked in rows.items() for p, ranked in asked.items()]
    return Results(records, [], [], {}, metrics or [Recall(k=1)], data())


OLD = {"p1": ("t1", "t3"), "p2": ("t2",)}
NEW = {"p1": ("t2",), "p2": ("t3",)}


def test_failures_show_what_was_asked_and_what_came_back():
    table = run({"old": OLD, "new": NEW}).failures(metric=METRIC)
    assert table[["strategy", "probe"]].values.tolist() == [["old", "p1"], ["new", "p2"]]
    first = table.iloc[0]
    assert first["question"] == "Where 1?"
    assert first["evidence"] == "[t2] Ann: 我搬到了北京。"
    assert first["retrieved"] == "[t1] Ann: I live in Rome.\n[t3] Ann: Nice."
    assert first["answers"] == "北京"
    assert list(run({"old": OLD, "new": NEW}).failures("new", METRIC)["probe"]) == ["p2"]
    with pytest.raises(ConfigError, match="'odl'"):
        run({"old": OLD}).failures("odl")


def test_of_less_is_better_the_high_scores_are_failures():
    stale = {"p1": ("t1",), "p2": ("t3",)}
    records = [record("a", probe, ("t1",), stale=ids) for probe, ids in stale.items()]
    made = Results(records, [], [], {}, [StaleHit()], data())
    assert list(made.failures(metric="StaleHit()")["probe"]) == ["p1"]


def test_a_failed_read_is_listed_whatever_it_scores():
    records = [record("a", "p1", (), error="ValueError: no"), record("a", "p2", ("t2",))]
    table = Results(records, [], [], {}, [Recall(k=1)], data()).failures(metric=METRIC)
    assert list(table["error"]) == ["ValueError: no"]


def test_diff_lists_losses_first_with_both_texts():
    table = run({"a": NEW}).diff(run({"a": OLD}), metric=METRIC)
    assert list(table["change"]) == ["hit→miss", "miss→hit"]
    lost = table.iloc[0]
    assert (lost["probe"], lost[f"{METRIC} before"], lost[f"{METRIC} after"]) == ("p2", 1, 0)
    assert lost["retrieved before"] == "[t2] Ann: 我搬到了北京。"
    assert lost["retrieved after"] == "[t3] Ann: Nice."


def test_diff_between_two_strategies_of_a_run():
    made = run({"old": OLD, "new": NEW})
    table = made.diff("old", "new", METRIC)
    assert list(table["against"]) == ["old", "old"]
    assert list(table["change"]) == ["hit→miss", "miss→hit"]
    assert made.diff("old", "old", METRIC).empty
    assert made.diff(made, metric=METRIC).empty
    assert made.diff("old", "new", METRIC, least=1.5).empty


def test_wrong_names_are_told():
    made = run({"old": OLD, "new": NEW})
    with pytest.raises(Faults, match=r"(?s)'nwe'.*'odl'"):
        made.diff("odl", "nwe")
    with pytest.raises(Faults, match="no strategy to compare with"):
        made.diff("old")
    with pytest.raises(Faults, match="no strategy in common"):
        made.diff(run({"other": OLD}))


def test_only_named_turns_are_held():
    made = ml.evaluate(["NoMemory()"], "quickstart", ["Recall()"], budget=50)
    assert set(made.failures()["retrieved"]) == {""}
    assert len(made.failures()) == 82


def test_what_is_not_shown_is_counted():
    turns = [
        Turn(id=f"t{i}", text=f"No. {i}", time=START, user="c", speaker="Ann", session="1")
        for i in range(8)
    ]
    probe = Probe(id="p1", text="Which?", time=START, user="c", evidence=("t7",))
    made = Results(
        [record("a", "p1", tuple(f"t{i}" for i in range(7)), evidence=("t7",), items=7)],
        *([], [], {}, [Recall(k=1)]),
        Dataset("d", (Conversation("c", (*turns, probe)),)),
    )
    lines = made.failures(metric=METRIC)["retrieved"][0].splitlines()
    assert lines[0] == "[t0] Ann: No. 0"
    assert lines[5:] == ["(and 2 more)"]


def derived(ranked, items, texts):
    """Return what is shown of one read, whose derived items are given."""
    key = {"strategy": "a", "conversation": "c", "probe": "p1", "budget": 100}
    lines = None if texts is None else [{**key, "items": texts}]
    one = record("a", "p1", ranked, items=items, evidence=("t9",))
    made = Results([one], [], [], {}, [Recall(k=1)], data(), texts=lines)
    return made.failures(metric=METRIC)["retrieved"][0].splitlines()


def test_what_is_no_turn_shows_its_own_text():
    """The turns that a summary claims did not come back, its text did."""
    summary = {"kind": "summary", "text": "Ann\nmoved.", "sources": ["t2", "t1", "t2"]}
    assert derived(("t3", "t1", "t2"), 2, [summary]) == [
        "[t3] Ann: Nice.",
        "[summary of t1, t2] Ann moved.",
    ]
    excerpt = {"kind": "excerpt", "text": "I live", "sources": ["t1"]}
    profile = {"kind": "profile", "text": "Likes Rome.", "sources": []}
    assert derived(("t1", "t3"), 3, [excerpt, profile]) == [
        "[excerpt of t1] I live",
        "[profile] Likes Rome.",
        "[t3] Ann: Nice.",
    ]


def test_texts_that_are_not_at_hand_are_counted():
    assert derived((), 2, None) == ["(2 without a turn, texts not at hand)"]
    assert derived(("t3",), 2, None) == ["[t3] Ann: Nice.", "(and 1 more)"]
    assert derived((), 0, None) == []


def test_failures_of_a_folder_without_its_texts_still_show_turns(tmp_path):
    made = ml.evaluate(["Window(turns=2)"], "quickstart", ["Recall()"], budget=50, out=tmp_path)
    (made.path / "texts.jsonl").unlink()
    loaded = Results.load(made.path)
    assert loaded.failures().equals(made.failures())
