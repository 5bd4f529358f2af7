"""What a run lends to a strategy: token counts, seeded generators, embeddings."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memlab.encoding.embedding import Entry, encode, routed
from memlab.naming import spell
from memlab.protocols import Embedder, EmbedRole, PairScorer, TokenCounter
from memlab.tokens import CachedCounter, tokenizer
from memlab.types import Conversation, Query

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
        return Booking(
            self.nanoseconds + other.nanoseconds,
            self.tokens + other.tokens,
            self.texts + other.texts,
            self.truncated + other.truncated,
        )


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
    _ahead: dict[VectorKey, Entry] = field(default_factory=dict, repr=False)
    _scored: tuple[object, NDArray[np.float64], Booking] | None = field(default=None, repr=False)

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

        Announced texts were encoded before the run; others are encoded here, those of one call
        together.
        """
        import numpy as np

        entries: list[Entry | None] = []
        missing: dict[int, tuple[Embedder, list[str]]] = {}
        for text in texts:
            own = routed(embedder, text)
            key = (self._name(own), role, text)
            entries.append(self.vectors.get(key) or self._ahead.get(key))
            if entries[-1] is None:
                missing.setdefault(id(own), (own, []))[1].append(text)
        fresh = self._encode(missing.values(), role) if missing else {}
        found = [known or fresh[text] for known, text in zip(entries, texts, strict=True)]
        for entry in found:
            self.booked.nanoseconds += entry.nanoseconds
            self.booked.tokens += entry.tokens
            self.booked.texts += 1
            self.booked.truncated += entry.truncated
        return np.stack([entry.vector for entry in found])

    def prefetch(self, embedder: Embedder, texts: Sequence[str], role: EmbedRole) -> None:
        """Encode together what `embed` will be asked for text by text, up to `release`.

        Nothing is booked here: each text is, by the call of `embed` that uses it.
        """
        missing: dict[int, tuple[Embedder, list[str]]] = {}
        for text in texts:
            own = routed(embedder, text)
            if (self._name(own), role, text) not in self.vectors:
                missing.setdefault(id(own), (own, []))[1].append(text)
        for own, wanted in missing.values():
            for text, entry in self._encode([(own, wanted)], role).items():
                self._ahead[self._name(own), role, text] = entry

    def release(self) -> None:
        """Drop what was encoded ahead."""
        self._ahead.clear()

    def score(self, scorer: PairScorer, query: Query, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the scores of texts for a question; what a model reads for them is booked.

        A scorer with `tokens` is a model. Asked again for the same texts, as at another budget, its
        last scores and their cost are used again.
        """
        tokens = getattr(scorer, "tokens", None)
        if not callable(tokens):
            return scorer.score(query, texts)
        key = self._name(scorer), query.text, tuple(texts)
        if self._scored is None or self._scored[0] != key:
            begin = time.perf_counter_ns()
            getattr(scorer, "prepare", _nothing)()
            start = time.perf_counter_ns()
            found = scorer.score(query, texts)
            spent = time.perf_counter_ns() - start
            read = tokens(query, texts)
            cost = Booking(spent, sum(n for n, _ in read), len(read), sum(cut for _, cut in read))
            self._scored = key, found, cost
            self.live_ns += time.perf_counter_ns() - begin
        self.booked = self.booked.plus(self._scored[2])
        return self._scored[1].copy()

    def _name(self, component: object) -> str:
        known = self._names.get(id(component))
        return known or self._names.setdefault(id(component), spell(component, full=True))

    def _encode(
        self, missing: Iterable[tuple[Embedder, list[str]]], role: EmbedRole
    ) -> dict[str, Entry]:
        begin = time.perf_counter_ns()
        fresh: dict[str, Entry] = {}
        for embedder, texts in missing:
            fresh.update(encode(embedder, texts, role))
        self.live_ns += time.perf_counter_ns() - begin
        return fresh


def _nothing() -> None:
    pass
