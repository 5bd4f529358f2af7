"""Labelled sections of a context, in English and Chinese, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memlab.protocols import TokenCounter
from memlab.text import has_cjk, normal
from memlab.types import Turn

LABELS = {
    "important": ("【重要信息】", "[Important facts]"),
    "related": ("【相关历史】", "[Relevant history]"),
    "user": ("【用户信息】", "[User information]"),
    "summary": ("【历史摘要】", "[History summary]"),
    "recent": ("【近期对话】", "[Recent dialogue]"),
    "last": ("【最近对话】", "[Recent dialogue]"),
    "current": ("【当前对话】", "[Current dialogue]"),
    "task": ("当前任务: ", "Current task: "),
    "state": ("任务状态: ", "Task state: "),
    "tools": ("最近工具调用: ", "Recent tool calls: "),
}
"""Chinese and English."""

LANGUAGES = ("auto", "zh", "en")


class Line(NamedTuple):
    """A line of a section, and its place in the layout of that section."""

    section: str
    text: str
    place: int = 0


class Rendered(NamedTuple):
    """A context as text, its tokens, and how many lines came, were repeats, or found no room."""

    text: str
    tokens: int
    lines: int
    repeated: int
    dropped: int


def label(section: str, language: str) -> str:
    """Return the label of a section.

    >>> label("important", "en"), label("important", "zh")
    ('[Important facts]', '【重要信息】')
    """
    return LABELS[section][language == "en"]


def language_of(texts: Iterable[str], language: str = "auto") -> str:
    """Return "zh" if half of the texts have Chinese in them, else "en"; or what is asked for."""
    if language != "auto":
        return language
    wide = [has_cjk(text) for text in texts]
    return "zh" if sum(wide) and 2 * sum(wide) >= len(wide) else "en"


def said(turn: Turn) -> str:
    """Return a turn as a line of dialogue."""
    return f"{turn.speaker}: {turn.text}"


def rendered(
    lines: Sequence[Line],
    layout: Sequence[str],
    budget: int,
    counter: TokenCounter,
    language: str = "auto",
) -> Rendered:
    """Return sections of lines that come in order of priority, laid out in the order `layout`.

    A line that finds no room is left out, shorter ones after it may still come; a text comes once.
    No section is empty, and a blank line stands between two. All is counted: labels, breaks.
    """
    tongue = language_of((line.text for line in lines), language)
    kept: list[Line] = []
    seen: set[str] = set()
    text, tokens, repeated, dropped = "", 0, 0, 0
    for line in lines:
        key = normal(line.text).strip() or line.text.strip()
        if not key:
            continue
        if key in seen:
            repeated += 1
            continue
        # Tokens may merge where texts meet: a few of slack, then the whole text is counted.
        hopeless = counter.count(line.text) > budget - tokens + 4
        tried = "" if hopeless else _text([*kept, line], layout, tongue)
        if tried and (size := counter.count(tried)) <= budget:
            seen.add(key)
            kept.append(line)
            text, tokens = tried, size
        else:
            dropped += 1
    return Rendered(text, tokens, len(kept), repeated, dropped)


def _text(lines: Sequence[Line], layout: Sequence[str], language: str) -> str:
    blocks = []
    for section in layout:
        own = [line for line in lines if line.section == section]
        if own:
            texts = (line.text for line in sorted(own, key=lambda line: line.place))
            blocks.append("\n".join([label(section, language), *texts]))
    return "\n\n".join(blocks)
