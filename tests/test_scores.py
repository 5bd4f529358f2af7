"""Scores of rankings from elsewhere: values, intervals, tests, counts, and what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memlab as ml
from memlab.errors import ConfigError, DataError, Faults
from memlab.inference.sign_flip import sign_flip
from memlab.metrics import AP, MRR, NDCG, Precision, Recall, RecallAny, RPrecision
from memlab.scores import score
from memlab.stats import cluster_mean

RUN = {"q1": ["a", "b", "c"], "q2": ["x", "a"], "q3": ["b"]}
QRELS = {"q1": {"b": 1, "z": 0}, "q2": {"a": 1, "x": 1}, "q3": {"c": 1}}
TALKS = {"q1": "c1", "q2": "c1", "q3": "c2"}

MEASURES = {
    "map": AP(),
    "recip_rank": MRR(),
    "ndcg_cut_10": NDCG(k=10),
    "P_5": Precision(k=5),
    "Rprec": RPrecision(),
    "recall_5": Recall(k=5),
    "recall_10": Recall(k=10),
    "success_1": RecallAny(k=1),
}


@pytest.fixture(scope="module")
def random_run():
    """300 queries of 12 conversations; scores of every second run are few, so that ties abound."""
    rng = np.random.default_rng(3)
    run, gold = {}, {}
    for n in range(300):
        docs = [f"d{i}" for i in rng.permutation(60)[: rng.integers(1, 40)]]
        run[f"q{n}"] = dict(zip(docs, rng.permutation(len(docs)).tolist(), strict=True))
        wanted = rng.choice(60, rng.integers(1, 8), replace=False)
        gold[f"q{n}"] = {f"d{i}": int(rng.integers(0, 2) or i == wanted[0]) for i in wanted}
    return run, gold


def trec(run, path):
    lines = [
        f"{query} Q0 {doc} 0 {value} tag\n"
        for query, docs in run.items()
        for doc, value in docs.items()
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_equals_trec_eval(measure, random_run):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, gold = random_run
    floats = {q: {d: float(s) for d, s in docs.items()} for q, docs in run.items()}
    theirs = pytrec_eval.RelevanceEvaluator(gold, {measure}).evaluate(floats)
    metric = MEASURES[measure]
    ours = score(run, gold, metric).values("run", repr(metric))
    expected = [theirs[q][measure] for q in gold]
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9)


def test_values_means_and_intervals_by_hand():
    found = score(RUN, QRELS, ["MRR()", "Recall(k=1)"], conversations=TALKS)
    # q1: first hit at rank 2; q2: at rank 1, half of its evidence; q3: none.
    assert found.values("run", "MRR()").tolist() == [0.5, 1.0, 0.0]
    assert found.values("run", "Recall(k=1)").tolist() == [0.0, 0.5, 0.0]
    assert found.estimate("run", "MRR()") == cluster_mean([0.5, 1.0, 0.0], ["c1", "c1", "c2"])
    row = found.summary().iloc[0]
    assert (row["run"], row["metric"], row["mean"], row["clusters"]) == ("run", "MRR()", 0.5, 2)
    assert list(found.rows["conversation"]) == ["c1", "c1", "c2"]


def test_files_and_dicts_give_the_same(tmp_path, random_run):
    run, gold = random_run
    file = trec(run, tmp_path / "mine.run")
    qrels = tmp_path / "qrels.txt"
    judged = [f"{q} 0 {d} {g}\n" for q, docs in gold.items() for d, g in docs.items()]
    qrels.write_text("".join(judged), encoding="utf-8")
    as_json = tmp_path / "mine.json"
    as_json.write_text(json.dumps(run), encoding="utf-8")
    beir = tmp_path / "qrels.tsv"
    head = "query-id\tcorpus-id\tscore\n"
    beir.write_text(
        head + "".join(judged).replace(" 0 ", "\t").replace(" ", "\t"), encoding="utf-8"
    )
    expected = score(run, gold).summary().drop(columns="run")
    for given_run, given_qrels in ((file, qrels), (as_json, beir), (str(file), gold)):
        found = score(given_run, given_qrels).summary()
        assert set(found["run"]) == {"mine"}
        assert found.drop(columns="run").equals(expected)


def test_scores_decide_the_order_and_ties_stay_as_they_stand(tmp_path):
    lines = ["q Q0 c 1 0.1 t", "q Q0 b 3 0.5 t", "q Q0 a 2 0.5 t", "q Q0 d 9 9e-1 t"]
    file = tmp_path / "ties.run"
    file.write_text("\n".join(lines), encoding="utf-8")
    ranks = {d: score(file, {"q": [d]}, "MRR()").values("ties", "MRR()")[0] for d in "abcd"}
    assert ranks == {"d": 1.0, "b": 1 / 2, "a": 1 / 3, "c": 1 / 4}
    tied = {"q": {"b": 1.0, "a": 1.0}}
    assert score(tied, {"q": ["b"]}, "MRR()").values("run", "MRR()").tolist() == [1.0]


def test_missing_queries_count_and_extra_ones_do_not():
    run = {"q1": ["b"], "other": ["a"], "more": []}
    found = score(run, QRELS, ["MRR()", "ContextTokens()"], conversations=TALKS)
    assert found.values("run", "MRR()").tolist() == [1.0, 0.0, 0.0]
    assert (found.missing("run"), found.extra["run"]) == (2, 2)
    assert list(found.rows["missing"]) == [False, True, True]
    assert found.summary()["missing"].tolist() == [2, 2]
    # A query with an empty ranking is there: it scores 0 and is not missing.
    assert score({"q1": []}, {"q1": ["a"]}).missing("run") == 0


def test_queries_without_a_relevant_document_are_outside():
    found = score(RUN, {**QRELS, "q3": {"c": 0}}, "MRR()")
    assert found.estimate("run", "MRR()").n == 2
    assert found.summary()["excluded"].tolist() == [1]
    assert "Queries without a relevant document, outside the metrics: 1." in found.notes


def test_grades_count_alike_and_that_is_said():
    found = score(RUN, {"q1": {"a": 3, "b": 1}, "q2": {"a": 1}}, "NDCG()")
    assert found.values("run", "NDCG()")[0] == 1.0
    assert any("Grades above 1 count as 1" in note for note in found.notes)


def test_without_conversations_each_query_stands_alone_and_that_is_said():
    found = score(RUN, QRELS, "MRR()")
    assert found.estimate("run", "MRR()").clusters == 3
    assert "each query counts as independent" in repr(found)
    assert "independent" not in repr(score(RUN, QRELS, "MRR()", conversations=TALKS))
    by_function = score(RUN, QRELS, "MRR()", conversations=lambda query: TALKS[query])
    assert by_function.clusters == ["c1", "c1", "c2"]


def test_two_runs_are_compared_by_conversation(random_run):
    run, gold = random_run
    talks = {q: f"c{int(q[1:]) % 12}" for q in gold}
    better = {
        q: {d: value + 9 * gold[q].get(d, 0) for d, value in docs.items()}
        for q, docs in run.items()
    }
    found = score({"better": better, "plain": run}, gold, "Recall(k=5)", conversations=talks)
    (only,) = found.compared
    apart = found.values("plain", "Recall(k=5)") - found.values("better", "Recall(k=5)")
    clusters = [talks[q] for q in gold]
    assert only.test == sign_flip(apart, clusters)
    assert only.difference == cluster_mean(apart, clusters)
    row = found.comparisons().iloc[0]
    assert (row["run"], row["baseline"], row["clusters"]) == ("plain", "better", 12)
    assert row["p"] == row["smallest_p"] == 2**-11  # twelve clusters, all to one side
    assert row["high"] < 0
    other = score({"better": better, "plain": run}, gold, "Recall(k=5)", baseline="plain")
    assert other.comparisons()["difference"][0] == -row["difference"]


def test_a_run_beside_itself():
    found = score({"a": RUN, "b": RUN}, QRELS, "MRR()", conversations=TALKS)
    row = found.comparisons().iloc[0]
    assert (row["p"], row["note"], row["difference"]) == (1.0, "identical", 0.0)


def test_the_table():
    text = repr(score({"mine": RUN, "theirs": RUN}, QRELS, "MRR()", conversations=TALKS))
    assert text.splitlines()[0].split() == ["run", "MRR()", "queries", "missing", "extra"]
    assert text.splitlines()[1].startswith("mine    0.500 ")
    assert "theirs − mine" in text
    assert "two-sided sign flips, not adjusted" in text
    html = score({"<b>": RUN}, QRELS)._repr_html_()
    assert html.startswith("<table>")
    assert "&lt;b&gt;" in html


def test_whole_numbers_are_ids_if_all_are():
    run = {1: [10, 11], np.int64(2): [12]}
    found = score(run, {1: {11: 1}, 2: {12: 1}}, "MRR()", conversations={1: 5, 2: 5})
    assert found.values("run", "MRR()").tolist() == [0.5, 1.0]


@pytest.mark.parametrize(
    ("run", "qrels", "talks", "told"),
    [
        ({1: ["a"]}, {"1": ["a"]}, None, r"queries .*qrels: text; run: whole number"),
        ({"q": [1]}, {"q": ["1"]}, None, r"documents .*qrels: text; run: whole number"),
        ({"q": ["a", 1]}, {"q": ["a"]}, None, r"documents .*run: text, whole number"),
        ({"q": ["a"]}, {"q": ["a"]}, {1: "c"}, r"queries .*conversations: whole number"),
        ({"q": [None]}, {"q": ["a"]}, None, r"documents .*run: NoneType"),
        ({True: ["a"]}, {True: ["a"]}, None, r"queries .*bool"),
    ],
)
def test_ids_of_mixed_types_are_refused(run, qrels, talks, told):
    with pytest.raises(ConfigError, match=told):
        score(run, qrels, conversations=talks)


@pytest.mark.parametrize(
    ("run", "qrels", "told"),
    [
        ({"q": {"a": float("nan")}}, {"q": ["a"]}, "expected finite scores"),
        ({"q": ["a", "a"]}, {"q": ["a"]}, "ranked twice"),
        ({"q": "abc", "r": ["a"]}, {"q": ["a"]}, "expected a list, or scores"),
        ({"q": ["a"]}, {"q": {"a": "much"}}, "expected grades by document"),
        ({"q": ["a"]}, {"q": 5}, "expected grades by document"),
        ({"q": ["a"]}, {"q": [[]]}, "expected grades by document"),
    ],
)
def test_faults_of_dicts(run, qrels, told):
    with pytest.raises(Faults, match=told):
        score(run, qrels)


def test_faults_of_files_are_told_with_their_lines(tmp_path):
    file = tmp_path / "bad.run"
    file.write_text("q Q0 a 1 0.5 t\nq a 0.5\nq Q0 b 2 high t\n" + "x\n" * 30, encoding="utf-8")
    with pytest.raises(Faults, match=r"(?s)line 2: found 'q a 0.5'.*line 3.*and 12 more"):
        score(file, QRELS)
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 a 1\nq1 0 a 0\nq1 0 b\n", encoding="utf-8")
    with pytest.raises(Faults, match=r"(?s)qrels.txt:2: repeated.*qrels.txt:3: unreadable"):
        score(RUN, qrels)
    with pytest.raises(DataError, match="cannot be read"):
        score(tmp_path / "absent.run", QRELS)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"baseline": "nobody"}, "unknown baseline 'nobody'"),
        ({"conversations": {"q1": "c"}}, "2 queries of the qrels have no conversation"),
        ({"conversations": 5}, "conversations=5"),
        ({"metrics": "Recall(unit='session')"}, "needs sessions"),
        ({"metrics": "Recal()"}, "did you mean"),
    ],
)
def test_what_cannot_work_is_refused(options, told):
    with pytest.raises(ConfigError, match=told):
        score(RUN, QRELS, **options)


def test_other_calls_that_cannot_work(tmp_path):
    with pytest.raises(DataError, match="hold no query"):
        score(RUN, {})
    with pytest.raises(ConfigError, match="qrels is 5"):
        score(RUN, 5)
    with pytest.raises(ConfigError, match="run is 5"):
        score(5, QRELS)
    with pytest.raises(ConfigError, match="files of different names"):
        score([tmp_path / "a" / "x.run", tmp_path / "b" / "x.run"], QRELS)
    with pytest.raises(ConfigError, match="no values of run, Recall"):
        score(RUN, QRELS, "MRR()").values("run", "Recall()")


def test_a_run_of_memlab_scores_as_it_did(tmp_path):
    sample = ml.load("quickstart")
    results = ml.evaluate(
        {"last": "Window(turns=10)", "bm25": "BM25()"}, sample, ["MRR()"], budget=200
    )
    results.to_trec(tmp_path)
    found = ml.score(
        sorted(tmp_path.glob("*.run")),
        tmp_path / "qrels.txt",
        "MRR()",
        conversations=lambda query: query.split("/")[0],
        baseline="last",
    )
    for label in ("last", "bm25"):
        row = results.summary().set_index("strategy").loc[label]
        told = found.estimate(label, "MRR()")
        # The qrels hold the probes with evidence, which is the denominator of both.
        assert told.mean == pytest.approx(row["MRR()"], abs=1e-12)
        assert told.low == pytest.approx(row["MRR() low"], abs=1e-12)
        assert told.n == row["MRR() n"]
    assert found.comparisons()["difference"][0] > 0


@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.lists(st.sampled_from("uvwxyz"), unique=True), min_size=1
    ),
    st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("uvwxyz")), min_size=1),
)
def test_counts_add_up_and_values_stay_in_bounds(run, qrels):
    found = score(run, qrels, ["Recall()", "MRR()"])
    assert found.missing("run") == len(set(qrels) - set(run))
    assert found.extra["run"] == len(set(run) - set(qrels))
    values = found.values("run", "Recall()")
    assert len(values) == len(qrels)
    assert np.isnan(values).tolist() == [not docs for docs in qrels.values()]
    known = values[~np.isnan(values)]
    assert ((known >= 0) & (known <= 1)).all()
