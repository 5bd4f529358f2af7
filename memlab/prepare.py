"""Encode, before the units, what the strategies announce: once, for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memlab.encoding.embedding import Cache, Entry, encode, identity_of, routed
from memlab.errors import MemlabError, ModelError
from memlab.naming import inside, parts, spell
from memlab.progress import progress_bar
from memlab.protocols import Embedder, EmbedRole, Memory
from memlab.run import VectorKey
from memlab.spec import Spec
from memlab.types import Conversation, Probe, Query, Turn

_DOCUMENT: EmbedRole = "document"
_QUERY: EmbedRole = "query"


def embedding_parts(memory: Memory) -> list[Any]:
    """Return the parts that embed and whose embedder wants its texts before the run."""
    return [part for part, _ in _embedding(memory, ())]


def _embedding(root: object, around: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Yield those parts, each with the wrappers around it that disclose other words."""
    part: Any = root
    announces = callable(getattr(part, "texts", None)) and hasattr(part, "embedder")
    if announces and getattr(part.embedder, "precompute", True):
        yield part, around
    if callable(getattr(part, "disclosed", None)):
        around = (*around, part)
    for member in inside(root):
        yield from _embedding(member, around)


def announced(memory: Memory, conversation: Conversation) -> Iterator[tuple[Embedder, VectorKey]]:
    """Yield what a memory will embed in a conversation: (embedder, key of the vector)."""
    names: dict[int, str] = {}
    for part, around in _embedding(memory, ()):
        for event in conversation.events:
            if isinstance(event, Turn):
                texts, role = part.texts(_disclosed(event, around)), _DOCUMENT
            elif isinstance(event, Probe):
                asked = Query(event.text, event.time, event.user) if around else event
                texts, role = [_disclosed(asked, around).text], _QUERY
            else:
                continue
            for text in texts:
                embedder = routed(part.embedder, text)
                name = names.get(id(embedder)) or names.setdefault(
                    id(embedder), spell(embedder, full=True)
                )
                yield embedder, (name, role, text)


def _disclosed(said: Any, around: tuple[Any, ...]) -> Any:  # noqa: ANN401 - as it was given
    for wrapper in around:
        said = wrapper.disclosed(said)
    return said


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
        with progress_bar(f"{name.partition('(')[0]} {role}s", "text", len(texts)) as bar:
            found = _asked(
                embedder, encode, embedder, list(texts), role, cache, bar.update, shipped
            )
        known.update({(name, role, text): entry for text, entry in found.items()})
    return known


def _asked(embedder: Embedder, call: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401
    """Call into an embedder; whatever goes wrong there is a fault found before the run."""
    try:
        return call(*arguments)
    except MemlabError:
        raise
    except Exception as error:
        raise ModelError(f"{embedder!r} failed: {type(error).__name__}: {error}") from error


def _shipped(paths: Sequence[str]) -> Mapping[str, Entry]:
    from memlab.encoding.vectors import read_vectors

    return {key: entry for path in paths for key, entry in read_vectors(path).items()}


def of_unit(
    memory: Memory, conversation: Conversation, known: Mapping[VectorKey, Entry]
) -> dict[VectorKey, Entry]:
    """Return the vectors that a unit of work needs."""
    if not known:
        return {}
    return {key: known[key] for _, key in announced(memory, conversation)}


def identities(spec: Spec) -> dict[str, Any]:
    """Return the identity of every embedder, and of every scorer that is a model, by full repr."""
    used: list[Any] = [part for memory in spec.memories() for part in parts(memory)]
    embedders = {
        spell(part.embedder, full=True): dict(_asked(part.embedder, identity_of, part.embedder))
        for part in used
        if getattr(part, "embedder", None) is not None
    }
    scorers = {
        spell(part.scorer, full=True): dict(_asked(part.scorer, part.scorer.identity))
        for part in used
        if callable(getattr(getattr(part, "scorer", None), "identity", None))
    }
    return embedders | scorers
