"""Broken LongMemEval and REALTALK files: sound data with every lost row told, or a typed error."""

import copy
import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.checks import dataset_faults
from memlab.content import dataset_digest
from memlab.datasets import jsonl, longmemeval, realtalk
from memlab.errors import MemlabError
from memlab.evidence import audit

RECORDS = [
    {
        "question_id": f"q{n}" + "_abs" * (n == 2),
        "question_type": "multi-session",
        "question": f"How many? {n}",
        "answer": 3,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/19 (Fri) 02:21"],
        "haystack_session_ids": ["answer_a_1", "ultrachat_9"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "A fern.", "has_answer": True},
                {"role": "assistant", "content": "Nice.", "has_answer": False},
            ],
            [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}],
        ],
        "answer_session_ids": ["answer_a_1"],
    }
    for n in range(3)
]
CHAT = {
    "name": {"speaker_1": "Ada", "speaker_2": "Bo"},
    **{
        f"session_{n}": [
            {
                "clean_text": f"Hello {m}",
                "speaker": "Ada" if m % 2 else "Bo",
                "date_time": f"0{n}.01.2024, 10:0{m}:00",
                "dia_id": f"D{n}:{m}",
                "img_file": [],
                "blip_caption": "a dog",
            }
            for m in (1, 2, 4)
        ]
        for n in (1, 2)
    },
    "session_1_date_time": "01.01.2024, 10:01:00",
    "session_2_date_time": "02.01.2024, 10:01:00",
    "events_session_1": {"Ada": ["x", ""], "Bo": []},
    "qa": [
        {"question": "Ada?", "answer": "x", "evidence": ["D1:1-D1:4"], "category": 1},
        {"question": "Bo?", "answer": 7, "evidence": ["D2:1. D2:3"], "category": 2},
    ],
}
ODD = st.sampled_from(
    [
        *(None, True, False, -1, 0, 1, 10**400, 1e308, float("nan"), float("inf"), 2.0),
        *("", " ", "0", "x", "\ud800", "a\udfff\ud83d", "\x00", "answer", "D1:1", "D1:1-D9:9"),
        *("9999/12/31 (Fri) 23:59", "0001/01/01 (Mon) 00:00", "2023/02/30 (Thu) 10:00"),
        *("31.12.9999, 23:59:59", "01.01.0001, 00:00:00", "01.01.2024, 10:61:00", "D٣:٤"),
        *([], [[]], [None], {}, {"x": [0]}, ["D1:1", 3, ["D1:2"]], {"\ud800": 1}, [[[[[4]]]]]),
        *([{"role": "user", "content": "x", "has_answer": 1}], [{"dia_id": "D1:999999999"}]),
        *({"clean_text": "y"}, {"clean_text": "z", "dia_id": "D1:999999999"}, "茶" * 50_000),
    ]
)


def places(value, path=()):
    """Yield the paths of all members, at every depth."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members if isinstance(value, dict | list) else ():
        yield (*path, key)
        yield from places(member, (*path, key)) if isinstance(member, dict | list) else ()


@st.composite
def broken(draw, valid):
    value = copy.deepcopy(valid)
    for _ in range(draw(st.integers(1, 4))):
        paths = list(places(value))
        if not paths:
            break
        path = draw(st.sampled_from(paths))
        holder = value
        for key in path[:-1]:
            holder = holder[key]
        action = draw(st.sampled_from(["put", "put", "drop", "double"]))
        if action == "drop":
            del holder[path[-1]]
        elif action == "put":
            holder[path[-1]] = copy.deepcopy(draw(ODD))
        elif isinstance(holder, list):
            holder.insert(path[-1], copy.deepcopy(holder[path[-1]]))
        else:
            holder["session_7"] = copy.deepcopy(holder[path[-1]])
    return value


def sound(data, folder):
    """Check that nothing in the data can spoil a run, and return what was dropped, by kind."""
    assert dataset_faults(data) == []
    assert audit(data).dangling == 0
    assert dataset_digest(data)
    assert all(d.where.encode() and d.found.encode() is not None for d in data.defects)
    jsonl.dump(data, folder / "out.jsonl")
    assert jsonl.load(folder / "out.jsonl").conversations == data.conversations
    return Counter(d.kind for d in data.defects if d.action == "dropped")


@settings(max_examples=300)
@given(broken(RECORDS), st.sampled_from([("user",), ("user", "assistant")]))
def test_longmemeval(records, roles):
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "records.json"
        path.write_text(json.dumps(records), encoding="utf-8")
        try:
            data = longmemeval.load(path, roles=roles)
        except MemlabError:
            return
        lost = sound(data, path.parent)
        assert dataset_digest(longmemeval.load(path, roles=roles, lazy=True)) == dataset_digest(
            data
        )
    records = records if isinstance(records, list) else [records]
    assert len(data) + lost["unreadable record"] == len(records)
    gone = {d.where for d in data.defects if d.kind == "unreadable record"}
    used = [r for n, r in enumerate(records) if f"record {n}" not in gone]
    listed = [session for r in used for session in r["haystack_sessions"]]
    odd = sum(not isinstance(session, list) or not session for session in listed)
    assert lost["unreadable session"] + lost["empty session"] == odd
    said = [raw for session in listed if isinstance(session, list) for raw in session]
    skipped = sum(whole(t) and t["role"] not in roles for t in said)
    assert sum(1 for c in data for _ in c.turns()) + lost["unreadable turn"] + skipped == len(said)


def whole(turn):
    """Tell whether a turn can be read, so that only its role can leave it out."""
    if not isinstance(turn, dict) or not isinstance(turn.get("content"), str):
        return False
    return turn.get("role") in ("user", "assistant")


@settings(max_examples=300)
@given(broken(CHAT), st.sampled_from(["text", "caption", "text+caption"]))
def test_realtalk(chat, images):
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "Chat_1.json"
        path.write_text(json.dumps(chat), encoding="utf-8")
        try:
            data = realtalk.load(path, images=images)
        except MemlabError:
            return
        lost = sound(data, path.parent)
    listed = [chat[k] for k in chat if k.startswith("session_") and k[8:].isdigit()]
    said = sum(len(turns) for turns in listed if isinstance(turns, list))
    assert sum(1 for c in data for _ in c.turns()) + lost["turn without text"] == said
    odd = sum(not isinstance(turns, list) and turns is not None for turns in listed)
    assert lost["unreadable session"] == odd
    asked = chat.get("qa")
    if isinstance(asked, list):
        probes = sum(1 for c in data for _ in c.probes())
        assert probes + lost["question without text"] == len(asked)
    else:
        assert "no questions" in {d.kind for d in data.defects}


RAW = {
    "empty": b"",
    "latin": b'[{"question_id": "\xe9"}]',
    "utf-16": '[{"question_id": 1}]'.encode("utf-16"),
    "torn": b'[{"question_id": "q", "haystack_sessions": [',
    "huge number": b"[" + b"9" * 5000 + b"]",
    "deep": b"[" * 100_000,
    "deep but whole": b"[" * 800 + b"]" * 800,
    "text": b'"\\ud800"',
    "null": b"null",
}


@pytest.mark.parametrize("name", RAW)
def test_files_that_are_no_data(name, tmp_path):
    path = tmp_path / "Chat_1.json"
    path.write_bytes(RAW[name])
    for load in (longmemeval.load, realtalk.load):
        with pytest.raises(MemlabError):
            load(path)
