"""Broken files of BEAM and MemDaily: sound data with every lost row told, or a typed error."""

import copy
import json
import re
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.checks import dataset_faults
from memlab.content import dataset_digest
from memlab.datasets import beam, memdaily
from memlab.errors import MemlabError
from memlab.evidence import audit

CHAT = [
    {
        "batch_number": n,
        "time_anchor": None,
        "turns": [
            [
                {"role": "user", "id": 4 * n, "content": "Hi ->-> 1,1", "time_anchor": day},
                {"role": "assistant", "id": 4 * n + 1, "content": "Yes."},
            ],
            [{"role": "user", "id": 4 * n + 2, "content": "Bye"}],
        ],
    }
    for n, day in enumerate(("March-15-2024", "April-05-2024"))
]
QUESTIONS = {
    "abstention": [{"question": "Why?", "ideal_response": "No.", "rubric": ["No"]}],
    "event_ordering": [{"question": "Order?", "answer": "1) 2)", "source_chat_ids": [0, [5]]}],
    "knowledge_update": [
        {
            "question": "What?",
            "answer": "x",
            "difficulty": "easy",
            "source_chat_ids": {"original_info": [0], "updated_info": [4, 6]},
        },
    ],
}
RECORDS = [
    {
        "tid": n,
        "message_list": [
            {
                "mid": m,
                "message": "我喜欢茶。",
                "time": f"2024年04月0{m + 1}日 周一 08:30",
                "place": "北京",
            }
            for m in range(3)
        ],
        "question_list": [
            {
                "qid": 0,
                "question": f"问题{n}？",
                "answer": "茶",
                "target_step_id": [0, 2],
                "choices": {"A": "茶", "B": "水"},
                "ground_truth": "A",
                "time": "2024年04月05日 周五 18:28",
            }
        ],
    }
    for n in range(3)
]
ODD = st.sampled_from(
    [
        *(None, True, -1, 0, 5, 10**400, 1e308, float("nan"), float("inf"), 2.0),
        *("", " ", "0", "x", "\ud800", "a\udfff\ud83d", "\x00", "[ERRORQ]", "->->", "->-> 1,1"),
        *("December-31-2099", "December-31-9999", "2024年13月01日 08:30", "9999年12月31日 23:59"),
        *([], [[]], [None], {}, {"x": [0]}, [0, 0, 99, "chat 1"], {"\ud800": 1}, [[[[[4]]]]]),
        *([{"id": 0}], [{"mid": 0, "message": "x"}], "茶" * 50_000),
    ]
)


WHOLE = ("unreadable record", "record without messages", "failed generation")


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
        action = draw(st.sampled_from(["put", "drop", "double"]))
        if action == "drop":
            del holder[path[-1]]
        elif action == "put":
            holder[path[-1]] = copy.deepcopy(draw(ODD))
        elif isinstance(holder, list):
            holder.insert(path[-1], copy.deepcopy(holder[path[-1]]))
        else:
            holder["copy\ud800"] = copy.deepcopy(holder[path[-1]])
    return value


def told(data):
    return Counter(d.kind for d in data.defects if d.action == "dropped")


def sound(data):
    assert dataset_faults(data) == []
    assert audit(data).dangling == 0
    assert dataset_digest(data)
    assert all(d.where.encode() and d.found.encode() is not None for d in data.defects)
    for talk in data:
        for event in talk.events:
            assert getattr(event, "text", "").encode() is not None


def beam_rows(chat):
    """Count messages, and batches that cannot be read."""
    rows = 0
    for batch in chat:
        groups = batch.get("turns") if isinstance(batch, dict) else None
        if isinstance(groups, list):
            rows += sum(len(group) if isinstance(group, list) else 1 for group in groups)
        else:
            rows += 1
    return rows


def load_beam(chat, questions, **options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "7"
        folder.mkdir()
        (folder / "chat.json").write_text(json.dumps(chat), encoding="utf-8")
        (folder / "probing_questions.json").write_text(json.dumps(questions), encoding="utf-8")
        return beam.load(folder, **options)


@settings(max_examples=300)
@given(broken(CHAT), broken(QUESTIONS), st.sampled_from(beam.UPDATES))
def test_beam(chat, questions, updates):
    try:
        data = load_beam(chat, questions, updates=updates)
    except MemlabError:
        return
    sound(data)
    lost = told(data)
    turns = sum(1 for c in data for _ in c.turns())
    assert turns + lost["unreadable message"] + lost["unreadable batch"] == beam_rows(chat)
    asked = sum(len(q) if isinstance(q, list) else 1 for q in questions.values())
    assert sum(1 for c in data for _ in c.probes()) + lost["unreadable question"] == asked


@settings(max_examples=300)
@given(broken(RECORDS))
def test_memdaily(records):
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "04_aggregative_roles.json"
        path.write_text(json.dumps(records), encoding="utf-8")
        try:
            data = memdaily.load(path)
        except MemlabError:
            return
    sound(data)
    lost, inside = told(data), Counter()
    whole = [d for d in data.defects if d.kind in WHOLE and "/" not in d.where]
    assert len(data) + len(whole) == len(records)
    for defect in whole:
        if told_sizes := re.match(r"(\d+) questions, (\d+) messages", defect.found):
            inside["questions"] += int(told_sizes[1])
            walked = defect.kind == "record without messages"
            inside["messages"] += 0 if walked else int(told_sizes[2])
    good = [r for r in records if isinstance(r, dict) and isinstance(r.get("message_list"), list)]
    turns = sum(1 for c in data for _ in c.turns())
    total = sum(len(r["message_list"]) for r in good)
    assert turns + lost["unreadable message"] + inside["messages"] == total
    asked = [r.get("question_list") for r in good]
    total = sum(len(q) if isinstance(q, list) else 1 for q in asked)
    failed = lost["failed generation"] - sum(d.kind == "failed generation" for d in whole)
    probes = sum(1 for c in data for _ in c.probes())
    assert probes + lost["unreadable question"] + failed + inside["questions"] == total


RAW = {
    "empty": b"",
    "latin": b'[{"tid": "\xe9"}]',
    "utf-16": '[{"tid": 1}]'.encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf[]",
    "torn": b'[{"tid": 0, "message_list": [',
    "huge number": b"[" + b"9" * 5000 + b"]",
    "deep": b"[" * 100_000,
    "deep but whole": b"[" * 800 + b"]" * 800,
    "text": b'"\\ud800"',
    "null": b"null",
}


@pytest.mark.parametrize("name", RAW)
def test_files_that_are_no_data(name, tmp_path):
    for file in ("01_simple_roles.json", "chat.json"):
        (tmp_path / file).write_bytes(RAW[name])
        load = memdaily.load if file.startswith("0") else beam.load
        path = tmp_path / file if load is memdaily.load else tmp_path
        with pytest.raises(MemlabError):
            load(path)
