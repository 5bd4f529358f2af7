"""Tables of texts as plain text, Markdown, LaTeX and HTML, escaped for each."""

from __future__ import annotations

import html as escaping
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

Cells = tuple[list[str], list[list[str]]]
"""A header and rows of equally many texts."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "–": "--",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "−": r"$-$",
}
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~#])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_OPTION = ("[", "*")


def plain(cells: Cells, left: int = 1) -> str:
    """Return a table in plain text; the first `left` columns are aligned left.

    >>> print(plain((["name", "n"], [["a", "12"]])))
    name   n
    a     12
    """
    header, rows = cells
    table = [_row(row, _visible) for row in (header, *rows)]
    widths = [max(_width(row[i]) for row in table) for i in range(len(header))]

    def padded(row: Sequence[str]) -> Iterator[str]:
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - _width(cell))
            yield cell + space if i < left else space + cell

    return "\n".join("  ".join(padded(row)).rstrip() for row in table)


def markdown(cells: Cells, left: int = 1) -> str:
    r"""Return a table in Markdown.

    >>> print(markdown((["name", "n"], [["a|b", "12"]])))
    | name | n |
    | --- | ---: |
    | a\|b | 12 |
    """
    header, rows = cells
    rule = ["---" if i < left else "---:" for i in range(len(header))]
    lines = [_row(header, escape_markdown), rule, *(_row(row, escape_markdown) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex(cells: Cells, left: int = 1, caption: str = "") -> str:
    r"""Return a table in LaTeX: a `tabular` that needs the package booktabs.

    With a caption it stands in a `table`.

    >>> print(latex((["name", "n"], [["50 %", "12"]])))
    \begin{tabular}{lr}
    \toprule
    name & n \\
    \midrule
    50 \% & 12 \\
    \bottomrule
    \end{tabular}
    """
    header, rows = cells
    columns = "".join("l" if i < left else "r" for i in range(len(header)))

    def line(row: Sequence[str]) -> str:
        texts = _row(row, escape_latex)
        if texts and texts[0].startswith(_OPTION):  # else it were an option of the line above
            texts[0] = "{}" + texts[0]
        return " & ".join(texts) + r" \\"

    body = [r"\toprule", line(header), r"\midrule", *map(line, rows), r"\bottomrule"]
    table = [rf"\begin{{tabular}}{{{columns}}}", *body, r"\end{tabular}"]
    if caption:
        head = [r"\begin{table}", r"\centering", rf"\caption{{{escape_latex(caption)}}}"]
        table = [*head, *table, r"\end{table}"]
    return "\n".join(table)


def html(cells: Cells, left: int = 1) -> str:
    """Return a table in HTML, with its styles inline, as notebooks need them."""

    def line(tag: str, row: Sequence[str]) -> str:
        return "".join(
            f'<{tag} style="text-align:{"left" if i < left else "right"};padding:2px 8px">'
            f"{escaping.escape(cell)}</{tag}>"
            for i, cell in enumerate(row)
        )

    header, rows = cells
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{line('th', header)}</tr></thead><tbody>{body}</tbody></table>"


def escape_latex(text: str) -> str:
    r"""Return a text as LaTeX that prints it.

    >>> print(escape_latex("50 % of a_b"))
    50 \% of a\_b
    """
    return "".join(_LATEX.get(letter, letter) for letter in text)


def escape_markdown(text: str) -> str:
    r"""Return a text as Markdown that prints it.

    >>> print(escape_markdown("a_b"))
    a\_b
    """
    return _MARKDOWN.sub(r"\\\1", _ENTITY.sub("&amp;", text))


def _visible(text: str) -> str:
    """Return a text without control characters: a terminal would obey them."""
    return "".join("\ufffd" if unicodedata.category(one) == "Cc" else one for one in text)


def _row(row: Sequence[str], escape: Callable[[str], str]) -> list[str]:
    return [escape(" ".join(cell.split())) for cell in row]


def _width(text: str) -> int:
    """Return the columns of a terminal that a text takes: two for a Chinese character."""
    return sum(
        0
        if unicodedata.category(one) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(one) in "WF"
        else 1
        for one in text
    )
