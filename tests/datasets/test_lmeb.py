"""The LMEB loader on small folders in the published layout, with every defect."""

import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from memlab.checks import dataset_faults
from memlab.datasets.lmeb import load
from memlab.errors import ConfigError, DataError
from memlab.evidence import audit
from memlab.types import Probe, SessionEnd, Turn


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in rows)
    path.write_text(text + "\n", encoding="utf-8")


def doc(name, text="words", title=""):
    return {"id": name, "text": text, "title": title}


def query(name, text="what?"):
    return {"id": name, "text": text}


def scene(name, *docs):
    return {"scene_id": name, "candidate_doc_ids": list(docs)}


@pytest.fixture
def locomo(tmp_path):
    """Corpus and candidates above the subsets, as `Dialogue/LoCoMo` has them."""
    root = tmp_path / "LoCoMo"
    corpus = [
        doc("conv_1_a", "I moved to Oslo.", "8 May"),
        doc("conv_1_b", "我喜欢茶。"),
        doc("conv_2_a", "A kayak."),
    ]
    lines(root / "corpus.jsonl", corpus)
    scenes = [scene("conv_1", "conv_1_b", "conv_1_a"), scene("conv_2", "conv_2_a")]
    lines(root / "candidates.jsonl", scenes)
    lines(root / "single_hop/queries.jsonl", [query("conv_1_q_0"), query("conv_2_q_0")])
    lines(root / "single_hop/qrels.tsv", ["conv_1_q_0\tconv_1_b\t1", "conv_2_q_0\tconv_2_a\t1"])
    lines(root / "adversarial/queries.jsonl", [query("conv_1_q_1")])
    lines(root / "adversarial/qrels.tsv", ["conv_1_q_1\tconv_1_a\t2", "conv_1_q_1\tconv_1_b\t0"])
    return root


def kinds(data):
    return Counter((d.kind, d.action) for d in data.defects)


def test_queries_that_share_candidates_share_a_conversation(locomo):
    data = load(locomo)
    assert dataset_faults(data) == []
    assert data.defects == ()
    assert [talk.id for talk in data] == ["conv_1", "conv_2"]
    first = data.conversations[0]
    shape = [type(e).__name__ if not isinstance(e, Turn) else e.id for e in first.events]
    # Turns in the order of the corpus, not of the candidates.
    assert shape == ["conv_1_a", "conv_1_b", "SessionEnd", "Probe", "Probe"]
    assert [p.id for p in first.probes()] == ["conv_1_q_1", "conv_1_q_0"]
    assert first.meta == {"language": "en", "scenes": ["conv_1"]}
    assert data.name == "lmeb-LoCoMo"
    assert len(data.sha256) == 64


def test_times_are_imputed_a_minute_a_turn(locomo):
    first = load(locomo).conversations[0]
    assert [t.time for t in first.turns()] == [
        datetime(2000, 1, 1, 0, 0, tzinfo=UTC),
        datetime(2000, 1, 1, 0, 1, tzinfo=UTC),
    ]
    assert all(t.imputed for t in first.turns())
    assert {p.time for p in first.probes()} == {datetime(2000, 1, 1, 0, 2, tzinfo=UTC)}
    assert {t.user for t in first.turns()} == {"conv_1"}


def test_titles_categories_and_evidence(locomo):
    first = load(locomo).conversations[0]
    assert next(first.turns()).text == "8 May I moved to Oslo."
    assert next(load(locomo, titles=False).conversations[0].turns()).text == "I moved to Oslo."
    adversarial, single = first.probes()
    assert (adversarial.category, adversarial.answerable) == ("adversarial", False)
    assert (single.category, single.answerable) == ("single_hop", True)
    assert adversarial.evidence == ("conv_1_a",)  # graded 2; the other is graded 0
    assert single.evidence == ("conv_1_b",)


def test_subsets(locomo):
    assert [len(list(t.probes())) for t in load(locomo, subsets=["single_hop"])] == [1, 1]
    with pytest.raises(ConfigError, match="did you mean 'single_hop'"):
        load(locomo, subsets=["single-hop"])


