"""The tables of a report in Markdown and in LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from memlab.cells import escape_latex, escape_markdown, latex, markdown
from memlab.reporting.content import Content
from memlab.reporting.grid import Grid
from memlab.reporting.shown import visible

MARK = "memlab report"
"""Stands at the head of every report: only such a file is written over."""


def as_markdown(content: Content) -> str:
    """Return a report in Markdown: tables, notes, definitions."""
    return "\n".join(_markdown(content))


def _markdown(content: Content) -> Iterator[str]:
    yield f"<!-- {MARK} -->\n# {_line(content.title)}\n\n{_line(content.headline)}\n"
    for grid in (*content.tables, *content.details):
        yield f"## {_line(grid.title)}\n"
        yield markdown(grid.cells, left=grid.left) + "\n"
        yield from (f"- {_line(note)}" for note in grid.notes)
        yield ""
    for title, lines in (("Notes", content.notes), ("Left out", content.left_out)):
        if lines:
            yield f"## {title}\n"
            yield from (f"- {_line(line)}" for line in lines)
            yield ""
    yield "## Run\n"
    yield from (f"- {escape_markdown(name)}: {_line(value)}" for name, value in content.facts)
    yield ""


def _line(text: str) -> str:
    return escape_markdown(" ".join(visible(text, None).split()))


def as_latex(content: Content) -> str:
    r"""Return the tables of a report in LaTeX, for `\input`; their package is booktabs."""
    return "\n".join(_latex(content))


def _latex(content: Content) -> Iterator[str]:
    yield f"% {MARK}: {' '.join(visible(content.title).split())}"
    yield f"% {' '.join(visible(content.headline).split())}"
    yield "% Needs booktabs; Chinese names need XeLaTeX or LuaLaTeX with a font that has them.\n"
    for grid in (*content.tables, *content.details):
        yield latex(grid.cells, left=grid.left, caption=_caption(content, grid)) + "\n"
    if content.notes:
        yield r"\begin{itemize}"
        yield from (rf"\item {_latex_line(note)}" for note in content.notes)
        yield "\\end{itemize}\n"


def _caption(content: Content, grid: Grid) -> str:
    told = ". ".join((f"{grid.title}, {content.title}", content.headline, *grid.notes))
    return " ".join(visible(told, None).split())


def _latex_line(text: str) -> str:
    return escape_latex(" ".join(visible(text, None).split()))
