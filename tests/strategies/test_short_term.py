"""Messages, task, state and tool results under one limit."""

from datetime import timedelta

import pytest

from memlab.errors import ConfigError, DataError
from memlab.naming import component
from memlab.protocols import Passage
from memlab.run import Run
from memlab.strategies import ShortTermMemory
from memlab.types import Query, Turn, utc

START = utc("2024-01-01T09:00")
LATER = START + timedelta(days=30)


@component
class Count:
    """Summarise by number: how many turns it was ever given."""

    def summarize(self, passages, tokens, counter):
        sources = tuple(s for p in passages for s in p.sources)
        return [Passage(f"{len(sources)} turns", sources)]


def turn(n, text, role=None, **more):
    role = role or ("assistant" if n % 2 else "user")
    time = START + timedelta(minutes=n)
    return Turn(id=f"t{n}", text=text, time=time, role=role, user="ann", **more)


def tool(n, call, result):
    """Return a call and its result, with a task being worked on."""
    meta = {"call": f"c{n}"}
    return [turn(n, call, "assistant", meta=meta), turn(n + 1, result, "tool", meta=meta)]


def told(memory, turns):
    memory.reset()
    memory.attach(Run())
    for one in turns:
        memory.write(one)
    return memory


def read(memory, budget=None):
    return memory.read(Query("?", LATER, "ann"), budget)


def texts(memory, kind):
    return [item.text for item in read(memory) if item.kind == kind]


def memory_of(**more):
    return ShortTermMemory(summarizer=Count(), **more)


def ten(n, role=None):
    """A message of ten tokens: ten words of one token each."""
    return turn(n, "one two three four five six seven eight nine ten", role)


def test_ten_words_are_ten_tokens():
    assert Run().count(ten(0).text) == 10


def test_above_the_share_all_but_the_last_four_become_a_summary():
    # 80 % of 100 are 80 tokens: eight messages of ten stay, the ninth brings 90.
    memory = told(memory_of(tokens=100), [ten(n) for n in range(8)])
    assert len(texts(memory, "turn")) == 8
    memory = told(memory_of(tokens=100), [ten(n) for n in range(9)])
    assert texts(memory, "summary") == ["5 turns"]
    assert [item.sources[0] for item in read(memory)[:4]] == ["t8", "t7", "t6", "t5"]
    assert memory.stats()["compressions"] == 1


def test_the_defaults_are_32000_tokens_and_80_percent():
    memory = ShortTermMemory()
    assert (memory.tokens, memory.share, memory.tokens * memory.share) == (32000, 0.8, 25600)
    assert (memory.keep, memory.results.keep, memory.context.shown) == (4, 10, 3)


def test_with_four_messages_nothing_changes():
    memory = told(memory_of(tokens=10), [ten(n) for n in range(4)])
    assert memory.stats() == {
        "compressions": 0,
        "turns summarised": 0,
        "writes over the limit": 4,
    }
    # What is returned keeps to the limit all the same.
    assert [item.sources for item in read(memory)] == [("t3",)]


def test_a_summary_carries_the_earlier_one_on():
    # The summary "5 turns" has 3 tokens and four messages 40; with the next four 83.
    memory = told(memory_of(tokens=100), [ten(n) for n in range(13)])
    assert texts(memory, "summary") == ["9 turns"]
    assert memory.stats()["turns summarised"] == 9


def test_pinned_messages_stay_and_come_first():
    memory = told(memory_of(tokens=100), [ten(0, "system"), *(ten(n) for n in range(1, 20))])
    assert read(memory)[0].sources == ("t0",)
    assert "t0" not in {s for item in read(memory)[1:] for s in item.sources}


def test_task_state_and_tools_count_towards_the_limit():
    # Eight messages of ten tokens fit, but not with a task of some tokens beside them.
    chat = [ten(n) for n in range(8)]
    tasked = turn(8, "", meta={"task": "book a flight to Oslo"})
    assert told(memory_of(tokens=100), [*chat, turn(8, "")]).stats()["compressions"] == 0
    assert told(memory_of(tokens=100), [*chat, tasked]).stats()["compressions"] == 1
    results = tool(8, "weather(place='Oslo')", "mild " * 20)
    assert told(memory_of(tokens=100), [*chat, *results]).stats()["compressions"] == 1


