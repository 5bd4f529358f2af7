"""What embedders behind an HTTP service share: keys, batches, token shares, answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memlab.errors import ConfigError, ModelError
from memlab.protocols import Encoded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REQUEST_TOKENS = 200_000
"""Tokens sent in one request at most."""


def key_from(variable: str, service: str) -> str:
    """Return the key in an environment variable: keys stand nowhere else.

    Raises:
        ConfigError: it is not set.
    """
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(f"{service} needs a key", f"one in {variable}", f"export {variable}=…")
    return key


def plain_url(url: str) -> str:
    """Return a base URL without its last slash.

    Raises:
        ConfigError: not http(s), or it carries a password or a query, which would be logged.
    """
    parts = urlsplit(url)
    secret = parts.username or parts.password or parts.query or parts.fragment
    if parts.scheme not in ("http", "https") or not parts.hostname or secret:
        shown = f"{parts.scheme}://{parts.hostname}"
        raise ConfigError(
            f"base_url at {shown} cannot be used",
            "http(s)://host/path without user, password or query",
            "put keys into the environment",
        )
    return url.rstrip("/")


def batches(tokens: Sequence[int], texts: int) -> Iterator[range]:
    """Yield ranges of at most `texts` texts and `REQUEST_TOKENS` tokens (or a single text).

    Raises:
        ConfigError: `texts` is not positive.
    """
    if texts < 1:
        raise ConfigError(f"batch={texts}", "at least 1 text in a request")
    start = total = 0
    for i, count in enumerate(tokens):
        if i > start and (i - start == texts or total + count > REQUEST_TOKENS):
            yield range(start, i)
            start, total = i, 0
        total += count
    if start < len(tokens):
        yield range(start, len(tokens))


def in_batches(
    request: Callable[[list[str]], tuple[NDArray[np.float32], int]],
    texts: Sequence[str],
    counts: Sequence[int],
    *,
    limit: int,
    batch: int,
) -> Encoded:
    """Encode texts by `request`, which returns rows and the tokens the service counted.

    `counts` are our own counts: texts above `limit` are marked as cut, and the service's total
    is shared out in proportion.
    """
    import numpy as np

    weights = [min(count, limit) for count in counts]
    vectors, tokens = [], []
    for part in batches(weights, batch):
        rows, used = request([texts[i] for i in part])
        vectors.append(rows)
        tokens += shares(used, [weights[i] for i in part])
    cut = tuple(count > limit for count in counts)
    return Encoded(np.concatenate(vectors), tuple(tokens), cut)


def shares(total: int, weights: Sequence[int]) -> list[int]:
    """Split a total in proportion to weights, to whole numbers that add up to it.

    >>> shares(10, [1, 1, 1])
    [3, 4, 3]
    """
    whole = sum(weights) or len(weights)
    ends = [0]
    reached = 0
    for weight in weights:
        reached += weight if sum(weights) else 1
        ends.append((2 * total * reached + whole) // (2 * whole))
    return [end - start for start, end in pairwise(ends)]


def unit_rows(service: str, rows: Sequence[Sequence[float]], texts: int) -> NDArray[np.float32]:
    """Return an answer's vectors as unit rows, shape (texts, dimension).

    Raises:
        ModelError: there are more or fewer than one vector per text, or unlike ones.
    """
    import numpy as np

    lengths = {len(row) for row in rows}
    if len(rows) != texts or len(lengths) != 1 or lengths == {0}:
        raise ModelError(
            f"{service} returned {len(rows)} vectors of lengths {sorted(lengths)} for "
            f"{texts} texts",
            "one vector per text, all of one length",
            "check the model's name and the service",
        )
    array = np.array(rows, np.float64)
    norms = np.linalg.norm(array, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (array / np.where(norms > 0, norms, 1)).astype(np.float32)
    return unit


def failure(service: str, error: Exception, key: str) -> ModelError:
    """Return the error of a failed request: kind, status and message, never the key."""
    status = getattr(error, "status_code", None)
    told = " ".join(str(error).replace(key, "***").split())[:300]
    kind = type(error).__name__ + (f" {status}" if status else "")
    return ModelError(
        f"{service} failed: {kind}: {told}",
        "",
        "check key, quota, model and base_url; finished vectors are in the cache",
    )
