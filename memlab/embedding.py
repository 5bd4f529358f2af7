"""Encoding through shipped vectors and a cache: costs kept with every vector.

The vector of a text never depends on the texts it was encoded with: embedders give each text
its own pass (see `memlab.encoding`), so a cached, a shipped and a fresh vector are the same.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memlab.digests import digest
from memlab.errors import DataError, TruncationWarning
from memlab.protocols import Embedder, EmbedRole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32
"""Documents handed to an embedder, and to the cache, at once."""


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


class Prepares(Protocol):
    """Ability of an embedder: loads what it needs before its work is timed."""

    def prepare(self) -> None:
        """Load the model, or open the connection; called again at no cost."""


def cache_key(embedder: Embedder, text: str, role: EmbedRole) -> str:
    """Return the key of a vector: a hash of all that can change it; the text only as a hash.

    The prompt of the other role cannot change the vector and is left out.
    """
    return cache_keys(embedder, [text], role)[0]


def cache_keys(embedder: Embedder, texts: Sequence[str], role: EmbedRole) -> list[str]:
    """Return the keys of several texts; see `cache_key`."""
    other = "document_prompt" if role == "query" else "query_prompt"
    identity = {k: v for k, v in embedder.identity().items() if k != other}
    hashes = (hashlib.sha256(t.encode("utf-8", "surrogatepass")).hexdigest() for t in texts)
    return [digest(identity, role, text_hash) for text_hash in hashes]


def encode(
    embedder: Embedder,
    texts: Sequence[str],
    role: EmbedRole,
    cache: Cache | None = None,
    progress: Callable[[int], object] | None = None,
    shipped: Mapping[str, Entry] | None = None,
) -> dict[str, Entry]:
    """Encode distinct texts: shipped vectors first, then the cache, then the model.

    Queries are timed one at a time because that is how a memory meets them. A document's time
    is its own where the embedder tells it, as if written online; else its share of a batch of
    documents of like length. Loading a model is not timed.

    Args:
        embedder: the model; not even loaded when every vector is known.
        texts: what to encode; repeated texts are encoded once.
        role: `query` or `document`.
        cache: looked up before the model and filled after it.
        progress: called with the number of texts that have just become known.
        shipped: entries by cache key, as `memlab.vectors.read_vectors` returns them.

    Raises:
        DataError: the embedder returned NaN or the wrong shape.

    Warns:
        TruncationWarning: once, with the number of texts longer than the model reads.
    """
    wanted = sorted(set(texts), key=lambda t: (len(t), t))
    keys: dict[str, str] = {}
    if cache is not None or shipped:
        keys = dict(zip(wanted, cache_keys(embedder, wanted, role), strict=True))
    known = _lookup(keys, shipped or {}, cache)
    tell = progress or _silent
    tell(len(known))
    missing = [text for text in wanted if text not in known]
    prepare = getattr(embedder, "prepare", None)
    if missing and callable(prepare):
        prepare()
    size = 1 if role == "query" else BATCH
    for start in range(0, len(missing), size):
        fresh = _batch(embedder, missing[start : start + size], role)
        known.update(fresh)
        if cache is not None:
            cache.put({keys[text]: entry for text, entry in fresh.items()})
        tell(len(fresh))
    _warn_truncated(embedder, known)
    return known


def _silent(_done: int) -> None:
    pass


def _lookup(
    keys: Mapping[str, str], shipped: Mapping[str, Entry], cache: Cache | None
) -> dict[str, Entry]:
    """Return what is known by text; `keys` maps texts to their cache keys."""
    known = {text: shipped[key] for text, key in keys.items() if key in shipped}
    if cache is not None:
        left = {text: key for text, key in keys.items() if text not in known}
        found = cache.get(list(left.values()))
        known.update({text: found[key] for text, key in left.items() if key in found})
    return known


def _warn_truncated(embedder: Embedder, entries: Mapping[str, Entry]) -> None:
    cut = sum(entry.truncated for entry in entries.values())
    if cut:
        warnings.warn(
            f"{cut} of {len(entries)} texts are longer than {embedder!r} reads; "
            "what is beyond its limit was ignored",
            TruncationWarning,
            stacklevel=3,
        )


def _batch(embedder: Embedder, texts: Sequence[str], role: EmbedRole) -> dict[str, Entry]:
    clean = [_encodable(text) for text in texts]
    begin = time.perf_counter_ns()
    vectors, tokens, truncated, *alone = embedder.encode(clean, role)
    share = (time.perf_counter_ns() - begin) // len(texts)
    nanoseconds = alone[0] if alone and alone[0] else [share] * len(texts)
    vectors = _checked(embedder, vectors, len(texts))
    return {
        text: Entry(vectors[i], int(nanoseconds[i]), int(tokens[i]), bool(truncated[i]))
        for i, text in enumerate(texts)
    }


def _encodable(text: str) -> str:
    """Replace lone surrogates, which JSON can carry and no tokenizer reads, by `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _checked(embedder: Embedder, vectors: object, rows: int) -> NDArray[np.float32]:
    import numpy as np

    try:
        array = np.asarray(vectors, dtype=np.float32)
    except (ValueError, TypeError):
        array = np.empty(0, dtype=np.float32)
    if array.ndim == 2 and len(array) == rows and np.isfinite(array).all():
        return array
    raise DataError(
        f"{embedder!r} returned vectors of shape {array.shape} for {rows} texts"
        + ("" if np.isfinite(array).all() else ", with NaN or infinity in them"),
        "one finite row per text, all of one length",
        "check the model or the vectors given",
    )
