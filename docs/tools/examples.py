"""An extension of griffe: examples in docstrings become fences, as Markdown wants them."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Puts every paragraph that begins with `>>>` into a fence before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:  # noqa: ANN401
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    r"""Return Markdown whose examples stand in fences.

    >>> fenced("Say it.\n\n>>> 1 + 1\n2")
    'Say it.\n\n```pycon\n>>> 1 + 1\n2\n```'
    """
    blocks = re.split(r"\n\s*\n", text)
    shown = (f"```pycon\n{b}\n```" if b.lstrip().startswith(">>>") else b for b in blocks)
    return "\n\n".join(shown)
