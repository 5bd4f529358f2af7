"""Encoding through a cache: canonical batches, costs kept with every vector."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memlab.errors import DataError
from memlab.naming import digest
from memlab.protocols import Embedder, EmbedRole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32


class Entry(NamedTuple):
    """A vector with what it cost: encode time, tokens read, and whether the text was cut."""

    vector: NDArray[np.float32]
    nanoseconds: int
    tokens: int
    truncated: bool


class Cache(Protocol):
    """Keeps entries by key."""

    def get(self, keys: Sequence[str]) -> dict[str, Entry]:
        """Return the entries that are known."""
        ...

    def put(self, entries: Mapping[str, Entry]) -> None:
        """Store entries."""


def cache_key(embedder: Embedder, text: str, role: EmbedRole) -> str:
    """Return the key of a vector: a hash of all that can change it; the text only as a hash."""
    import hashlib

    return digest(dict(embedder.identity()), role, hashlib.sha256(text.encode()).hexdigest())


def encode(
    embedder: Embedder,
    texts: Sequence[str],
    role: EmbedRole,
    cache: Cache | None = None,
    progress: Callable[[int], object] = lambda done: None,
) -> dict[str, Entry]:
    """Encode distinct texts, documents in batches of like length and queries one at a time.

    Queries are timed one at a time because that is how a memory meets them.

    Raises:
        DataError: the embedder returned NaN or the wrong shape.
    """
    wanted = sorted(set(texts), key=lambda t: (len(t), t))
    keys = {text: cache_key(embedder, text, role) for text in wanted} if cache else {}
    cached = cache.get(list(keys.values())) if cache else {}
    known = {text: cached[key] for text, key in keys.items() if key in cached}
    progress(len(known))
    missing = [text for text in wanted if text not in known]
    size = 1 if role == "query" else BATCH
    for start in range(0, len(missing), size):
        fresh = _batch(embedder, missing[start : start + size], role)
        known.update(fresh)
        if cache:
            cache.put({keys[text]: entry for text, entry in fresh.items()})
        progress(len(fresh))
    return known


def _batch(embedder: Embedder, texts: Sequence[str], role: EmbedRole) -> dict[str, Entry]:
    import numpy as np

    begin = time.perf_counter_ns()
    vectors, tokens, truncated = embedder.encode(texts, role)
    share = (time.perf_counter_ns() - begin) // len(texts)
    vectors = np.asarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
        raise DataError(
            f"{embedder!r} returned vectors of shape {vectors.shape} for {len(texts)} texts"
            + ("" if np.isfinite(vectors).all() else ", with NaN or infinity in them"),
            "one finite row per text",
            "check the model or the vectors given",
        )
    return {
        text: Entry(vectors[i], share, int(tokens[i]), bool(truncated[i]))
        for i, text in enumerate(texts)
    }
