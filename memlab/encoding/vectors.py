"""Vectors shipped with a data set: an `.npz` file of cache keys, vectors and their costs."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.encoding.embedding import Entry, cache_keys, encode
from memlab.errors import DataError
from memlab.protocols import Embedder, EmbedRole

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EPOCH = (1980, 1, 1, 0, 0, 0)
_FIX = "write it again with memlab.encoding.vectors.write_vectors"


def write_vectors(
    path: Path | str, embedder: Embedder, texts: Mapping[EmbedRole, Sequence[str]]
) -> int:
    """Encode texts by role, write their entries to `path`, and return how many there are."""
    entries: dict[str, Entry] = {}
    for role, wanted in texts.items():
        encoded = encode(embedder, wanted, role)
        entries.update(
            zip(cache_keys(embedder, list(encoded), role), encoded.values(), strict=True)
        )
    write_entries(path, entries)
    return len(entries)


def write_entries(path: Path | str, entries: Mapping[str, Entry]) -> None:
    """Write entries by cache key; equal entries give equal bytes.

    Arrays, one row per key, keys sorted: `keys` (n, 32) uint8, `vectors` (n, d) float32,
    `nanoseconds` and `tokens` int64, `truncated` bool.
    """
    import numpy as np

    keys = sorted(entries)
    rows = [entries[key] for key in keys]
    dimension = len(rows[0].vector) if rows else 0
    arrays: dict[str, NDArray[Any]] = {
        "keys": np.frombuffer(bytes.fromhex("".join(keys)), np.uint8).reshape(-1, 32),
        "vectors": np.array([row.vector for row in rows], "<f4").reshape(len(rows), dimension),
        "nanoseconds": np.array([row.nanoseconds for row in rows], "<i8"),
        "tokens": np.array([row.tokens for row in rows], "<i8"),
        "truncated": np.array([row.truncated for row in rows], "?"),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            # A fixed date, which numpy.savez does not give: the same vectors, the same file.
            with archive.open(zipfile.ZipInfo(f"{name}.npy", _EPOCH), "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def read_vectors(path: Path | str) -> dict[str, Entry]:
    """Return entries by cache key, as `write_entries` wrote them.

    Raises:
        DataError: the file is missing, is not such a file, or its arrays do not fit together.
    """
    import numpy as np

    names = ("keys", "vectors", "nanoseconds", "tokens", "truncated")
    try:
        # Opened here: numpy leaves a file open that turns out to be no archive.
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            keys, vectors, nanoseconds, tokens, truncated = (archive[name] for name in names)
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path} cannot be read: {error}", f"an .npz file of {', '.join(names)}", _FIX
        ) from error
    counts = {len(array) for array in (keys, vectors, nanoseconds, tokens, truncated)}
    if keys.shape[1:] != (32,) or vectors.ndim != 2 or len(counts) != 1:
        raise DataError(
            f"{path}: arrays of {sorted(counts)} rows, vectors of shape {vectors.shape}",
            "one row per key",
            _FIX,
        )
    if not np.isfinite(vectors).all():
        raise DataError(f"{path}: vectors with NaN or infinity", "finite numbers", _FIX)
    rows = zip(vectors.astype(np.float32, copy=False), nanoseconds, tokens, truncated, strict=True)
    return {
        key.tobytes().hex(): Entry(vector, int(ns), int(count), bool(cut))
        for key, (vector, ns, count, cut) in zip(keys, rows, strict=True)
    }
