"""Embeddings of OpenAI, and of servers that speak its protocol."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from memlab.encoding.remote import failure, in_batches, key_from, plain_url, unit_rows
from memlab.errors import MissingExtra, ModelError
from memlab.naming import component
from memlab.protocols import EmbedRole, Encoded
from memlab.tokens import BPE

URL = "https://api.openai.com/v1"
VARIABLE = "OPENAI_API_KEY"


@component
class OpenAIEmbedder:
    """Encodes with an embeddings endpoint (extra `openai`); the key is OPENAI_API_KEY.

    Texts are cut to `max_tokens` of cl100k_base before they are sent, because the service
    refuses longer ones. Tokens are the service's own count of a request, shared among its
    texts in proportion to theirs. Vectors may differ between two calls: keep the cache.

    Args:
        model: the service's name of the model.
        base_url: another server; it may need no key.
        dimensions: shorten the vectors, where the model can.
        query_prompt: text put before queries.
        document_prompt: text put before documents.
        max_tokens: tokens the model reads.
        batch: texts in a request.
        retries: further tries after a rate limit, a server error or a lost connection.
        timeout: seconds for a request.

    >>> OpenAIEmbedder(dimensions=256).identity()["dimensions"]
    256
    """

    model: str = "text-embedding-3-small"
    base_url: str | None = None
    dimensions: int | None = None
    query_prompt: str = ""
    document_prompt: str = ""
    max_tokens: int = 8191
    batch: int = 256
    retries: int = 3
    timeout: float = 30.0

    def identity(self) -> Mapping[str, str | int | bool]:
        """Return what fixes the vectors, as far as a service's name of a model does."""
        return {
            "model": self.model,
            "revision": plain_url(self.base_url or URL),
            "dimensions": self.dimensions or 0,
            "query_prompt": self.query_prompt,
            "document_prompt": self.document_prompt,
            "normalize": True,
            "max_length": self.max_tokens,
            "dtype": "float32",
        }

    def prepare(self) -> None:
        """Open the client.

        Raises:
            MissingExtra: openai is not installed.
            ConfigError: no key, or a URL that carries one.
        """
        self._client()

    def encode(self, texts: Sequence[str], role: EmbedRole) -> Encoded:
        """Encode texts to unit rows, shape (len(texts), dimension).

        Raises:
            ModelError: the service failed after the retries, or its answer does not fit.
        """
        prompt = self.query_prompt if role == "query" else self.document_prompt
        counter = BPE()
        # The service refuses empty input.
        whole = [(prompt + text) or " " for text in texts]
        counts = [counter.count(text) for text in whole]
        sent = [
            counter.truncate(text, self.max_tokens) if count > self.max_tokens else text
            for text, count in zip(whole, counts, strict=True)
        ]
        return in_batches(self._request, sent, counts, limit=self.max_tokens, batch=self.batch)

    def _client(self) -> Any:  # noqa: ANN401
        return _client(plain_url(self.base_url or URL), self._key(), self.retries, self.timeout)

    def _key(self) -> str:
        if self.base_url:
            return os.environ.get(VARIABLE, "").strip() or "none"
        return key_from(VARIABLE, f"OpenAI's {self.model}")

    def _request(self, texts: list[str]) -> tuple[Any, int]:
        from openai import OpenAIError

        service = f"{self.model} at {plain_url(self.base_url or URL)}"
        asked: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self.dimensions:
            asked["dimensions"] = self.dimensions
        try:
            answer = self._client().embeddings.create(**asked)
        except OpenAIError as error:
            raise failure(service, error, self._key()) from None
        data = sorted(answer.data or [], key=lambda item: item.index)
        if [item.index for item in data] != list(range(len(data))):
            raise ModelError(f"{service} numbered its vectors {[d.index for d in data][:9]}")
        rows = unit_rows(service, [item.embedding for item in data], len(texts))
        return rows, int(answer.usage.prompt_tokens) if answer.usage else 0


@lru_cache(maxsize=4)
def _client(url: str, key: str, retries: int, timeout: float) -> Any:  # noqa: ANN401
    try:
        from openai import OpenAI
    except ImportError as error:
        raise MissingExtra.of("OpenAIEmbedder", "openai") from error
    return OpenAI(base_url=url, api_key=key, max_retries=retries, timeout=timeout)
