"""Feature hashing: vectors without a model, for streams and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import isqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from memlab.checking import check_whole
from memlab.naming import component
from memlab.protocols import EmbedRole, Encoded
from memlab.text import STOP_WORDS, words


@component
class Hashing:
    """Hashes words and their character n-grams into signed buckets; about 15 µs a sentence.

    Similar texts are texts that share words or parts of words; Chinese works by character
    bigrams. English stop words are left out unless there is nothing else. A text without a
    word is one feature, its own characters, so every row has unit length, the empty text's
    too. Signed buckets keep the inner product unbiased.

    Source: Weinberger et al. (2009), "Feature Hashing for Large Scale Multitask Learning", ICML.

    Args:
        dimension: buckets.
        ngram: length of the character n-grams of a word; 0 uses whole words only.
        seed: another seed is another independent hash.

    >>> model = Hashing(dimension=64)
    >>> a, b, c = model.encode(["I hiked in Oslo", "hiking near Oslo", "我叫张三"], "document")[0]
    >>> bool(a @ b > 0.3 > abs(a @ c))
    True
    """

    precompute: ClassVar[bool] = False
    """Encoded turn by turn: cheaper than the cache, and a stream has no "before the run"."""

    dimension: int = 256
    ngram: int = 3
    seed: int = 0

    def identity(self) -> Mapping[str, str | int | bool]:
        """Return what fixes the vectors."""
        return {
            "model": "hashing",
            "revision": "1",
            "dimension": self.dimension,
            "ngram": self.ngram,
            "seed": self.seed,
            "normalize": True,
            "dtype": "float32",
        }

    def check(self) -> None:
        """Check the parameters; raise a ConfigError for the first that cannot work."""
        check_whole("dimension", self.dimension, least=1)
        check_whole("ngram", self.ngram)
        check_whole("seed", self.seed)

    def encode(self, texts: Sequence[str], role: EmbedRole) -> Encoded:  # noqa: ARG002
        """Encode texts to unit rows, shape (len(texts), dimension); tokens are words.

        Raises:
            ConfigError: a dimension below 1, or an n-gram length below 0.
        """
        self.check()
        found = [words(text) for text in texts]
        rows = np.empty((len(texts), self.dimension), np.float32)
        for row, text, tokens in zip(rows, texts, found, strict=True):
            content = [t for t in tokens if t not in STOP_WORDS] or tokens or [text.strip()]
            row[:] = self._row(content)
        return Encoded(rows, tuple(map(len, found)), (False,) * len(texts))

    def _row(self, tokens: list[str]) -> NDArray[np.float64]:
        size, ngram, seed = self.dimension, self.ngram, self.seed
        buckets = np.concatenate([_buckets(token, size, ngram, seed) for token in tokens])
        counts = np.bincount(buckets, minlength=2 * size).astype(np.float64)
        row = counts[:size] - counts[size:]
        if not row.any():  # opposite signs met in every bucket
            row = counts[:size] + counts[size:]
        scaled: NDArray[np.float64] = row / np.sqrt(row @ row)
        return scaled


@lru_cache(maxsize=50_000)
def _buckets(token: str, dimension: int, ngram: int, seed: int) -> NDArray[np.int64]:
    """Return the buckets of a token's features; those from `dimension` on count negative.

    The word weighs, in the norm, as much as all its n-grams together.
    """
    marked = f"<{token}>"
    grams = [marked[i : i + ngram] for i in range(len(marked) - ngram + 1)] if ngram else []
    if len(token) <= 2:  # a CJK bigram, or too short to have telling parts
        grams = []
    salt = seed.to_bytes(8, "big", signed=True)
    whole = [_bucket(marked, dimension, salt)] * max(1, isqrt(len(grams)))
    return np.array(whole + [_bucket(gram, dimension, salt) for gram in grams], np.int64)


def _bucket(feature: str, dimension: int, salt: bytes) -> int:
    data = feature.encode("utf-8", "surrogatepass")
    number = int.from_bytes(blake2b(data, digest_size=8, salt=salt).digest(), "big")
    return number % dimension + (dimension if number >> 63 else 0)
