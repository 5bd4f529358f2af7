"""Message lists: shapes, parts, tool calls, times, and every fault with its place."""

import json
from collections import Counter
from datetime import UTC, datetime

import pytest

import memlab as ml
from memlab.checks import dataset_faults
from memlab.datasets.messages import load
from memlab.errors import ConfigError, DataError, Faults
from memlab.types import SessionEnd


def say(content, role="user", **more):
    return {"role": role, "content": content, **more}


def call(name, function="weather", arguments='{"place": "Oslo"}'):
    return {
        "id": name,
        "type": "function",
        "function": {"name": function, "arguments": arguments},
    }


def turns(messages, **options):
    return list(load(messages=messages, **options).conversations[0].turns())


def kinds(data):
    return Counter((d.kind, d.action) for d in data.defects)


def test_one_list():
    data = load(
        messages=[say("Be kind.", "developer"), say("Hi.", name="Ann"), say("Yes?", "assistant")]
    )
    assert dataset_faults(data) == []
    (talk,) = data
    assert [(t.id, t.role, t.speaker, t.text, t.user) for t in talk.turns()] == [
        ("0", "system", "system", "Be kind.", "1"),
        ("1", "user", "Ann", "Hi.", "1"),
        ("2", "assistant", "assistant", "Yes?", "1"),
    ]
    assert isinstance(talk.events[-1], SessionEnd)
    assert [t.time.minute for t in talk.turns()] == [0, 1, 2]
    assert all(t.imputed for t in talk.turns())
    assert kinds(data) == {("no time", "repaired"): 1}


@pytest.mark.parametrize(
    ("messages", "ids"),
    [
        ({"x": [say("a")], "y": [say("b")]}, ["x", "y"]),
        ([[say("a")], [say("b")]], ["1", "2"]),
        ([{"messages": [say("a")], "id": "x"}, {"messages": [say("b")]}], ["x", "2"]),
        ({"messages": [say("a")], "conversation_id": 7}, ["7"]),
        ([say("a", conversation="x"), say("b", conversation="y")], ["x", "y"]),
    ],
)
def test_several_lists(messages, ids):
    data = load(messages=messages)
    assert [talk.id for talk in data] == ids
    assert [t.text for talk in data for t in talk.turns()] == ["a", "b"][: len(ids)]


def test_parts_of_a_message():
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "u"}},
        {"type": "output_text", "text": {"value": "一只猫"}},
        {"type": "refusal", "refusal": "No."},
        "plain",
    ]
    data = load(messages=[say(parts)])
    assert next(data.conversations[0].turns()).text == "Look:\n一只猫\nNo.\nplain"
    dropped = [d for d in data.defects if d.action == "dropped"]
    assert [(d.kind, d.where, d.found) for d in dropped] == [
        ("part without text", "conversation '1', message 0", "image_url")
    ]


def test_tool_calls_and_their_results():
    found = turns(
        [
            say("Weather in Oslo and Bergen?"),
            say("Let me see.", "assistant", tool_calls=[call("c1"), call("c2", arguments="{}")]),
            say("rain", "tool", tool_call_id="c2"),
            say("sun", "tool", tool_call_id="c1"),
            say(None, "assistant", tool_calls=[call("c3", "time", None)]),
            say("9:00", "tool", tool_call_id="c3"),
        ]
    )
    assert [(t.id, t.role, t.text, t.meta.get("call")) for t in found] == [
        ("0", "user", "Weather in Oslo and Bergen?", None),
        ("1", "assistant", 'Let me see.\nweather({"place": "Oslo"})', "c1"),
        ("1.1", "assistant", "weather({})", "c2"),
        ("2", "tool", "rain", "c2"),
        ("3", "tool", "sun", "c1"),
        ("4", "assistant", "time()", "c3"),
        ("5", "tool", "9:00", "c3"),
    ]


def test_functions_as_they_were_called_before_tools():
    function = {"name": "weather", "arguments": "{}"}
    asked = say(None, "assistant", function_call=function)
    answered = say("rain", "function", name="weather")
    found = turns([asked, answered, asked, answered])
    assert [(t.role, t.speaker, t.meta["call"]) for t in found] == [
        ("assistant", "assistant", "function weather"),
        ("tool", "weather", "function weather"),
        ("assistant", "assistant", "function weather#2"),
        ("tool", "weather", "function weather#2"),
    ]


