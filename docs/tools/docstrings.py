"""Docstrings as Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from examples import fenced
from griffe import Docstring

NOTED = ("Formula", "Source")


class Described(NamedTuple):
    """A docstring in its parts: Markdown text, noted lines by name, meanings of parameters."""

    text: str
    noted: dict[str, str]
    parameters: dict[str, str]

    @property
    def first(self) -> str:
        """The first paragraph, in one line."""
        return " ".join(self.text.partition("\n\n")[0].split())


def described(thing: Any) -> Described:  # noqa: ANN401
    """Return the parts of a docstring of Google's form with `Formula:` and `Source:` lines.

    >>> described(lambda: None)
    Described(text='', noted={}, parameters={})
    """
    paragraphs, noted = [], {}
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(thing) or ""):
        name, colon, rest = paragraph.partition(": ")
        if colon and name in NOTED:
            noted[name] = " ".join(rest.split())
        elif paragraph.strip():
            paragraphs.append(paragraph)
    sections = Docstring("\n\n".join(paragraphs)).parse("google", warnings=False)
    parameters = {
        found.name: " ".join(found.description.split())
        for section in sections
        if section.kind.value == "parameters"
        for found in section.value
    }
    shown = (_SHOWN.get(section.kind.value, _nothing)(section.value) for section in sections)
    return Described("\n\n".join(text for text in shown if text), noted, parameters)


def _text(value: Any) -> str:  # noqa: ANN401
    return fenced(str(value))


def _examples(value: Any) -> str:  # noqa: ANN401
    return "\n\n".join(fenced(text) for _, text in value)


def _raises(value: Any) -> str:  # noqa: ANN401
    return "Raises:\n\n" + "\n".join(_raised(value))


def _raised(value: Any) -> Iterator[str]:  # noqa: ANN401
    for found in value:
        yield f"- `{found.annotation}`: {' '.join(found.description.split())}"


def _nothing(_: Any) -> str:  # noqa: ANN401
    return ""


_SHOWN: dict[str, Callable[[Any], str]] = {
    "text": _text,
    "examples": _examples,
    "raises": _raises,
}
