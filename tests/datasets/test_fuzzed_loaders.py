"""Valid records with odd values put in: a sound data set or a typed error, no row lost."""

import copy
import gzip
import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.checks import dataset_faults
from memlab.content import dataset_digest
from memlab.datasets import lmeb, messages, personamem, prefeval
from memlab.errors import MemlabError

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 10**30, 1e308, float("nan"), float("inf"), "", "\ud800", "x" * 3]),
    st.text(max_size=4),
    st.recursive(st.none() | st.text(max_size=2), lambda inner: st.lists(inner, max_size=2)),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)


def places(value, path=()):
    """Yield the paths of every member of a JSON value."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        yield (*path, key)
        if isinstance(member, dict | list):
            yield from places(member, (*path, key))


@st.composite
def spoilt(draw, value):
    """Return a copy of a JSON value in which a few members were dropped, changed or doubled."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(0, 3))):
        found = list(places(value))
        if not found:
            break
        *path, key = draw(st.sampled_from(found))
        holder = value
        for step in path:
            holder = holder[step]
        what = draw(st.sampled_from(["drop", "change", "double"]))
        if what == "change" or (what == "double" and isinstance(holder, dict)):
            holder[key] = draw(ODD)
        elif what == "double":
            holder.append(copy.deepcopy(holder[key]))
        else:
            del holder[key]
    return value


def loaded(load, *arguments, **options):
    """Return the data set, checked, or None where a typed error was raised."""
    try:
        data = load(*arguments, **options)
    except MemlabError:
        return None
    assert dataset_faults(data) == []
    dataset_digest(data)
    for defect in data.defects:
        "".join(defect[:3]).encode()
    return data


def dropped(data, *kinds):
    return sum(d.action == "dropped" and d.kind in kinds for d in data.defects)


SAY = [
    {"role": "user", "content": "Weather?", "timestamp": 1700000000},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "w", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "rain"}]},
    {"role": "assistant", "content": "Rain.", "name": "Bot", "time": "2023-12-01T00:00Z"},
]


@given(spoilt([SAY, {"messages": SAY, "id": "x"}]))
def test_messages(value):
    data = loaded(messages.load, messages=value)
    if data is None:
        return
    given_ = sum(len(v if isinstance(v, list) else v["messages"]) for v in value)
    whole = sum("." not in t.id for talk in data for t in talk.turns())
    assert whole + dropped(data, "result of no call") == given_


PERSONA = {
    "documents": [
        {
            "id": f"u_{n}",
            "content": "[SYSTEM] Ann\n\n[USER] tea",
            "user_id": "u",
            "timestamp": f"2020-0{n + 1}-01",
        }
        for n in range(3)
    ],
    "queries": [
        {
            "id": f"q{n}",
            "query": "?",
            "gold_answers": ["(a) tea", "a"],
            "gold_ids": ["u_0", "u_1"],
            "user_id": "u",
            "meta": {"question_type": "t", "retrieval_query": "??"},
        }
        for n in range(2)
    ],
}


@given(spoilt(PERSONA))
def test_personamem(value):
    with tempfile.TemporaryDirectory() as folder:
        for part in ("documents", "queries"):
            raw = json.dumps(value.get(part)).encode()
            Path(folder, f"{part}.json.gz").write_bytes(gzip.compress(raw))
        data = loaded(personamem.load, folder)
    if data is None:
        return
    sessions = {t.session for talk in data for t in talk.turns()}
    gone = sum(d.action == "dropped" and d.where.startswith("documents#") for d in data.defects)
    gone -= dropped(data, "unreadable timestamp")
    assert len(sessions) + gone == len(value["documents"])
    asked = sum(1 for talk in data for _ in talk.probes())
    gone = sum(d.action == "dropped" and d.where.startswith("queries#") for d in data.defects)
    gone -= dropped(data, "gold of no document")
    assert asked + gone == len(value["queries"])


PREFERENCES = {
    "topic": [
        {"preference": f"no nuts {n}", "question": "dinner?", "explanation": "nuts"}
        for n in range(3)
    ],
    "other": [
        {
            "conversation": [
                {"role": role, "content": "hm"}
                for role in ("user", "assistant", "user", "assistant")
            ]
        }
        for _ in range(2)
    ],
}


@given(spoilt(PREFERENCES))
def test_prefeval(value):
    with tempfile.TemporaryDirectory() as folder:
        topics = Path(folder, "explicit_preference")
        topics.mkdir()
        (topics / "topic.json").write_text(json.dumps(value.get("topic")))
        Path(folder, "filtered_inter_turns.json").write_text(json.dumps(value.get("other")))
        data = loaded(prefeval.load, folder, exchanges=2)
    if data is None:
        return
    gone = dropped(data, "no preference or question") + sum(
        d.kind == "no object" and d.where.startswith("topic#") for d in data.defects
    )
    assert len(data) + gone == len(value["topic"])
    assert {sum(1 for _ in talk.turns()) for talk in data} == {5}


MEMORY = {
    "corpus": [{"id": f"s_{n}", "text": f"words {n}", "title": "t"} for n in range(3)],
    "queries": [{"id": f"s_q_{n}", "text": "?"} for n in range(2)],
    "candidates": [{"scene_id": "s", "candidate_doc_ids": ["s_0", "s_1"]}],
    "qrels": [{"query-id": f"s_q_{n}", "corpus-id": f"s_{n}", "score": 1} for n in range(2)],
}


@given(spoilt(MEMORY), st.binary(max_size=3))
@settings(max_examples=150)
def test_lmeb(value, noise):
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in value.items():
            rows = rows if isinstance(rows, list) else [rows]
            text = "".join(json.dumps(row) + "\n" for row in rows)
            Path(folder, f"{name}.jsonl").write_bytes(text.encode() + noise)
        data = loaded(lmeb.load, folder)
    if data is None or noise.strip():
        return
    rows = value["queries"] if isinstance(value["queries"], list) else [value["queries"]]
    asked = sum(1 for talk in data for _ in talk.probes())
    gone = dropped(
        data,
        "query without id or text",
        "repeated query",
        "query with no document to find",
    )
    gone += sum(d.kind == "no object" and d.where.startswith("queries") for d in data.defects)
    assert asked + gone == len(rows)
