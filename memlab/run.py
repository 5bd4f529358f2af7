"""What a run lends to a strategy: token counts, seeded generators, embeddings."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING

from memlab.encoding.embedding import Entry, encode
from memlab.naming import spell
from memlab.protocols import Embedder, EmbedRole, TokenCounter
from memlab.tokens import CachedCounter, tokenizer
from memlab.types import Conversation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VectorKey = tuple[str, EmbedRole, str]


@dataclass
class Booking:
    """Encoding that a strategy used, whoever paid for it."""

    nanoseconds: int = 0
    tokens: int = 0
    texts: int = 0
    truncated: int = 0

    def plus(self, other: Booking) -> Booking:
        """Return both together."""
        return Booking(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


@dataclass
class Run:
    """The surroundings of one unit of work; without arguments, those of a trial by hand.

    `conversation` is set for privileged strategies (ceilings) alone. `live_ns` is the time
    spent in encoding here, which the runner takes out of the latencies it measures.
    """

    counter: TokenCounter = field(default_factory=lambda: CachedCounter(tokenizer()))
    seed: int = 0
    vectors: Mapping[VectorKey, Entry] = field(default_factory=dict)
    conversation: Conversation | None = None
    booked: Booking = field(default_factory=Booking)
    live_ns: int = 0
    _names: dict[int, str] = field(default_factory=dict, repr=False)

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        return self.counter.count(text)

    def rng(self, *key: str) -> np.random.Generator:
        """Return a generator that depends on the run's seed and `key` alone."""
        import numpy as np

        text = "\x1f".join((str(self.seed), *key)).encode()
        return np.random.default_rng(int.from_bytes(hashlib.sha256(text).digest()[:16], "big"))

    def embed(
        self, embedder: Embedder, texts: Sequence[str], role: EmbedRole
    ) -> NDArray[np.float32]:
        """Return unit vectors, shape (len(texts), dimension), and book their cost.

        Announced texts were encoded before the run; others are encoded here, one by one.
        """
        import numpy as np

        name = self._names.get(id(embedder)) or self._names.setdefault(
            id(embedder), spell(embedder, full=True)
        )
        rows = []
        for text in texts:
            entry = self.vectors.get((name, role, text)) or self._encode(embedder, text, role)
            self.booked.nanoseconds += entry.nanoseconds
            self.booked.tokens += entry.tokens
            self.booked.texts += 1
            self.booked.truncated += entry.truncated
            rows.append(entry.vector)
        return np.stack(rows)

    def _encode(self, embedder: Embedder, text: str, role: EmbedRole) -> Entry:
        begin = time.perf_counter_ns()
        entry = encode(embedder, [text], role)[text]
        self.live_ns += time.perf_counter_ns() - begin
        return entry