def test_task_state_and_results_are_rendered_with_the_dialogue():
    turns = [
        turn(0, "Book me a flight.", meta={"task": "book a flight", "state": {"step": 1}}),
        *tool(1, "flights(to='Oslo')", "SK 12\nat 9:00"),
        turn(3, "There is one at nine.", meta={"state": {"step": 2, "found": "SK 12"}}),
        turn(4, "Good."),
    ]
    memory = told(memory_of(), turns)
    assert [(item.text, item.sources) for item in read(memory)] == [
        ("Good.", ("t4",)),
        ("Current task: book a flight", ("t0",)),
        ("Task state: step: 2; found: SK 12", ("t3",)),
        ("Recent tool calls: flights→SK 12 at 9:00", ("t1", "t2")),
        ("There is one at nine.", ("t3",)),
        ("flights(to='Oslo')", ("t1",)),
        ("Book me a flight.", ("t0",)),
    ]


def test_labels_are_chinese_where_the_task_is():
    turns = [turn(0, "订机票", meta={"task": "预订机票", "state": {"步骤": "查询"}})]
    found = texts(told(memory_of(), turns), "state")
    assert found == ["当前任务: 预订机票", "任务状态: 步骤: 查询"]


def test_a_task_ends_and_a_key_goes():
    turns = [
        turn(0, "a", meta={"task": "book", "state": {"step": 1, "city": "Oslo"}}),
        turn(1, "b", meta={"task": None, "state": {"step": None}}),
    ]
    assert texts(told(memory_of(), turns), "state") == ["Task state: city: Oslo"]


def test_the_last_ten_results_are_kept_and_three_are_shown():
    turns = [one for n in range(0, 24, 2) for one in tool(n, f"look(n={n})", f"{n} " + "x" * 200)]
    memory = told(memory_of(), turns)
    kept = memory.tool_results("ann")
    assert [one.result.split()[0] for one in kept] == [str(n) for n in range(22, 2, -2)]
    assert kept[0].tool == "look"
    assert kept[0].time == turns[-1].time
    (line,) = texts(memory, "state")
    shown = line.removeprefix("Recent tool calls: ").split("; ")
    assert [part[:8] for part in shown] == ["look→18 ", "look→20 ", "look→22 "]
    assert all(len(part.removeprefix("look→")) == 100 for part in shown)


def test_a_deletion_is_as_if_it_had_never_been_said():
    turns = [
        turn(0, "a", meta={"task": "book", "state": {"step": 1}}),
        *tool(1, "look(n=1)", "first"),
        turn(3, "b", meta={"task": "sell", "state": {"step": 2}}),
        *tool(4, "look(n=2)", "second"),
        *(ten(n) for n in range(6, 16)),
    ]
    for gone in (["t3"], ["t4", "t5"], ["t4"], ["t6", "t15"], ["t0", "t1"]):
        memory = told(memory_of(tokens=100), turns)
        memory.forget(gone, "ann")
        never = told(memory_of(tokens=100), [one for one in turns if one.id not in gone])
        assert read(memory) == read(never)
    memory.forget(["t3"], "bob")
    assert "Current task: sell" in texts(memory, "state")


def test_a_result_whose_call_was_deleted_is_not_shown():
    memory = told(memory_of(), tool(0, "look(n=1)", "first"))
    memory.forget(["t0"], "ann")
    assert read(memory) == []
    assert memory.tool_results("ann") == []


def test_nobody_else_has_anything():
    memory = told(memory_of(), [turn(0, "a", meta={"task": "book"})])
    assert memory.read(Query("?", LATER, "bob"), None) == []
    assert memory.tool_results("bob") == []


def test_a_state_that_is_no_mapping_is_told():
    with pytest.raises(DataError, match="'open'"):
        told(memory_of(), [turn(0, "a", meta={"state": "open"})])


@pytest.mark.parametrize(
    "wrong", [{"tokens": -1}, {"share": 1.5}, {"keep": 0.5}, {"results": 3}, {"context": 3}]
)
def test_wrong_fields_are_told(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        ShortTermMemory(**wrong).reset()