def test_own_corpora_in_every_subset_and_sessions_in_the_ids(tmp_path):
    """ConvoMem numbers its scenes from 0 in every subset, and its ids name session and turn."""
    for subset in ("user_evidence", "abstention_evidence"):
        ids = [f"scene_0_session_{s}_turn_{t}" for s, t in ((0, 0), (0, 1), (1, 0))]
        corpus = [
            doc(i, t) for i, t in zip(ids, ("User: a", "Assistant: b", "User: c"), strict=True)
        ]
        lines(tmp_path / subset / "corpus.jsonl", corpus)
        lines(tmp_path / subset / "candidates.jsonl", [scene("scene_0", *ids)])
        lines(tmp_path / subset / "queries.jsonl", [query("scene_0_q_0")])
        lines(tmp_path / subset / "qrels.tsv", [f"scene_0_q_0\t{ids[2]}\t1"])
    data = load(tmp_path)
    assert data.defects == ()
    assert [t.id for t in data] == ["abstention_evidence/scene_0", "user_evidence/scene_0"]
    events = data.conversations[1].events
    assert [e.session for e in events if isinstance(e, SessionEnd)] == ["0", "1"]
    assert [t.role for t in data.conversations[1].turns()] == ["user", "assistant", "user"]
    assert [next(t.probes()).answerable for t in data] == [False, True]


def test_beir_layout_without_candidates(tmp_path):
    lines(tmp_path / "corpus.jsonl", [{"_id": "d1", "text": "a"}, {"_id": 2, "text": "b"}])
    lines(tmp_path / "queries.jsonl", [{"_id": "q1", "text": "?", "answer": "b"}])
    lines(tmp_path / "qrels/test.tsv", ["query-id\tcorpus-id\tscore", "q1\t2\t1"])
    data = load(tmp_path, language="zh")
    (talk,) = data
    assert talk.id == tmp_path.name
    assert [t.id for t in talk.turns()] == ["d1", "2"]
    (probe,) = talk.probes()
    assert (probe.evidence, probe.answers, probe.category) == (("2",), ("b",), "")
    assert (talk.meta["language"], data.defects) == ("zh", ())


def test_candidates_by_query_as_mteb_has_them(tmp_path):
    lines(tmp_path / "corpus.jsonl", [doc("a"), doc("b"), doc("c")])
    lines(tmp_path / "queries.jsonl", [query("q1"), query("q2"), query("q3")])
    listed = [("q1", ["a", "b"]), ("q2", ["b", "a"]), ("q3", ["c"])]
    rows = [{"query-id": q, "corpus-ids": ids} for q, ids in listed]
    lines(tmp_path / "candidates.jsonl", rows)
    judged = [{"query-id": q, "corpus-id": d, "score": 1} for q, d in (("q1", "a"), ("q2", "b"))]
    lines(tmp_path / "qrels.jsonl", judged)
    data = load(tmp_path)
    assert [[p.id for p in talk.probes()] for talk in data] == [["q1", "q2"], ["q3"]]
    assert data.conversations[0].meta["scenes"] == ["q1", "q2"]
    assert kinds(data) == {("no evidence", "reported"): 1}


@pytest.fixture
def faulty(tmp_path):
    corpus = [
        doc("a"),
        doc("a", "again"),
        {"id": "no-text"},
        {"text": "no id"},
        "{broken",
        "[1]",
        doc("b", "half \ud83d"),
        doc("c"),
        doc("unused"),
    ]
    lines(tmp_path / "corpus.jsonl", [json.dumps(r) if isinstance(r, dict) else r for r in corpus])
    scenes = [
        scene("s", "a", "b", "b", "gone"),
        scene("s", "c"),
        scene("empty"),
        {"scene_id": "x"},
        scene("t", "c"),
    ]
    lines(tmp_path / "candidates.jsonl", scenes)
    queries = [query(n) for n in ("s_1", "s_1", "s_2", "empty_1", "other", "t_1")]
    lines(tmp_path / "queries.jsonl", [*queries, {"id": "s_9", "text": None}])
    judged = [
        "s_1\ta\t1",
        "s_1\ta\t1",
        "s_1\tc\t1",
        "s_1\tgone\t1",
        "s_1\tb\tmuch",
        "only two\tfields",
        "nobody\ta\t1",
        "s_2\ta\t0",
        "other\tc\t1",
        "t_1\tc\t1",
    ]
    lines(tmp_path / "qrels.tsv", judged)
    return tmp_path


