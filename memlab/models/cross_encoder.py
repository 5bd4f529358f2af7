"""Cross-encoders: question and text read together, one score for the pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.checking import check_whole
from memlab.encoding.local import device_of, digest_of, find
from memlab.encoding.passes import TOKENS, Features, in_passes
from memlab.errors import MissingExtra, ModelError
from memlab.naming import component
from memlab.types import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@component
class CrossEncoder:
    """Scores pairs with a sentence-transformers CrossEncoder (extra `models`), in float32.

    The score is the model's output before any activation: it never saturates, so it makes no
    ties. A score does not depend on what is scored beside it (see
    `memlab.encoding.passes`).

    Args:
        name: a model on the hub, or a local folder, with one output.
        revision: commit, tag or branch on the hub; None is what the local cache holds, or
            else the newest. A commit is the only one that means the same tomorrow.
        max_length: tokens read of a pair; None is the model's own limit.
        device: `cpu`, `cuda`, `mps`; `auto` takes the first accelerator there is.

    Source: Nogueira and Cho (2019), "Passage Re-ranking with BERT", arXiv 1901.04085.

    >>> CrossEncoder(device="cpu")
    CrossEncoder(device='cpu')
    """

    name: str = "cross-encoder/ms-marco-MiniLM-L6-v2"
    revision: str | None = None
    max_length: int | None = None
    device: str = "auto"

    def identity(self) -> Mapping[str, str | int | bool]:
        """Return what fixes the scores; a folder by the sha256 over its files."""
        folder = self._folder()
        return {
            "model": Path(self.name).name if self._local() else self.name,
            "revision": f"sha256:{digest_of(folder)}" if self._local() else folder.name,
            "max_length": self.max_length or 0,
            "dtype": "float32",
            "pass_tokens": TOKENS,
            "device": device_of(self.device),
        }

    def prepare(self) -> None:
        """Find or download the model, and load it."""
        self._model()

    def score(self, query: Query, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the model's output for each text and the question.

        Raises:
            MissingExtra: torch or sentence-transformers is not installed.
            ModelError: the model cannot be found or loaded, or has several outputs.
            ConfigError: `max_length` below 1.
        """
        import numpy as np
        import torch

        model = self._model()
        prompt = (model.prompts or {}).get(model.default_prompt_name or "") or None

        def forward(features: Features) -> NDArray[np.float32]:
            with torch.inference_mode():
                found: NDArray[np.float32] = model(features)["scores"].float().cpu().numpy()
            return found.reshape(-1, 1)

        if not texts:
            return np.empty(0)
        found, _ = in_passes(model, forward, [(query.text, text) for text in texts], prompt)
        return np.concatenate(found).astype(np.float64)

    def tokens(self, query: Query, texts: Sequence[str]) -> list[tuple[int, bool]]:
        """Return the tokens that the model reads of each pair, and whether that cuts it."""
        if not texts:
            return []
        model = self._model()
        whole = model.tokenizer(
            [query.text] * len(texts), list(texts), truncation=False, padding=False, verbose=False
        )["input_ids"]
        limit = model.max_seq_length or max(map(len, whole))
        return [(min(len(ids), limit), len(ids) > limit) for ids in whole]

    def _model(self) -> Any:  # noqa: ANN401
        if self.max_length is not None:
            check_whole("max_length", self.max_length, least=1)
        return _load(self._folder(), device_of(self.device), self.max_length)

    def _local(self) -> bool:
        return Path(self.name).is_dir()

    def _folder(self) -> Path:
        return Path(self.name) if self._local() else find(self.name, self.revision)


@lru_cache(maxsize=2)
def _load(folder: Path, device: str, max_length: int | None) -> Any:  # noqa: ANN401
    try:
        from sentence_transformers import CrossEncoder as Model
    except ImportError as error:
        raise MissingExtra.of("CrossEncoder", "models") from error
    try:
        model = Model(str(folder), device=device, max_length=max_length, local_files_only=True)
    except Exception as error:
        raise ModelError(
            f"{folder} cannot be loaded on {device!r} as a cross-encoder: {error}",
            "the folder of a sentence-transformers cross-encoder, and a device that is there",
        ) from error
    if model.num_labels != 1:
        raise ModelError(f"{folder} has {model.num_labels} outputs", "one score for a pair")
    return model.float().eval()
