"""The parameters that differ between the strategies of a run, as columns of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memlab.outline import Scalar, outline, plain

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import RunData

TAKEN = frozenset(
    "strategy dataset conversation probe user budget category answerable items tokens error "
    "tokens_written tokens_read read_ms_p50 read_ms_p95 encode_read_ms write_us_mean n "
    "failed duration storage content access".split()
)
"""Columns of tables that no parameter may be mistaken for."""

Outline = Mapping[str, str]
Key = tuple[str, str | None]
"""A strategy, and a conversation where it has another set of parameters on each."""


def columns(results: RunData, keys: Sequence[Key]) -> dict[str, list[Scalar]]:
    """Return, for each parameter that differs, its value for each key.

    None: the strategy has no such parameter, or (in a key without conversation) not the same
    on all conversations.
    """
    found = outlines(results)
    names = _names(results, _differing(o for own in found.values() for o in own.values()))
    values = {key: _values(found.get(key[0], {}), key[1], list(names)) for key in set(keys)}
    return {name: [values[key][path] for key in keys] for path, name in names.items()}


def table(results: RunData) -> pd.DataFrame:
    """Return the parameters that differ, one line per strategy.

    A strategy that was chosen for each conversation has a line for each.
    """
    import pandas as pd

    found = outlines(results)
    keys = [(label, talk) for label, own in found.items() for talk in own]
    named: dict[str, list[Any]] = {"strategy": [label for label, _ in keys]}
    if any(talk is not None for _, talk in keys):
        named["conversation"] = [talk for _, talk in keys]
    return pd.DataFrame({**named, **columns(results, keys)})


def outlines(results: RunData) -> dict[str, dict[str | None, Outline]]:
    """Return the outline of every strategy with its defaults; by conversation if it has several."""
    resolved = results.manifest.get("resolved", {})
    spelt = resolved.get("strategies", {})
    found: dict[str, dict[str | None, Outline]] = {}
    for label in resolved.get("order", spelt):
        by_talk = spelt[label] if isinstance(spelt[label], Mapping) else {None: spelt[label]}
        found[label] = {talk: outline(text) for talk, text in by_talk.items()}
    return found


def _differing(outlines: Iterable[Outline]) -> list[str]:
    """Return the paths whose text differs between components of one class in the same place."""
    seen: dict[tuple[str, ...], dict[str, None]] = {}
    for one in outlines:
        for path, text in one.items():
            if path:
                owners = (one[above] for above in _above(path))
                seen.setdefault((path, *owners), {})[text] = None
    return list(dict.fromkeys(path for (path, *_), texts in seen.items() if len(texts) > 1))


def _above(path: str) -> Iterator[str]:
    """Yield the paths of the components that a path leads through, outermost first."""
    steps = path.split(".")
    return (".".join(steps[:depth]) for depth in range(len(steps)))


def _names(results: RunData, paths: Iterable[str]) -> dict[str, str]:
    """Return the column of each path: its own name, with `strategy.` before one that is taken."""
    taken = TAKEN.union(*(record.dials for record in results.records))
    names = {}
    for path in paths:
        name = path
        while name in taken:
            name = f"strategy.{name}"
        names[path] = name
    return names


def _values(
    own: Mapping[str | None, Outline], talk: str | None, paths: Sequence[str]
) -> dict[str, Scalar]:
    chosen = [own[at] for at in (talk, None) if at in own][:1] or list(own.values())
    found = {}
    for path in paths:
        texts = {one.get(path) for one in chosen}
        (text,) = texts if len(texts) == 1 else (None,)
        found[path] = None if text is None else plain(text)
    return found
