"""The scripts' figures by our metrics: by hand on the real record, and against the definitions."""

import json
import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.checks import dataset_faults
from memlab.datasets.longmemeval import load, official
from memlab.errors import ConfigError
from memlab.judging.transcript import Transcript
from memlab.parsing import parse
from memlab.rankings import Rankings
from memlab.types import Item, Record


@pytest.fixture(scope="module")
def snippet(data):
    path = data / "longmemeval" / "longmemeval_snippet.json"
    if not path.is_file():
        pytest.skip("the LongMemEval record is not at hand")
    return path


def judged(talk, items):
    """Return the record of a read that gave `items`."""
    said = Transcript(len)
    for turn in talk.turns():
        said.add(turn)
    (probe,) = talk.probes()
    result = said.judge(probe, items, budget=None)
    names = ("ranked", "ranked_sessions", "evidence_sessions", "rejected", "candidates")
    return Record(
        strategy="s",
        conversation=talk.id,
        probe=probe.id,
        budget=None,
        evidence=probe.evidence,
        answerable=probe.answerable,
        candidate_sessions=result.candidate_sessions,
        **{name: getattr(result, name) for name in names},
    )


def scores(talk, items, level, k, **options):
    rankings = Rankings.of([judged(talk, items)])
    found = official(level, k, **options)
    return {name: float(parse(spelt)(rankings)[0]) for name, spelt in found.items()}


def pages(talk, order):
    """Return the sessions, user turns joined, in an order of file ids."""
    names = {file_id: name for name, file_id in talk.meta["sessions"].items()}
    found = []
    for file_id in order:
        own = [t for t in talk.turns() if t.session == names[file_id]]
        found.append(Item(" ".join(t.text for t in own), tuple(t.id for t in own), "page"))
    return found


def places(talk, order):
    """Return the turns of (file id, number), in an order."""
    names = {file_id: name for name, file_id in talk.meta["sessions"].items()}
    turns = {t.id: t for t in talk.turns()}
    return [Item.of(turns[f"{names[file_id]}:{n}"]) for file_id, n in order]


A, B, C = (f"answer_4be1b6b4_{n}" for n in (3, 1, 2))
"""The sessions in time order; turn 3 of A and turn 1 of C are marked, B has no marked turn."""


def test_the_real_record(snippet):
    read = load(snippet)
    (talk,) = read.conversations
    assert dataset_faults(read) == []
    turns = list(talk.turns())
    assert len(turns) == 13
    assert list(talk.meta["sessions"].values()) == [A, B, C]
    (probe,) = talk.probes()
    assert [turns[i].id for i in (2, 11)] == list(probe.evidence)
    assert len(probe.meta["answer_sessions"]) == 3
    assert probe.meta["distance"] == 1
    assert (probe.answers, probe.category) == (
        ("GPS system not functioning correctly",),
        "temporal-reasoning",
    )
    assert [(d.kind, d.action) for d in read.defects] == [
        ("sessions out of order", "repaired"),
        ("evidence session without a marked turn", "reported"),
        ("unknown file", "reported"),
    ]
    assert read.sha256 == "e9c06a5606a4cb098beda6bdc7e8ac57be8f6ddf78671d966594b01b7ef234e6"


def test_session_level_by_hand(snippet):
    (talk,) = load(snippet, roles=("user",)).conversations
    ranking = pages(talk, [B, A, C])  # B is "noans", so the relevant ones are at ranks 2 and 3
    assert scores(talk, ranking, "session", 1) == {
        "recall_any@1": 0.0,
        "recall_all@1": 0.0,
        "ndcg_any@1": 0.0,
    }
    # DCG = 1 / log2(2) = 1; ideal = 1 / 1 + 1 / log2(2) = 2.
    assert scores(talk, ranking, "session", 2) == {
        "recall_any@2": 1.0,
        "recall_all@2": 0.0,
        "ndcg_any@2": 0.5,
    }
    # DCG = 1 + 1 / log2(3) = 1.63093; ideal = 2. With log2(rank + 1) it would be
    # (0.63093 + 0.5) / 1.63093 = 0.69342.
    found = scores(talk, ranking, "session", 3)
    assert found.pop("ndcg_any@3") == pytest.approx((1 + 1 / math.log2(3)) / 2, abs=1e-12)
    assert found == {"recall_any@3": 1.0, "recall_all@3": 1.0}
    plain = parse("NDCG(k=3, unit='session')")(Rankings.of([judged(talk, ranking)]))
    assert float(plain[0]) == pytest.approx(0.69342, abs=1e-5)


