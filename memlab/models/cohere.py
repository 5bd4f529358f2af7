"""Embeddings of Cohere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from memlab.encoding.remote import failure, in_batches, key_from, plain_url, unit_rows
from memlab.errors import MissingExtra
from memlab.naming import component
from memlab.protocols import EmbedRole, Encoded
from memlab.tokens import Estimate

URL = "https://api.cohere.com"
VARIABLE = "CO_API_KEY"


@component
class CohereEmbedder:
    """Encodes with Cohere's embed endpoint (extra `cohere`); the key is CO_API_KEY.

    The role is sent as the input type: `search_query` or `search_document`. The service cuts
    long texts at their end without telling; `truncated` is told by memlab's token estimate.
    Tokens are those billed for a request, shared among its texts.

    Args:
        model: the service's name of the model.
        base_url: another server.
        dimensions: shorten the vectors, where the model can (v4).
        max_tokens: tokens the model reads, 512 for v3.
        batch: texts in a request; the service takes 96.
        retries: further tries after a rate limit, a server error or a lost connection.
        timeout: seconds for a request.

    >>> CohereEmbedder(model="embed-v4.0", dimensions=256).identity()["dimensions"]
    256
    """

    model: str = "embed-multilingual-v3.0"
    base_url: str | None = None
    dimensions: int | None = None
    max_tokens: int = 512
    batch: int = 96
    retries: int = 3
    timeout: float = 30.0

    def identity(self) -> Mapping[str, str | int | bool]:
        """Return what fixes the vectors, as far as a service's name of a model does."""
        return {
            "model": self.model,
            "revision": plain_url(self.base_url or URL),
            "dimensions": self.dimensions or 0,
            "normalize": True,
            "max_length": self.max_tokens,
            "dtype": "float32",
        }

    def prepare(self) -> None:
        """Open the client.

        Raises:
            MissingExtra: cohere is not installed.
            ConfigError: no key, or a URL that carries one.
        """
        self._client()

    def encode(self, texts: Sequence[str], role: EmbedRole) -> Encoded:
        """Encode texts in their role to unit rows, shape (len(texts), dimension).

        Raises:
            ModelError: the service failed after the retries, or its answer does not fit.
        """
        counts = list(map(Estimate().count, texts))
        sent = [text or " " for text in texts]
        request = partial(self._request, role=role)
        return in_batches(request, sent, counts, limit=self.max_tokens, batch=self.batch)

    def _client(self) -> Any:  # noqa: ANN401
        return _client(plain_url(self.base_url or URL), key_from(VARIABLE, "Cohere"), self.timeout)

    def _request(self, texts: list[str], role: EmbedRole) -> tuple[Any, int]:
        client = self._client()
        from cohere.core.api_error import ApiError
        from httpx import HTTPError

        service = f"{self.model} at {plain_url(self.base_url or URL)}"
        asked: dict[str, Any] = {
            "model": self.model,
            "texts": texts,
            "input_type": f"search_{role}",
            "embedding_types": ["float"],
            "truncate": "END",
            "request_options": {"max_retries": self.retries},
        }
        if self.dimensions:
            asked["output_dimension"] = self.dimensions
        try:
            answer = client.embed(**asked)
        except (ApiError, HTTPError) as error:
            raise failure(service, error, key_from(VARIABLE, "Cohere")) from None
        rows = getattr(answer.embeddings, "float_", None) or []
        billed = getattr(getattr(answer, "meta", None), "billed_units", None)
        return unit_rows(service, rows, len(texts)), int(getattr(billed, "input_tokens", 0) or 0)


@lru_cache(maxsize=4)
def _client(url: str, key: str, timeout: float) -> Any:  # noqa: ANN401
    try:
        from cohere import ClientV2
    except ImportError as error:
        raise MissingExtra.of("CohereEmbedder", "cohere") from error
    return ClientV2(api_key=key, base_url=url, timeout=timeout)
