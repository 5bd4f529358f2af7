"""Answers and judgements that come back: scores by hand, and every way in which rows go wrong."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from memlab.errors import ConfigError, DataError, Faults
from memlab.metrics import Answered, Judged, Recall
from memlab.results import Results
from memlab.types import Conversation, Dataset, Probe, Record, Turn

KEY = {"strategy": "a", "conversation": "c0", "probe": "p0", "budget": 100}


def data(conversations=2):
    talks = []
    for c in range(conversations):
        turn = Turn(id="t", text="Oslo, 奥斯陆", time="2024-05-01")
        asked = [
            Probe(
                id="p0",
                text="Where?",
                time="2024-05-02",
                evidence=["t"],
                answers=["Oslo", "奥斯陆"],
            ),
            Probe(id="p1", text="When?", time="2024-05-02", evidence=["t"]),
            Probe(id="p2", text="Why?", time="2024-05-02", answerable=False),
        ]
        talks.append(Conversation(f"c{c}", (turn, *asked)))
    return Dataset("toy", tuple(talks))


def run(budgets=(100,), failed=()):
    records = [
        Record(
            strategy=strategy,
            conversation=f"c{c}",
            probe=f"p{p}",
            budget=budget,
            answerable=p != 2,
            evidence=("t",) if p != 2 else (),
            ranked=("t",) if strategy == "b" else (),
            items=int(strategy == "b"),
            error="boom" if (strategy, c, p) in failed else None,
        )
        for strategy in "ab"
        for c in range(2)
        for p in range(3)
        for budget in budgets
    ]
    manifest = {"name": "toy", "hash8": "00000000"}
    return Results(records, [], [], manifest, [Recall()], data())


def rows(column, *values, **key):
    """Return rows for strategy a, conversation c0, probe p0, then p1, ..."""
    return [KEY | {"probe": f"p{p}"} | key | {column: v} for p, v in enumerate(values)]


def test_scores_by_hand():
    made = run().add_answers(
        [*rows("answer", "in Oslo", "may", "none"), *rows("answer", "奥斯", conversation="c1")]
    )
    # c0/p0 "in Oslo" against Oslo: 2 * 1 / (2 + 1); c1/p0 奥斯 against 奥斯陆: 2 * 2 / (2 + 3)
    f1, exact = made.values(Answered()), made.values("Answered(measure='exact')")
    assert f1[0] == pytest.approx(2 / 3)
    assert f1[3] == pytest.approx(4 / 5)
    assert exact[[0, 3]].tolist() == [0, 0]
    assert made.values("Answered(measure='contains')")[[0, 3]].tolist() == [1, 0]
    rest = np.delete(f1, [0, 3])  # no accepted answer, unanswerable, or not answered
    assert np.isnan(rest).all()
    assert made.manifest["answers"] == {
        "": {
            "scored": 2,
            "missing": 2,  # strategy b, p0 in both conversations
            "failed reads": 0,
            "without accepted answers": 4,
            "unanswerable": 4,
        }
    }


def test_they_are_metrics_wherever_a_metric_is_asked_for():
    budgets = (50, 100)
    answered = [
        KEY | {"strategy": s, "conversation": c, "budget": b, "answer": "Oslo" if s == "b" else "?"}
        for s in "ab"
        for c in ("c0", "c1")
        for b in budgets
    ]
    before = run(budgets)
    made = before.add_answers(answered, "exact")
    assert [repr(m) for m in made.metrics] == ["Recall()", "Answered(measure='exact')"]
    assert [repr(m) for m in before.metrics] == ["Recall()"]  # the run itself stays as it was
    assert before.records[0].verdicts == {}
    assert made.rows["Answered(measure='exact')"].notna().sum() == 8
    counted = made.counts()["b @100"]["Answered(measure='exact')"]
    assert (counted["n"], counted["excluded"], counted["unanswerable"]) == (2, 2, 2)
    by = made.by("category")
    assert by["Answered(measure='exact') n"].tolist() == [2, 2, 2, 2]
    table = made.compare("a", metrics=["Answered(measure='exact')"]).table
    assert table["difference"].tolist() == [1.0, 1.0]
    assert table["wins"].tolist() == [2, 2]


def test_a_failed_read_scores_0_whatever_was_answered_for_it():
    failing = run(failed=[("a", 0, 0), ("b", 0, 0)])
    made = failing.add_answers(rows("answer", "Oslo"))
    assert made.values(Answered())[[0, 6]].tolist() == [0.0, 0.0]
    assert made.manifest["answers"][""]["failed reads"] == 2
    assert made.manifest["answers"][""]["scored"] == 0


def test_two_readers_stand_side_by_side_and_keep_their_names():
    made = run().add_answers(rows("answer", "Oslo"), "f1", reader="small")
    made = made.add_answers(rows("answer", "Bergen"), "f1", reader="large")
    assert made.values("Answered(reader='small')")[0] == 1.0
    assert made.values("Answered(reader='large')")[0] == 0.0
    with pytest.raises(ConfigError, match="answers of reader 'small' already"):
        made.add_answers(rows("answer", "x"), reader="small")
    with pytest.raises(ConfigError, match=r"no answers of reader 'smal'; did you mean 'small'"):
        made.values("Answered(reader='smal')")


def test_a_run_without_answers_says_so():
    with pytest.raises(ConfigError, match="no answers of reader ''; add_answers"):
        run().values(Answered())
    with pytest.raises(ConfigError, match="no verdicts of judge 'judged'"):
        run().values(Judged())
    judged = run().add_judgements(rows("judgement", 1))
    with pytest.raises(ConfigError, match="no audit of judge 'judged'"):
        judged.values(Judged(corrected=True))
    with pytest.raises(ConfigError, match="measure='bleu'"):
        judged.values(Answered(measure="bleu"))


@pytest.fixture(params=["list", "frame", "jsonl", "csv"])
def given(request, tmp_path):
    """Return a function that brings rows into one of the accepted forms."""

    def make(listed):
        frame = pd.DataFrame(listed)
        path = tmp_path / f"rows.{request.param}"
        if request.param == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n\n" for row in listed), "utf-8")
        elif request.param == "csv":
            frame.to_csv(path, index=False)
        return {"list": listed, "frame": frame}.get(request.param, path)

    return make


def test_every_form_of_rows_gives_the_same(given):
    listed = [
        *rows("answer", "Oslo", note="x" * 200_000),
        *rows("answer", "NA", budget=None),  # an answer, not a missing one
        *rows("answer", "", conversation="c1"),
    ]
    made = run((100, None)).add_answers(given(listed), "exact")
    assert made.values("Answered(measure='exact')")[[0, 1, 6]].tolist() == [1, 0, 0]
    assert made.manifest["answers"][""]["scored"] == 3


def test_a_null_is_no_answer(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(KEY | {"answer": None}) + "\n")
    assert run().add_answers(path).manifest["answers"][""]["missing"] == 4
    frame = pd.DataFrame([KEY | {"answer": math.nan}])
    assert run().add_answers(frame).manifest["answers"][""]["missing"] == 4


def test_the_budget_may_lack_where_there_is_one_and_ids_may_be_numbers():
    listed = [{k: v for k, v in row.items() if k != "budget"} for row in rows("answer", "Oslo")]
    assert run().add_answers(listed).values(Answered())[0] == 1.0
    with pytest.raises(Faults, match="no column 'budget'"):
        run((50, 100)).add_answers(listed)
    numbered = [Record(strategy="a", conversation="26", probe="0", budget=100)]
    talk = Conversation("26", (Probe(id="0", text="?", time="2024-05-02", answers=["Oslo"]),))
    made = Results(numbered, [], [], {"name": "n", "hash8": "0"}, [], Dataset("d", (talk,)))
    frame = pd.DataFrame([KEY | {"conversation": 26, "probe": 0, "budget": 100.0, "answer": 7}])
    assert made.add_answers(frame).values(Answered()).tolist() == [0.0]


def test_all_faults_of_the_rows_are_told_at_once():
    listed = [
        *rows("answer", "fine"),
        *rows("answer", "again"),
        *rows("answer", "x", strategy="c"),
        *rows("answer", "x", budget="many"),
        *rows("answer", "x", run="other-12345678"),
        *rows("answer", ["a list"], conversation="c1"),
        *rows("answer", "x", probe=None),
        "no row",
    ]
    with pytest.raises(Faults, match="2 fault") as told:
        run().add_answers([*listed[:2], "no row", {**KEY}])
    assert "row 2: found 'no row'; expected a dict" in told.value.faults[0]
    assert "row 3: no column 'answer'" in told.value.faults[1]
    with pytest.raises(Faults, match=r"6 fault\(s\) in the answers") as told:
        run().add_answers(listed[:-1])
    for fault, message in zip(
        told.value.faults,
        (
            "row 1: the same record as row 0",
            "row 2: the run has no record {'strategy': 'c'",
            "row 3: budget is 'many'; expected a whole number",
            "row 4: of run 'other-12345678'; expected 'toy-00000000'",
            "row 5: found ['a list']; expected text",
            "row 6: probe is None; expected text",
        ),
        strict=True,
    ):
        assert fault.startswith(message)


def test_a_long_list_of_faults_is_cut_and_counted():
    with pytest.raises(Faults, match="30 fault") as told:
        run().add_answers(rows("answer", *["x"] * 30, strategy="zz"))
    assert told.value.faults[-1] == "… and 10 more"


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("a.jsonl", '{"answer": ', Faults, "line 1: broken JSON"),
        ("a.jsonl", "[1]", Faults, r"line 1: found \[1\]; expected an object"),
        ("a.jsonl", "", Faults, "there are no rows"),
        ("a.csv", "", Faults, "not a table"),
        ("a.csv", "x,y\n1,2,3\n4,5,6,7\n", Faults, "not a table"),
        ("a.txt", "hello", ConfigError, "of another kind"),
    ],
)
def test_files_that_are_no_answers(tmp_path, name, text, error, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(error, match=message):
        run().add_answers(path)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        run().add_answers(tmp_path / "gone.jsonl")
    (tmp_path / "a.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="not UTF-8"):
        run().add_answers(tmp_path / "a.jsonl")
    with pytest.raises(ConfigError, match="rows of type int"):
        run().add_answers(7)


@pytest.mark.parametrize("name", ["", "a/b", "a\n", 3])
def test_names_of_judges(name):
    with pytest.raises(ConfigError, match="printable text without a slash"):
        run().add_judgements(rows("judgement", 1), name=name)


@pytest.mark.parametrize(
    ("cell", "value"),
    [(1, 1.0), (0.25, 0.25), (True, 1.0), ("false", 0.0), ("0.5", 0.5), (np.float32(1), 1.0)],
)
def test_verdicts(cell, value):
    assert run().add_judgements(rows("judgement", cell)).values(Judged())[0] == value


@pytest.mark.parametrize("cell", [1.1, -0.1, "good", [1], b"1", math.inf])
def test_verdicts_that_are_none(cell):
    with pytest.raises(Faults, match="expected a number from 0 to 1, true or false"):
        run().add_judgements(rows("judgement", cell))


def test_judgements_count_what_is_missing_and_leave_out_the_unanswerable():
    made = run(failed=[("b", 1, 0)]).add_judgements(rows("judgement", 1, "", 1))
    assert made.manifest["judgements"]["judged"] == {
        "judged": 2,
        "audited": 0,
        "missing": 9,  # of 12 records: two judged, one failed
        "failed reads": 1,
    }
    values = made.values(Judged())
    assert values[0] == 1.0
    assert np.isnan(values[[1, 2]]).all()  # an empty cell, and an unanswerable probe
    assert values[9] == 0.0  # b, c1, p0: the read failed
    assert made.values(Judged(answerable_only=False))[2] == 1.0


def test_an_audit_must_look_at_what_was_judged():
    judgements = rows("judgement", 1, 0)
    with pytest.raises(Faults, match="probe 'p2' of 'c0', budget 100: audited, not judged"):
        run().add_judgements(judgements, audit=rows("judgement", 1, 1, 1))
    with pytest.raises(ConfigError, match="the audit holds no verdict"):
        run().add_judgements(judgements, audit=rows("judgement", ""))