RANKED = [(A, 1), (A, 3), (B, 1), (A, 5), (C, 1), (A, 7), (A, 9)]


def test_turn_level_by_hand(snippet):
    (talk,) = load(snippet, roles=("user",)).conversations
    ranking = places(talk, RANKED)  # marked: ranks 2 and 5
    assert scores(talk, ranking, "turn", 2) == {
        "recall_any@2": 1.0,
        "recall_all@2": 0.0,
        "ndcg_any@2": 0.5,  # (1 / log2(2)) / (1 + 1)
    }
    found = scores(talk, ranking, "turn", 5)
    assert found.pop("ndcg_any@5") == pytest.approx((1 + 1 / math.log2(5)) / 2, abs=1e-12)
    assert found == {"recall_any@5": 1.0, "recall_all@5": 1.0}


def test_turns_to_sessions_by_hand(snippet):
    (talk,) = load(snippet, roles=("user",)).conversations
    ranking = places(talk, RANKED)
    # Distinct names: noans A, answer A, noans B, (noans A again), answer C. So k = 3 ends at
    # rank 3, where C is not found; k = 4 goes on to rank 5.
    assert scores(talk, ranking, "turn2session", 3) == {
        "recall_any@3": 1.0,
        "recall_all@3": 0.0,
        "ndcg_any@3": 0.5,
    }
    found = scores(talk, ranking, "turn2session", 4)
    assert found.pop("ndcg_any@4") == pytest.approx((1 + 1 / math.log2(5)) / 2, abs=1e-12)
    assert found == {"recall_any@4": 1.0, "recall_all@4": 1.0}
    # Asked plainly, the third session of the list is C.
    plain = parse("RecallAll(k=3, unit='session')")(Rankings.of([judged(talk, ranking)]))
    assert float(plain[0]) == 1.0


def scripts(ids, relevant, k):
    """Compute the three figures from the ids of a ranking, as the paper's scripts define them."""
    top = ids[:k]
    gains = [1 if name in relevant else 0 for name in ids]
    best = sorted(gains, reverse=True)[:k]

    def discounted(values):
        return sum(v / max(1.0, math.log2(rank)) for rank, v in enumerate(values, 1))

    return {
        "recall_any": float(any(name in top for name in relevant)),
        "recall_all": float(all(name in top for name in relevant)),
        "ndcg_any": discounted(gains[:k]) / discounted(best) if any(best) else 0.0,
    }


def turn_names(one, order):
    """Return the scripts' names of ranked user turns: those without the answer say "noans"."""
    turns = dict(zip(one["haystack_session_ids"], one["haystack_sessions"], strict=True))

    def marked(session, n):
        return turns[session][n - 1]["has_answer"]

    return [(s if marked(s, n) else s.replace("answer", "noans")) + f"_{n}" for s, n in order]


def of_level(one, level, order, k):
    if level == "session":
        turns = dict(zip(one["haystack_session_ids"], one["haystack_sessions"], strict=True))
        found = [
            s for s in order if any(t["role"] == "user" and t.get("has_answer") for t in turns[s])
        ]
        names = [s if s in found else s.replace("answer", "noans") for s in order]
    else:
        names = turn_names(one, order)
    depth = k
    if level == "turn2session":
        names = [name.rpartition("_")[0] for name in names]
        while depth < len(names) and len(set(names[:depth])) < k:
            depth += 1
    return scripts(names, {name for name in names if "answer" in name}, depth)