def test_a_result_without_its_call_is_dropped_and_a_repeated_call_mended():
    data = load(
        messages=[
            say("late", "tool", tool_call_id="cut off"),
            say(None, "assistant", tool_calls=[call("c")]),
            say("one", "tool", tool_call_id="c"),
            say(None, "assistant", tool_calls=[call("c"), call(None), "junk"]),
            say("two", "tool", tool_call_id="c"),
        ]
    )
    assert dataset_faults(data) == []
    assert kinds(data) == {
        ("result of no call", "dropped"): 1,
        ("repeated call id", "repaired"): 1,
        ("call without an id", "repaired"): 1,
        ("call without a function", "dropped"): 1,
        ("no time", "repaired"): 1,
    }
    told = {t.id: t.meta["call"] for t in data.conversations[0].turns()}
    assert told == {"1": "c", "2": "c", "3": "c#2", "3.1": "3 call 1", "4": "c#2"}


def test_times():
    data = load(
        messages=[
            say("a", timestamp=1700000000),
            say("b", created_at=1700000060000),  # milliseconds
            say("c", time="2023-11-14T22:15:20Z"),
            say("d", time="2023-11-14T22:15:00Z"),
            say("e"),
        ]
    )
    found = list(data.conversations[0].turns())
    start = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    seconds = [(t.time - start).total_seconds() for t in found]
    assert seconds == [0, 60, 120, 120, 120]
    assert [t.imputed for t in found] == [False, False, False, True, True]
    assert kinds(data) == {("time runs backwards", "repaired"): 1, ("no time", "repaired"): 1}


def test_ids_sessions_and_probes():
    data = load(
        messages=[say("Oslo.", id="m7", session="s1"), say("Tea.", session="s2")],
        probes=[{"text": "Where?", "evidence": ["m7"], "answers": ["Oslo"]}],
    )
    (talk,) = data
    assert [(t.id, t.session) for t in talk.turns()] == [("m7", "s1"), ("1", "s2")]
    assert [e.session for e in talk.events if isinstance(e, SessionEnd)] == ["s1", "s2"]
    (probe,) = talk.probes()
    assert (probe.id, probe.evidence, probe.answers) == ("q0", ("m7",), ("Oslo",))


def test_all_faults_at_once():
    messages = [say("a"), say("b", "bot"), {"content": "c"}, say(5), "junk", say("d", time="soon")]
    with pytest.raises(Faults) as caught:
        load(messages=messages, probes=[{"text": "?", "evidence": ["9"]}])
    where = "conversation '1', message"
    starts = [
        f"{where} 1, field 'role': found \"bot\"; expected one of user, assistant, system, tool",
        f"{where} 2, field 'role': found null",
        f"{where} 3, field 'text': found 5; expected text",
        f"{where} 4, field 'role': found \"junk\"",
        f"{where} 5, field 'time': found \"soon\"; expected an ISO 8601 time",
        "probes, item 0, field 'evidence': '9' is no turn before this row",
    ]
    assert len(caught.value.faults) == len(starts)
    for found, start in zip(caught.value.faults, starts, strict=True):
        assert found.startswith(start)


@pytest.mark.parametrize("messages", [[], {}, 5, {"x": []}, {"x": "text"}, [{"messages": None}]])
def test_what_holds_no_message(messages):
    with pytest.raises((DataError, Faults)):
        load(messages=messages)


def test_files(tmp_path):
    lists = {"x": [say("我喜欢茶。")], "y": [say("b")]}
    whole = tmp_path / "talks.json"
    whole.write_text(json.dumps(lists, ensure_ascii=False), encoding="utf-8")
    data = ml.load("messages", path=str(whole))
    assert data.conversations == load(messages=lists).conversations
    assert (data.name, data.options["path"]) == ("talks", str(whole))
    assert len(data.sha256) == 64
    by_line = tmp_path / "talks.jsonl"
    rows = [{"id": talk, "messages": listed} for talk, listed in lists.items()]
    by_line.write_text("\n".join(map(json.dumps, rows)) + "\n{broken\n", encoding="utf-8")
    read = load(by_line)
    assert read.conversations == data.conversations
    assert kinds(read) == {("unreadable line", "dropped"): 1, ("no time", "repaired"): 2}
    with pytest.raises(DataError, match=r"3 defects in .*talks.jsonl"):
        load(by_line, strict=True)


def test_a_file_or_a_list():
    with pytest.raises(ConfigError, match="exactly one"):
        load()
    with pytest.raises(ConfigError, match="exactly one"):
        load("x.json", messages=[])


def test_it_writes_down_as_jsonl(tmp_path):
    from memlab.datasets import jsonl

    data = load(
        messages=[say("a", "assistant", tool_calls=[call("c")]), say("b", "tool", tool_call_id="c")]
    )
    jsonl.dump(data, tmp_path / "out.jsonl")
    assert jsonl.load(tmp_path / "out.jsonl").conversations == data.conversations
