"""Kinds of memory: how long, where, what and how, as tags of every strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memlab.errors import ConfigError, suggest

CHOICES: dict[str, tuple[str, ...]] = {
    "duration": ("none", "working", "short-term", "long-term"),
    "storage": ("none", "in-memory", "vector index", "relational", "graph", "several"),
    "content": ("none", "dialogue", "facts", "profile", "tasks", "several"),
    "access": ("none", "recency", "exact match", "semantic", "hybrid", "labels"),
}
"""What each tag may be. Duration: `working` lasts as long as a task, `short-term` until newer
turns push a turn out, `long-term` until it is deleted. Access: `labels` is for ceilings."""


class Tags(NamedTuple):
    """The kind of a memory: `taxonomy` of its class, or a property where it depends on its parts.

    >>> str(Tags("short-term", "in-memory", "dialogue", "recency"))
    'short-term, in-memory, dialogue, recency'
    """

    duration: str
    storage: str
    content: str
    access: str

    def __str__(self) -> str:
        return ", ".join(self)


def tags_of(memory: object) -> Tags | None:
    """Return the tags of a strategy; None where it has none.

    Of a class whose tags depend on its parts, they are those of its default.

    Raises:
        ConfigError: a tag that is none of the choices.
    """
    found = getattr(memory, "taxonomy", None)
    if isinstance(found, property) and isinstance(memory, type):
        found = getattr(memory(), "taxonomy", None)
    if found is None:
        return None
    if not isinstance(found, tuple) or len(found) != len(CHOICES):
        raise ConfigError(f"taxonomy {found!r}", "Tags(duration, storage, content, access)")
    made = Tags(*found)
    for name, value in made._asdict().items():
        known = CHOICES[name]
        if value not in known:
            told = f"{name} {value!r} in a taxonomy"
            raise ConfigError(told, "one of " + ", ".join(known), suggest(str(value), known))
    return made


def kinds(manifest: Mapping[str, Any]) -> dict[str, Tags]:
    """Return the tags of the strategies of a run, by label; those without are left out."""
    return {label: Tags(*tags) for label, tags in manifest.get("taxonomy", {}).items()}