def test_every_defect_is_noted(faulty):
    data = load(faulty)
    assert dataset_faults(data) == []
    assert kinds(data) == {
        ("repeated document", "dropped"): 1,
        ("document without id or text", "dropped"): 2,
        ("unreadable line", "dropped"): 1,
        ("no object", "dropped"): 1,
        ("half a surrogate pair", "repaired"): 1,
        ("candidate of no document", "dropped"): 1,
        ("repeated candidate", "repaired"): 1,
        ("repeated candidates", "dropped"): 1,
        ("candidates without id or list", "dropped"): 1,
        ("repeated query", "dropped"): 1,
        ("query without id or text", "dropped"): 1,
        ("query with no document to find", "dropped"): 1,
        ("query without candidates", "reported"): 1,
        ("repeated judgement", "dropped"): 1,
        ("unreadable judgement", "dropped"): 2,
        ("judgements of no query", "dropped"): 1,
        ("evidence outside the candidates", "dropped"): 1,
        ("evidence of no document", "dropped"): 1,
        ("no evidence", "reported"): 1,
    }
    talks = {talk.id: [p.id for p in talk.probes()] for talk in data}
    # `other` has no scene: it may return the whole corpus, in a conversation of its own.
    assert talks == {"s": ["s_1", "s_2"], faulty.name: ["other"], "t": ["t_1"]}
    assert list(data.conversations[0].turns())[1].text == "half \ufffd"
    with pytest.raises(DataError, match=r"21 defects .*\n.*repeated document at corpus.jsonl:2"):
        load(faulty, strict=True)


def test_lost_evidence_is_counted_by_role(faulty):
    probe = next(load(faulty).conversations[0].probes())
    assert probe.meta["lost_evidence"] == {"user": 1, "unknown": 1}
    line = next(line for line in audit(load(faulty)).lines if line.role == "user")
    assert (line.kept, line.lost) == (3, 1)


def test_documents_that_no_query_may_return_are_told(locomo):
    lines(locomo / "candidates.jsonl", [scene("conv_1", "conv_1_a"), scene("conv_2", "conv_2_a")])
    told = [d for d in load(locomo).defects if d.kind == "documents of no query"]
    assert [(d.where, d.found, d.action) for d in told] == [("corpus.jsonl", "1 of 3", "dropped")]


def test_one_id_in_two_subsets_of_a_conversation(locomo):
    lines(locomo / "adversarial/queries.jsonl", [query("conv_1_q_0")])
    lines(locomo / "adversarial/qrels.tsv", ["conv_1_q_0\tconv_1_a\t1"])
    data = load(locomo)
    ids = [p.id for p in data.conversations[0].probes()]
    assert ids == ["conv_1_q_0", "single_hop/conv_1_q_0"]
    assert kinds(data) == {("query id of two subsets", "repaired"): 1}


@pytest.mark.parametrize("missing", ["corpus.jsonl", "single_hop/qrels.tsv"])
def test_a_missing_file_is_named(locomo, missing):
    (locomo / missing).unlink()
    with pytest.raises(DataError, match=r"corpus|judgements"):
        load(locomo)


def test_nothing_to_read(tmp_path):
    with pytest.raises(DataError, match=r"no queries\.jsonl"):
        load(tmp_path / "absent")
    lines(tmp_path / "queries.jsonl", ["{"])
    lines(tmp_path / "corpus.jsonl", [doc("a")])
    lines(tmp_path / "qrels.tsv", ["q\ta\t1"])
    with pytest.raises(DataError, match="no query that can be used"):
        load(tmp_path)


def test_a_run_over_it(locomo):
    import memlab as ml

    data = ml.load("lmeb", path=str(locomo))
    results = ml.evaluate({"all": "FullHistory()"}, data, ["Recall()"], budget=None)
    assert results.values("Recall()")[[1, 2]].tolist() == [1.0, 1.0]
    assert len([e for e in data.conversations[0].events if isinstance(e, Probe)]) == 2
