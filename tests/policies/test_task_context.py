"""Tool results kept, and the task rendered."""

from datetime import UTC, datetime

import pytest

from memlab.errors import ConfigError
from memlab.policies import TaskContext, ToolResults
from memlab.protocols import ToolResult
from memlab.types import Turn

NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)


def turn(text, role, **meta):
    return Turn(id=text, text=text, time=NOW, role=role, meta=meta)


@pytest.mark.parametrize(
    ("call", "result", "name"),
    [
        (turn("weather(place='Oslo')", "assistant"), turn("12", "tool"), "weather"),
        (turn("Let me look (quickly)", "assistant"), turn("12", "tool"), "tool"),
        (turn("x", "assistant", tool="search"), turn("12", "tool"), "search"),
        (turn("weather()", "assistant"), turn("12", "tool", tool="sun"), "sun"),
        (None, turn("12", "tool"), "tool"),
    ],
)
def test_a_result_names_its_tool(call, result, name):
    (kept,) = ToolResults().latest([(call, result)])
    sources = ("12",) if call is None else (call.id, "12")
    assert kept == ToolResult(name, "12", NOW, sources)


def test_ten_are_kept_the_newest_first():
    pairs = [(None, turn(str(n), "tool")) for n in range(20)]
    assert [one.result for one in ToolResults().latest(pairs)] == [str(n) for n in range(10)]
    assert ToolResults(keep=0).latest(pairs) == []


def results(*texts):
    return [ToolResult("look", text, NOW, (text,)) for text in texts]


def test_three_results_are_shown_a_hundred_characters_each_the_newest_last():
    (line,) = TaskContext().lines("", {}, results("a" * 150, "b", "c", "d"))
    assert line.text == f"Recent tool calls: look→c; look→b; look→{'a' * 100}"
    assert line.sources == ("c", "b", "a" * 150)


def test_the_labels_are_in_both_languages():
    english = TaskContext(language="en").lines("订票", {"a": 1}, results("x"))
    assert [line.text for line in english] == [
        "Current task: 订票",
        "Task state: a: 1",
        "Recent tool calls: look→x",
    ]
    chinese = TaskContext(language="zh").lines("book", {"a": 1}, results("x"))
    assert [line.text for line in chinese] == [
        "当前任务: book",
        "任务状态: a: 1",
        "最近工具调用: look→x",
    ]
    assert TaskContext().lines("预订机票", {"a": 1}, [])[0].text == "当前任务: 预订机票"


def test_what_is_empty_has_no_line():
    assert TaskContext().lines(" ", {}, []) == []


def test_wrong_fields_are_told():
    with pytest.raises(ConfigError, match="language='fr'"):
        TaskContext(language="fr").lines("", {}, [])
    with pytest.raises(ConfigError, match="shown=-1"):
        TaskContext(shown=-1).lines("", {}, [])
    with pytest.raises(ConfigError, match="keep"):
        ToolResults(keep=-1).latest([])