@st.composite
def records(draw):
    ids = [
        f"{'answer' if draw(st.booleans()) else 'ultra'}_{n}"
        for n in range(draw(st.integers(1, 4)))
    ]
    sessions = []
    for place, name in enumerate(ids):
        turns = []
        for n in range(draw(st.integers(1, 4))):
            role = "user" if n == 0 else draw(st.sampled_from(["user", "assistant"]))
            mark = draw(st.booleans()) and name.startswith("answer")
            words = " ".join(f"{w}{place}x{n}" for w in ("alpha", "beta", "gamma"))
            turns.append({"role": role, "content": f"{words}.", "has_answer": mark})
        sessions.append(turns)
    days = draw(st.permutations(range(len(ids))))
    return {
        "question_id": "q",
        "question_type": "multi-session",
        "question": "?",
        "answer": "x",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ids,
        "haystack_dates": [f"2023/04/{day + 1:02} (Mon) 10:00" for day in days],
        "haystack_sessions": sessions,
        "answer_session_ids": [name for name in ids if "answer" in name],
    }


@settings(max_examples=150)
@given(records(), st.randoms(use_true_random=False), st.integers(1, 6))
def test_all_levels_agree_with_the_definitions(one, random, k):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.json"
        path.write_text(json.dumps([one]), encoding="utf-8")
        (talk,) = load(path, roles=("user",)).conversations
    listed = zip(one["haystack_session_ids"], one["haystack_sessions"], strict=True)
    turns = [(s, n) for s, ts in listed for n, t in enumerate(ts, 1) if t["role"] == "user"]
    for level in ("session", "turn", "turn2session"):
        order = list(one["haystack_session_ids"] if level == "session" else turns)
        random.shuffle(order)
        items = pages(talk, order) if level == "session" else places(talk, order)
        ours = scores(talk, items, level, k)
        theirs = of_level(one, level, order, k)
        (probe,) = talk.probes()
        if not probe.evidence:
            assert all(math.isnan(v) for v in ours.values())
            assert theirs == {"recall_any": 0.0, "recall_all": 1.0, "ndcg_any": 0.0}
            zeros = scores(talk, items, level, k, all_questions=True)
            assert set(zeros.values()) == {0.0}
        else:
            assert ours == pytest.approx({f"{n}@{k}": v for n, v in theirs.items()}, abs=1e-12)


def test_abstention_questions_are_left_out(snippet, tmp_path):
    one = json.loads(snippet.read_text("utf-8")) | {"question_id": "gpt4_2655b836_abs"}
    path = tmp_path / "one.json"
    path.write_text(json.dumps(one), encoding="utf-8")
    (talk,) = load(path, roles=("user",)).conversations
    for level in ("session", "turn2session"):
        values = scores(talk, places(talk, RANKED), level, 5, all_questions=True).values()
        assert all(math.isnan(v) for v in values)


def test_published_figures_fit_the_two_denominators():
    # S, the scripts' BM25: recall_all@5 .735 and ndcg_any@5 .767 over 419, .764 and .684 over 470.
    recall_all, ndcg_any = 0.735, 0.767
    assert (419 * recall_all + 51) / 470 == pytest.approx(0.764, abs=5e-4)
    assert 419 * ndcg_any / 470 == pytest.approx(0.684, abs=5e-4)


def test_names_of_metrics():
    assert official("session", 5) == {
        "recall_any@5": "RecallAny(k=5, unit='session')",
        "recall_all@5": "RecallAll(k=5, unit='session')",
        "ndcg_any@5": "NDCGAny(k=5, unit='session')",
    }
    assert official("turn2session", 10, all_questions=True)["recall_all@10"] == (
        "TurnToSession(k=10, measure='recall_all', empty='zero')"
    )
    with pytest.raises(ConfigError, match="one of session, turn, turn2session"):
        official("page")
    with pytest.raises(ConfigError, match="k=0"):
        official(k=0)
