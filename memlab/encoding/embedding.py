"""Encoding through shipped vectors and a cache: costs kept with every vector.

The vector of a text never depends on the texts it was encoded with (see
`memlab.encoding.passes`), so a cached, a shipped and a fresh vector are the same.
Every vector is stored with unit length, so that a product of two is their cosine whatever the
embedder returns; a vector of zeros stays one and has the cosine 0 with all others.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memlab.checking import check_methods
from memlab.digests import digest
from memlab.errors import ConfigError, DataError, TruncationWarning
from memlab.protocols import Embedder, EmbedRole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 256
"""Documents handed to an embedder, and to the cache, at once: passes of one length fill up."""

_UNIT = 1e-6
"""A length this near to 1 is float32's and is left as it is: cosines are rounded to 1e-6."""

_FORM = (
    "def encode(self, texts, role): return memlab.protocols.Encoded(vectors of shape "
    "(len(texts), dimension), tokens, truncated), the last two with a value for each text"
)


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


def routed(embedder: Embedder, text: str) -> Embedder:
    """Return who encodes a text: the embedder, or the one it routes the text to."""
    route = getattr(embedder, "route", None)
    return routed(route(text), text) if callable(route) else embedder


def cache_key(embedder: Embedder, text: str, role: EmbedRole) -> str:
    """Return the key of a vector: a hash of all that can change it; the text only as a hash.

    The prompt of the other role cannot change the vector and is left out.
    """
    return cache_keys(embedder, [text], role)[0]


def cache_keys(embedder: Embedder, texts: Sequence[str], role: EmbedRole) -> list[str]:
    """Return the keys of several texts; see `cache_key`.

    Raises:
        ConfigError, DataError: as `identity_of`.
    """
    other = "document_prompt" if role == "query" else "query_prompt"
    identity = {k: v for k, v in identity_of(embedder).items() if k != other}
    hashes = (hashlib.sha256(t.encode("utf-8", "surrogatepass")).hexdigest() for t in texts)
    return [digest(identity, role, text_hash) for text_hash in hashes]


def identity_of(embedder: Embedder) -> Mapping[str, str | int | float | bool | None]:
    """Return what an embedder says it is.

    Raises:
        ConfigError: an object without the two methods of an embedder.
        DataError: no mapping of names to texts, finite numbers, flags or None.
    """
    check_methods("embedder", embedder, "identity encode")
    found: object = embedder.identity()
    if isinstance(found, Mapping) and all(map(_is_plain, found, found.values())):
        return found
    raise DataError(
        f"{embedder!r}.identity() returned {found!r:.200}",
        "a mapping of names to texts, finite numbers, flags or None: all that can change a vector",
        "for instance {'model': 'mine', 'revision': '1', 'normalize': True, 'max_length': 256}",
    )


def _is_plain(key: object, value: object) -> bool:
    finite = not isinstance(value, float) or math.isfinite(value)
    return isinstance(key, str) and finite and isinstance(value, str | int | float | None)


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
    is its share of a batch of documents of like length: less than if it had been written alone.
    Loading a model is not timed.

    Args:
        embedder: the model; not even loaded when every vector is known.
        texts: what to encode; repeated texts are encoded once.
        role: `query` or `document`.
        cache: looked up before the model and filled after it.
        progress: called with the number of texts that have just become known.
        shipped: entries by cache key, as `memlab.encoding.vectors.read_vectors` returns them.

    Raises:
        ConfigError: no embedder, or one whose `encode` does not take texts and a role.
        DataError: the embedder returned NaN, the wrong shape, or no `Encoded`.

    Warns:
        TruncationWarning: once, with the number of texts longer than the model reads.
    """
    check_methods("embedder", embedder, "identity encode")
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
    try:
        encoded: object = embedder.encode(clean, role)
    except TypeError:
        _check_call(embedder, clean, role)
        raise
    elapsed = time.perf_counter_ns() - begin
    if not isinstance(encoded, tuple) or len(encoded) not in (3, 4):
        found = type(encoded).__name__
        found += f" of {len(encoded)}" if isinstance(encoded, tuple) else ""
        raise DataError(f"{embedder!r}.encode returned a {found}", _FORM)
    vectors = _unit(_checked(embedder, encoded[0], len(texts)))
    tokens = _numbers(embedder, "tokens", encoded[1], len(texts))
    truncated = _numbers(embedder, "truncated", encoded[2], len(texts))
    shares = [elapsed // len(texts)] * len(texts)
    told = len(encoded) == 4 and not (isinstance(encoded[3], Sized) and len(encoded[3]) == 0)
    nanoseconds = _numbers(embedder, "nanoseconds", encoded[3] if told else shares, len(texts))
    return {
        text: Entry(vectors[i], nanoseconds[i], tokens[i], bool(truncated[i]))
        for i, text in enumerate(texts)
    }


def _check_call(embedder: Embedder, texts: Sequence[str], role: EmbedRole) -> None:
    """Tell a call that cannot be made from a fault inside the embedder."""
    try:
        inspect.signature(embedder.encode).bind(texts, role)
    except TypeError as error:
        raise ConfigError(f"{embedder!r}.encode: {error}", _FORM) from error
    except ValueError:  # a compiled function, which does not tell what it takes
        return


def _numbers(embedder: Embedder, name: str, given: object, rows: int) -> list[int]:
    try:
        found = [int(value) for value in given]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        found = []
    if len(found) == rows:
        return found
    raise DataError(f"{embedder!r}.encode returned {name} {given!r:.100} for {rows} texts", _FORM)


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


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows with length 1; rows of zeros, and rows of that length, as they are."""
    import numpy as np

    wide = vectors.astype(np.float64)  # the squares of a float32 may be too large for one
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    lengths[(lengths == 0) | (np.abs(lengths - 1) <= _UNIT)] = 1.0
    unit: NDArray[np.float32] = (wide / lengths).astype(np.float32)
    return unit
