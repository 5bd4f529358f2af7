"""Short texts with code in them, written as Markdown or LaTeX, escaped for each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memlab.cells import escape_latex, escape_markdown


class Code(str):
    """A part of a sentence that stands in fixed width: a name, a repr, a hash."""

    __slots__ = ()


Sentence = Sequence[str]
"""Plain texts and `Code`, one after the other."""
Block = tuple[str, Sequence[Sentence], Sequence[Sentence]]
"""A heading, sentences, and a list below them."""

_LONG = re.compile(r"([0-9a-f]{8})(?=[0-9a-f]{8})")


def as_markdown(blocks: Sequence[Block]) -> str:
    """Return blocks as Markdown paragraphs that begin with their heading in bold.

    >>> print(as_markdown([("Data", [["The set is ", Code("a_b"), "."]], [])]))
    **Data.** The set is `a_b`.
    """
    texts = []
    for heading, sentences, items in blocks:
        said = " ".join("".join(map(_md, sentence)) for sentence in sentences)
        listed = ["- " + "".join(map(_md, item)) for item in items]
        texts.append("\n".join([f"**{escape_markdown(heading)}.** {said}", *listed]))
    return "\n\n".join(text.replace("\n- ", "\n\n- ", 1) for text in texts)


def as_latex(blocks: Sequence[Block]) -> str:
    r"""Return blocks as LaTeX paragraphs.

    >>> print(as_latex([("Data", [["50 % of ", Code("a_b"), "."]], [])]))
    \paragraph{Data.} 50 \% of \texttt{a\_b}.
    """
    texts = []
    for heading, sentences, items in blocks:
        said = " ".join("".join(map(_tex, sentence)) for sentence in sentences)
        lines = [rf"\paragraph{{{escape_latex(heading)}.}} {said}"]
        if items:
            listed = [rf"\item {''.join(map(_tex, item))}" for item in items]
            lines += [r"\begin{itemize}", *listed, r"\end{itemize}"]
        texts.append("\n".join(lines))
    return "\n\n".join(texts)


def _md(part: str) -> str:
    text = part.replace("\n", " ").replace("\r", " ")
    if not isinstance(part, Code):
        return escape_markdown(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    edge = " " if "`" in (text[:1], text[-1:]) else ""
    return f"{fence}{edge}{text}{edge}{fence}"


def _tex(part: str) -> str:
    r"""Return a part as LaTeX; code may break after commas and brackets, hashes anywhere."""
    if not isinstance(part, Code):
        return escape_latex(part.replace("\n", " "))
    text = escape_latex(_LONG.sub("\\1\0", part.replace("\n", " ")))
    text = text.replace("'", r"\textquotesingle{}").replace("`", r"\textasciigrave{}")
    for mark in ("(", ",", "=", "/", ":"):
        text = text.replace(mark, mark + "\0")
    return rf"\texttt{{{text}}}".replace("\0", r"\allowbreak{}")
