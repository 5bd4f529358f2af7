"""Encode, before the units, what the strategies announce: once, for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memlab.embedding import Cache, Entry, encode
from memlab.naming import parts, spell
from memlab.protocols import Embedder, EmbedRole, Memory
from memlab.run import VectorKey
from memlab.spec import Spec
from memlab.types import Conversation, Probe, Turn


def embedding_parts(memory: Memory) -> list[Any]:
    """Return the parts that embed and whose embedder wants its texts before the run."""
    return [
        part
        for part in parts(memory)
        if hasattr(part, "embedder")
        and callable(getattr(part, "texts", None))
        and getattr(part.embedder, "precompute", True)
    ]


def announced(memory: Memory, conversation: Conversation) -> Iterator[tuple[Embedder, VectorKey]]:
    """Yield what a memory will embed in a conversation: (embedder, key of the vector)."""
    for part in embedding_parts(memory):
        name = spell(part.embedder, full=True)
        for event in conversation.events:
            if isinstance(event, Turn):
                for text in part.texts(event):
                    yield part.embedder, (name, "document", text)
            elif isinstance(event, Probe):
                yield part.embedder, (name, "query", event.text)


def encode_announced(spec: Spec, cache: Cache | None) -> dict[VectorKey, Entry]:
    """Encode all announced texts, deduplicated, through vectors shipped with the data and cache.

    Raises:
        MissingExtra: a model is needed and not installed.
        DataError: a vector is not finite.
    """
    wanted: dict[tuple[str, EmbedRole], tuple[Embedder, dict[str, None]]] = {}
    for conversation in spec.dataset:
        for label in spec.strategies:
            for embedder, (name, role, text) in announced(
                spec.memory(label, conversation.id), conversation
            ):
                wanted.setdefault((name, role), (embedder, {}))[1][text] = None
    known: dict[VectorKey, Entry] = {}
    shipped = _shipped(spec.dataset.vectors) if wanted else {}
    for (name, role), (embedder, texts) in wanted.items():
        with _bar(f"{name.partition('(')[0]} {role}s", len(texts)) as bar:
            found = encode(embedder, list(texts), role, cache, bar.update, shipped=shipped)
        known.update({(name, role, text): entry for text, entry in found.items()})
    return known


def _shipped(path: str | None) -> Mapping[str, Entry]:
    from memlab.vectors import read_vectors

    return read_vectors(path) if path else {}


def _bar(title: str, total: int) -> Any:  # noqa: ANN401 - tqdm
    from tqdm import tqdm

    return tqdm(total=total, desc=title, unit="text", disable=None, leave=False)


def of_unit(
    memory: Memory, conversation: Conversation, known: Mapping[VectorKey, Entry]
) -> dict[VectorKey, Entry]:
    """Return the vectors that a unit of work needs."""
    if not known:
        return {}
    return {key: known[key] for _, key in announced(memory, conversation)}


def identities(spec: Spec) -> dict[str, Any]:
    """Return the identity of every embedder, by its full repr."""
    return {
        spell(part.embedder, full=True): dict(part.embedder.identity())
        for memory in spec.memories()
        for part in parts(memory)
        if hasattr(part, "embedder")
    }
