"""Which failures are shown, in which order, and how much of their dialogues."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.metrics.retrieval import Recall
from memlab.reporting.browser import browser
from memlab.reporting.dialogues import LONGEST, NEAR, Sketch, around, chosen_turns
from memlab.reporting.failed import KINDS, failed
from memlab.reporting.index import RANKS
from memlab.rundata import RunData
from memlab.types import Conversation, Dataset, Probe, Record, Turn, utc

HIT, HALF, MISS = ("e", "f"), ("e", "x"), ("x",)


def record(strategy, probe, ranked=HIT, **more):
    return Record(
        strategy=strategy,
        conversation="c",
        probe=probe,
        budget=None,
        evidence=("e", "f"),
        ranked=ranked,
        ranked_sessions=(0,) * len(ranked),
        evidence_sessions=(0,),
        candidates=9,
        **more,
    )


def data(records):
    return RunData(records, [], [], {}, [Recall()])


def shown(found, records):
    return [(records[i].strategy, records[i].probe) for i in found.shown]


def test_kinds_and_their_order():
    records = [
        record("a", "incomplete", HALF),
        record("a", "missed", MISS),
        record("a", "fine"),
        record("a", "error", (), error="E"),
        record("a", "leak", verdicts={"leak": 1.0, "residue": 0.0}),
        record("a", "residue", MISS, verdicts={"residue": 1.0}),
        record("a", "stale", ("s", "e", "f"), stale=("s",)),
        record("b", "missed", MISS),
        record("b", "unanswerable", MISS, answerable=False),
    ]
    found = failed(data(records), "Recall()", 100)
    assert [probe for _, probe in shown(found, records)] == (
        ["error", "leak", "residue", "stale", "missed", "missed", "incomplete"]
    )
    assert found.total == len(found.shown) == 7
    told = {records[i].probe: [KINDS[k] for k in found.kinds[i]] for i in found.shown}
    assert told["residue"] == ["residue: a forgotten turn", "evidence missed"]
    assert told["stale"] == ["superseded turn first"]
    assert told["error"] == ["read failed"]  # it has no verdicts


def test_all_strategies_on_a_question_stand_side_by_side():
    records = [record(s, p, MISS) for s in "ab" for p in "12"]
    found = failed(data(records), "Recall()", 100)
    assert shown(found, records) == [("a", "1"), ("b", "1"), ("a", "2"), ("b", "2")]


@given(st.lists(st.integers(0, 12), min_size=1, max_size=5), st.integers(0, 40))
def test_every_strategy_has_the_same_share_of_its_worst(sizes, most):
    records = [
        record(f"s{at}", f"p{n}", MISS if n % 2 else HALF)
        for at, size in enumerate(sizes)
        for n in range(size)
    ] + [record(f"s{at}", "fine") for at in range(len(sizes))]
    found = failed(data(records), "Recall()", most)
    assert found.total == sum(sizes)
    assert len(found.shown) == min(most, sum(sizes))
    counts = [sum(records[i].strategy == f"s{at}" for i in found.shown) for at in range(len(sizes))]
    for at, size in enumerate(sizes):
        cut = [i for i, r in enumerate(records) if r.strategy == f"s{at}" and r.probe != "fine"]
        if counts[at] < size:  # nobody has more than one read more than a strategy that was cut
            assert max(counts) <= counts[at] + 1
            left = {found.values[i] for i in cut} and [i for i in cut if i not in found.shown]
            kept = [i for i in cut if i in found.shown]
            assert not kept or max(found.values[kept]) <= min(found.values[left])


SKETCHES = st.dictionaries(
    st.sampled_from("abcd"),
    st.lists(st.integers(1, 50), min_size=1, max_size=30),
    min_size=1,
)


@given(SKETCHES, st.data(), st.integers(0, 2000))
def test_turns_that_are_needed_are_chosen_and_the_room_is_kept(sizes, drawn, room):
    sketches = {name: Sketch({}, sum(s), tuple(s), False) for name, s in sizes.items()}
    needed = {name: drawn.draw(st.sets(st.integers(0, len(s) - 1))) for name, s in sizes.items()}
    chosen = chosen_turns(sketches, needed, room)
    least = sum(sizes[n][i] for n, at in needed.items() for i in around(at, len(sizes[n])))
    if chosen is None:
        assert least > room
        return
    assert sum(sizes[n][i] for n, at in chosen.items() for i in at) <= room
    for name, at in needed.items():
        assert around(at, len(sizes[name])) <= chosen[name] <= set(range(len(sizes[name])))


def test_neighbours_stay_inside_the_dialogue():
    assert around([0, 9], 10) == {0, 1, 2, 7, 8, 9}
    assert len(around([5], 100)) == 2 * NEAR + 1


def long_run(turns=400, text="word " * 20):
    start = utc("2024-01-01")
    said = [Turn(id=f"t{i}", text=text, time=start, session=str(i // 50)) for i in range(turns)]
    probe = Probe(id="p", text="which?", time=start, evidence=("t200", "gone"), answers=("x",))
    made = Dataset("long", (Conversation("c", (*said[:300], probe, *said[300:])),))
    ranked = (*(f"t{i}" for i in range(150, 150 + RANKS + 30)), "t10")
    found = replace(
        record("a", "p", ranked),
        evidence=("t200", "gone"),
        ranked=(*(t for t in ranked if t != "t200"), "t200"),
    )
    return RunData([found], [], [], {}, [Recall()], made)


def test_a_long_dialogue_is_shown_near_what_matters():
    whole = browser(long_run(), "Recall()", 10, 10**6)
    assert [len(one["turns"]) for one in whole.dialogues] == [400]
    assert not any("in part" in note for note in whole.notes)
    part = browser(long_run(), "Recall()", 10, 30_000)
    (talk,) = part.dialogues
    assert talk["total"] == 400
    places = [turn[0] for turn in talk["turns"]]
    # Ranks 1 to 100 are t150 to t250 without t200, which is evidence: two more on each side.
    assert places == list(range(148, 253))
    assert "shown in part: 1 of 1 dialogues" in " ".join(part.notes)
    (row,) = part.index["failures"]
    assert row["total"] == 131
    assert len(row["ranks"]) == RANKS
    assert row["late"] == [[130, 200]]
    (probe,) = part.index["probes"]
    assert probe["evidence"] == [200, "gone"]  # a turn that the dialogue does not have
    assert probe["said"] == 300


def test_without_room_for_any_dialogue_there_are_no_failures_and_it_is_told():
    none = browser(long_run(), "Recall()", 10, 100)
    assert (none.shown, none.total, none.dialogues) == (0, 1, ())
    assert none.notes == ("shown: 0 of 1 failures, the worst of each strategy and budget",)


def test_a_long_turn_is_cut_and_counted():
    made = browser(long_run(turns=350, text="y" * (LONGEST + 5)), "Recall()", 10, 10**8)
    assert made.dialogues[0]["turns"][0][5:7] == ["y" * LONGEST, 5]
    assert any(note.startswith("350 turns cut after 6,000") for note in made.notes)


def test_texts_that_are_no_whole_turns_are_shown():
    results = long_run()
    key = {"strategy": "a", "conversation": "c", "probe": "p", "budget": None}
    items = [{"kind": "summary", "text": "s" * 2000, "sources": ["t1"]}] * 30
    changed = RunData(
        results.records,
        [],
        [],
        {},
        results.metrics,
        results.dataset,
        None,
        [{**key, "items": items}],
    )
    (row,) = browser(changed, "Recall()", 10, 10**6).index["failures"]
    assert row["derived"] == [["summary", "s" * 1000]] * 20


def test_texts_that_cannot_be_read_are_told(tmp_path):
    results = long_run()
    results.path = tmp_path  # a folder that was kept without its texts.jsonl
    made = browser(results, "Recall()", 10, 10**6)
    assert made.index["failures"][0]["derived"] == []
    assert made.notes[-1] == (
        "excerpts, summaries and other texts are not shown: "
        "cannot read …/texts.jsonl: it is not there"
    )


def test_values_that_do_not_exist_are_null():
    results = long_run()
    results.metrics = (*results.metrics, Recall(k=2))
    (row,) = browser(results, "Recall()", 10, 10**6).index["failures"]
    assert row["value"] == pytest.approx(0.5)
    assert row["values"] == [0.5, 0.0]
    assert not np.isnan(row["value"])
