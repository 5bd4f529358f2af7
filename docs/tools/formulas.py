"""Formulas: LaTeX in the Markdown, MathML on the page, so that no script is needed."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"\$`([^`]+)`\$")
_MARKED = str.maketrans({"*": "&#42;", "_": "&#95;", "\\": "&#92;"})


def mathml(tex: str, *, block: bool) -> str:
    """Return a formula as MathML in one line that Markdown leaves alone.

    >>> mathml("a_1", block=False).startswith("<math ")
    True
    """
    from latex2mathml.converter import convert

    made = convert(" ".join(tex.split()), display="block" if block else "inline")
    return " ".join(made.split()).translate(_MARKED)


def with_formulas(markdown: str) -> str:
    """Replace the formulas of a page: fences named `math`, and code between dollar signs."""
    markdown = _BLOCK.sub(lambda found: f"\n{mathml(found[1], block=True)}\n", markdown)
    return _INLINE.sub(lambda found: mathml(found[1], block=False), markdown)
