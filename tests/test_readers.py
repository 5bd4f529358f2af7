"""From contexts to conclusions on real dialogues: a reader that looks, a judge that errs."""

import json

import numpy as np
import pytest

import memlab as ml
from memlab.answertext import contains

EXACT = "Answered(measure='exact')"


@pytest.fixture(scope="module")
def run():
    return ml.evaluate(
        {"last 10": "Window(turns=10)", "bm25": "BM25()", "none": "NoMemory()"},
        "quickstart",
        ["Recall()", "AnswerInContext()"],
        budget=200,
    )


def read(line):
    """Answer with the first accepted string that the context holds: a reader without faults."""
    row = json.loads(line)
    held = (a for a in row["answers"] if contains(row["context"] or "", a))
    row["answer"] = next(held, "I do not know. 我不知道。")
    return json.dumps(row, ensure_ascii=False)


@pytest.fixture(scope="module")
def answered(run, tmp_path_factory):
    path = run.to_contexts(tmp_path_factory.mktemp("out") / "contexts.jsonl")
    answers = path.with_name("answers.jsonl")
    answers.write_text("\n".join(map(read, path.read_text("utf-8").splitlines())), "utf-8")
    return run.add_answers(answers)


def test_a_reader_that_looks_is_right_where_the_answer_is_in_the_context(answered):
    """AnswerInContext leaves out three probes whose evidence does not hold the string."""
    held, right = answered.values("AnswerInContext()"), answered.values(EXACT)
    both = ~np.isnan(held) & ~np.isnan(right)
    assert both.sum() == 3 * 79
    assert np.mean(held[both] == right[both]) > 0.98  # in Chinese, words are cut elsewhere
    counts = answered.manifest["answers"][""]
    assert counts["scored"] == 3 * 82
    assert counts["unanswerable"] == 3 * 17
    assert counts["missing"] == 0


def test_then_recall_predicts_its_answers(answered):
    table = answered.predicts(EXACT).set_index(["level", "strategy", "statistic"])
    assert table.loc[("probes", "bm25", "AUC"), "low"] > 0.5
    assert table.loc[("questions", "", "all minus none, same question"), "low"] > 0.5
    assert table.loc[("strategies", "", "Kendall's tau"), "value"] == 1.0
    assert table.loc[("probes", "none", "AUC"), "note"] == "all outcomes are equal"


def test_an_audit_of_a_quarter_corrects_a_judge_that_calls_a_third_of_the_wrong_right(answered):
    rng, truth = np.random.default_rng(4), answered.values(EXACT)
    drawn = rng.random(len(truth))
    judged = np.where(truth == 1, drawn < 0.95, drawn < 0.35).astype(float)
    rows = answered.to_contexts()[["strategy", "conversation", "probe", "budget"]]
    known = ~np.isnan(truth)
    audit = known & (rng.random(len(truth)) < 0.25)
    made = answered.add_judgements(
        rows.assign(judgement=judged)[known], audit=rows.assign(judgement=truth)[audit]
    )
    table = made.judged().set_index("strategy")
    for (label, _), at in made.groups.items():
        true, line = np.nanmean(truth[at]), table.loc[label]
        assert line["low"] <= true <= line["high"], label
        assert line["n"] == 82
    assert table.loc["none", "raw"] > 0.2  # it knows nothing
    assert table.loc["none", "corrected"] == 0.0
    metric = "Judged(corrected=True)"
    (contrast,) = made.compare("last 10", metrics=[metric], strategies=["bm25"]).entries
    found = contrast.contrast.found
    by_label = {label: at for (label, _), at in made.groups.items()}
    true = np.nanmean(truth[by_label["bm25"]]) - np.nanmean(truth[by_label["last 10"]])
    assert found.low <= true <= found.high
