"""Two embedders, one for each script: what a bilingual memory needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memlab.errors import MissingExtra
from memlab.naming import component, part
from memlab.protocols import Embedder, EmbedRole, Encoded
from memlab.text import has_cjk


@component
class ByScript:
    """Encodes texts with a Chinese, Japanese or Korean character by `cjk`, others by `latin`.

    A question is answered from texts in its own script: vectors of two models have a cosine near
    0, whatever they say. Both models must have the same number of dimensions. A model that no
    text asks for is not loaded, and need not be installed.

    >>> ByScript().route("你好"), ByScript().route("Hello")
    (E5(), MiniLM())
    """

    latin: Embedder = part("MiniLM()")
    cjk: Embedder = part("E5()")

    def route(self, text: str) -> Embedder:
        """Return the embedder of a text."""
        return self.cjk if has_cjk(text) else self.latin

    def identity(self) -> Mapping[str, str | int | bool]:
        """Return the identities of both; `not installed` for a model that is not here."""
        found: dict[str, str | int | bool] = {}
        for name, embedder in (("latin", self.latin), ("cjk", self.cjk)):
            try:
                told = dict(embedder.identity())
            except MissingExtra:
                told = {"model": "not installed"}
            found.update({f"{name} {key}": value for key, value in told.items()})
        return found

    def encode(self, texts: Sequence[str], role: EmbedRole) -> Encoded:
        """Encode texts in their role, each by its embedder; rows in the order given."""
        import numpy as np

        rows: dict[int, tuple[object, int, bool, int]] = {}
        timed = True
        for embedder in (self.latin, self.cjk):
            at = [i for i, text in enumerate(texts) if self.route(text) is embedder]
            if at:
                encoded = embedder.encode([texts[i] for i in at], role)
                timed = timed and bool(encoded.nanoseconds)
                spent = encoded.nanoseconds or (0,) * len(at)
                told = zip(encoded.vectors, encoded.tokens, encoded.truncated, spent, strict=True)
                rows.update(zip(at, told, strict=True))
        vectors, tokens, truncated, spent = zip(*(rows[i] for i in range(len(texts))), strict=True)
        return Encoded(np.stack(vectors), tokens, truncated, spent if timed else ())
