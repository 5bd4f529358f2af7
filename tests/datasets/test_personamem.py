"""The PersonaMem loader on small files in the exported form."""

import gzip
import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from memlab.checks import dataset_faults
from memlab.datasets.personamem import load
from memlab.errors import ConfigError, DataError
from memlab.types import Probe, SessionEnd, Turn

FIRST = "[SYSTEM] Name: Ann\n\n[USER] I like jazz.\n\nAnd tea.\n\n[ASSISTANT] Noted."


def document(name, content=FIRST, user="u", timestamp=None):
    return {"id": name, "content": content, "user_id": user, "timestamp": timestamp}


def query(name, gold, user="u", **meta):
    return {
        "id": name,
        "query": "User: Ann\n\nWhat now?\n\n(a) rock\n(b) jazz",
        "gold_answers": ["(b) jazz", "b"],
        "gold_ids": gold,
        "user_id": user,
        "meta": {
            "question_type": "recall",
            "topic": "music",
            "retrieval_query": "User: Ann\n\nWhat now?",
            **meta,
        },
    }


@pytest.fixture
def folder(tmp_path):
    def made(documents, queries):
        for name, values in (("documents", documents), ("queries", queries)):
            data = json.dumps(values).encode()
            (tmp_path / f"{name}.json.gz").write_bytes(gzip.compress(data, mtime=0))
        return tmp_path

    return made


def test_questions_stand_behind_the_last_session_they_may_know_of(folder):
    documents = [document(f"u_{n}") for n in range(3)]
    queries = [query("q1", ["u_0", "u_1"]), query("q0", ["u_0"]), query("q2", ["u_0", "u_1"])]
    data = load(folder(documents, queries))
    assert dataset_faults(data) == []
    assert data.defects == ()
    (talk,) = data
    shape = [e.id if isinstance(e, Turn | Probe) else f"end {e.session}" for e in talk.events]
    turns = [[f"u_{s}:{n}" for n in range(3)] for s in range(3)]
    assert shape == [
        *turns[0],
        "end u_0",
        "q0",
        *turns[1],
        "end u_1",
        "q1",
        "q2",
        *turns[2],
        "end u_2",
    ]
    # Gold that names every earlier session tells the place, not the evidence.
    assert [p.evidence for p in talk.probes()] == [(), (), ()]


def test_messages_are_cut_at_the_marks(folder):
    (talk,) = load(folder([document("u_0")], [query("q", ["u_0"])]))
    said = [(t.role, t.text, t.session, t.user) for t in talk.turns()]
    assert said == [
        ("system", "Name: Ann", "u_0", "u"),
        ("user", "I like jazz.\n\nAnd tea.", "u_0", "u"),
        ("assistant", "Noted.", "u_0", "u"),
    ]


def test_the_probe(folder):
    (talk,) = load(folder([document("u_0")], [query("q", ["u_0"])]))
    (probe,) = talk.probes()
    assert probe.text == "User: Ann\n\nWhat now?"
    assert (probe.category, probe.answers) == ("recall", ("jazz",))
    assert probe.meta["letter"] == "b"
    assert probe.meta["question"].endswith("(b) jazz")
    assert probe.meta["topic"] == "music"


def test_gold_as_evidence(folder):
    documents = [document(f"u_{n}") for n in range(3)]
    root = folder(documents, [query("all", ["u_0", "u_1"]), query("one", ["u_1"])])
    all_, one = load(root).conversations[0].probes()
    assert all_.evidence == ()
    assert one.evidence == ("u_1:0", "u_1:1", "u_1:2")  # not simply the first sessions
    all_, one = load(root, gold="evidence").conversations[0].probes()
    assert all_.evidence == ("u_0:0", "u_0:1", "u_0:2", "u_1:0", "u_1:1", "u_1:2")
    with pytest.raises(ConfigError, match="one of place, evidence"):
        load(root, gold="no")


def test_times(folder):
    stamps = ["2020-03-01T00:00:00+00:00", None, "2019-01-01T00:00:00+00:00", "2021-05-05"]
    documents = [document(f"u_{n}", timestamp=t) for n, t in enumerate(stamps)]
    data = load(folder(documents, [query("q", [])]))
    starts = [t.time for t in data.conversations[0].turns() if t.id.endswith(":0")]
    assert starts == [
        datetime(2020, 3, 1, tzinfo=UTC),
        datetime(2020, 3, 2, 0, 2, tzinfo=UTC),  # a day after the third turn, 00:02
        datetime(2020, 3, 3, 0, 4, tzinfo=UTC),  # its own would run backwards
        datetime(2021, 5, 5, tzinfo=UTC),
    ]
    assert Counter(d.kind for d in data.defects) == {"session out of order": 1, "no gold": 1}
    assert all(t.imputed for t in data.conversations[0].turns())


def test_users_are_conversations(folder):
    documents = [document("u_0"), document("v_0", user="v"), document("u_1")]
    data = load(folder(documents, [query("q", ["v_0"], user="v")]))
    assert [t.id for t in data] == ["u", "v"]
    assert [len([e for e in t.events if isinstance(e, SessionEnd)]) for t in data] == [2, 1]
    assert [len(list(t.probes())) for t in data] == [0, 1]


def test_defects(folder):
    documents = [
        document("u_0", "no marks"),
        document("u_0"),
        document("u_1", "before\n\n[USER] after"),
        document("x", user=None),
        document("y", content=None),
        "text",
        document("u_2", timestamp="0001-01-01T00:00:00+14:00"),
        document("u_3", "[USER] \udc00"),
    ]
    queries = [
        query("q", ["u_0", "gone"]),
        query("q", ["u_0"]),
        query("r", ["u_0"], user="nobody"),
        {**query("s", ["u_0"]), "query": None},
        {**query("t", ["u_0"]), "gold_answers": None, "meta": None},
    ]
    data = load(folder(documents, queries))
    assert dataset_faults(data) == []
    assert Counter((d.kind, d.action) for d in data.defects) == {
        ("text without a role", "reported"): 2,
        ("repeated document", "dropped"): 1,
        ("document without id, user or content", "dropped"): 2,
        ("no object", "dropped"): 1,
        ("unreadable timestamp", "dropped"): 1,
        ("half a surrogate pair", "repaired"): 1,
        ("gold of no document", "dropped"): 1,
        ("repeated query", "dropped"): 1,
        ("query of a user without documents", "dropped"): 1,
        ("query without id, user or text", "dropped"): 1,
        ("no answer", "reported"): 1,
    }
    first, last = data.conversations[0].probes()
    assert first.meta["lost_evidence"] == {"unknown": 1}
    assert last.text == query("t", [])["query"]  # without meta the whole query is asked
    with pytest.raises(DataError, match="13 defects"):
        load(folder(documents, queries), strict=True)


def test_unpacked_files_and_broken_ones(folder, tmp_path):
    root = folder([document("u_0")], [query("q", ["u_0"])])
    packed = load(root)
    for part in ("documents", "queries"):
        file = root / f"{part}.json.gz"
        (root / f"{part}.json").write_bytes(gzip.decompress(file.read_bytes()))
        file.unlink()
    assert load(root).conversations == packed.conversations
    (root / "documents.json").write_bytes(b"\xff")
    with pytest.raises(DataError, match="not readable JSON"):
        load(root)
    (root / "documents.json.gz").write_bytes(gzip.compress(b"[]")[:-6])
    with pytest.raises(DataError, match="cannot be read"):
        load(root)
    with pytest.raises(DataError, match="cannot be read: No such file"):
        load(tmp_path / "absent")
