"""Sentence-transformers models: where they are, loading them, and encoding with them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlab.encoding.passes import Features, in_passes
from memlab.errors import ConfigError, MissingExtra, ModelError
from memlab.protocols import EmbedRole, Encoded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_UNUSED = ("onnx/*", "openvino/*", "*.onnx", "*.h5", "*.msgpack", "*.ot", "*.md")
_PROMPT_NAMES = {"query": ("query",), "document": ("document", "passage", "corpus")}


@lru_cache(maxsize=16)
def find(name: str, revision: str | None = None) -> Path:
    """Return the folder that holds the hub's model `name`.

    A snapshot that is already there is used without a call to the hub; otherwise it is
    downloaded into the hub's cache (SENTENCE_TRANSFORMERS_HOME moves it).

    Raises:
        MissingExtra: sentence-transformers is not installed.
        ModelError: there is no such model, here or on the hub.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingExtra.of("SentenceTransformer", "models") from error
    where: dict[str, Any] = {
        "repo_id": name,
        "revision": revision,
        "cache_dir": os.environ.get("SENTENCE_TRANSFORMERS_HOME"),
        "ignore_patterns": list(_UNUSED),
    }
    try:
        return Path(snapshot_download(**where, local_files_only=True))
    except (OSError, ValueError):  # not there, or not all of it
        pass
    try:
        return Path(snapshot_download(**where))
    except Exception as error:
        raise ModelError(
            f"{name!r} is no folder and not in the hub's cache, and the hub failed: {error}",
            "the folder of a sentence-transformers model, or the name of one on the hub",
            "check the spelling and the network, or give the path of a downloaded model",
        ) from error


def digest_of(folder: Path) -> str:
    """Return the sha256 over a model's files, so that an edited model gets new cache keys."""
    files = (p for p in folder.rglob("*") if p.is_file() and p.suffix != ".md")
    stats = ((p, p.stat()) for p in sorted(files))
    return _digest(folder, tuple((str(p), s.st_size, s.st_mtime_ns) for p, s in stats))


@lru_cache(maxsize=16)
def _digest(folder: Path, files: tuple[tuple[str, int, int], ...]) -> str:
    sha = hashlib.sha256()
    for path, _, _ in files:
        name = Path(path).relative_to(folder).as_posix()
        sha.update(f"{name}\0{file_sha256(Path(path))}\n".encode())
    return sha.hexdigest()


def file_sha256(path: Path) -> str:
    """Return the sha256 (hex) of a file of any size."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def own_prompt(folder: Path, role: EmbedRole) -> str:
    """Return the prompt a model's own configuration has for the role; empty without one."""
    path = folder / "config_sentence_transformers.json"
    prompts = json.loads(path.read_text("utf-8")).get("prompts") if path.is_file() else None
    found = [(prompts or {}).get(name) for name in _PROMPT_NAMES[role]]
    return next((prompt for prompt in found if prompt), "")


def device_of(device: str) -> str:
    """Return the device that `auto` stands for: cuda, mps or cpu; others stay as they are."""
    if device != "auto":
        return device
    torch = _torch()
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _torch() -> Any:  # noqa: ANN401
    try:
        import torch
    except ImportError as error:
        raise MissingExtra.of("SentenceTransformer", "models") from error
    return torch


@lru_cache(maxsize=4)
def load(folder: Path, device: str = "cpu", max_length: int | None = None) -> Any:  # noqa: ANN401
    """Return the model of a folder in float32, loaded once per process, without the network.

    Raises:
        MissingExtra: torch or sentence-transformers is not installed.
        ModelError: the folder holds no such model.
        ConfigError: `max_length` is not positive or beyond the model's positions.
    """
    _torch()
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingExtra.of("SentenceTransformer", "models") from error
    try:
        with _quiet():
            model = SentenceTransformer(str(folder), device=device, local_files_only=True)
    except Exception as error:
        raise ModelError(
            f"{folder} cannot be loaded on {device!r}: {error}",
            "the folder of a sentence-transformers model and a device that is there",
            "download the model again, or try device='cpu'",
        ) from error
    model.float().eval()
    if max_length is not None:
        model.max_seq_length = _allowed(model, max_length)
    embed(model, ["The first pass sets up what no text should pay for."])
    return model


def _allowed(model: Any, max_length: int) -> int:  # noqa: ANN401
    most = getattr(model[0].auto_model.config, "max_position_embeddings", max_length)
    if not 1 <= max_length <= most:
        raise ConfigError(f"max_length={max_length}", f"1 to {most} tokens")
    return max_length


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the progress bars of transformers, which would end up between two tables."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def embed(
    model: Any,  # noqa: ANN401
    texts: Sequence[str],
    prompt: str = "",
    *,
    normalize: bool = True,
    alone: bool = False,
) -> Encoded:
    """Encode texts, each independent of the others; shape (len(texts), dimension).

    Tokens are those the model reads, prompt included; a text with more is `truncated`.
    `alone` times each text in a pass of its own; see `memlab.encoding.passes`.
    """
    import numpy as np

    if not texts:
        empty = np.empty((0, model.get_embedding_dimension()), np.float32)
        return Encoded(empty, (), ())
    torch = _torch()
    whole = model.tokenizer(
        [prompt + text for text in texts], truncation=False, padding=False, verbose=False
    )["input_ids"]
    limit = model.max_seq_length or max(map(len, whole))

    def forward(features: Features) -> NDArray[np.float32]:
        with torch.inference_mode():
            rows = model(features)["sentence_embedding"]
            rows = torch.nn.functional.normalize(rows, dim=1) if normalize else rows
            found: NDArray[np.float32] = rows.float().cpu().numpy()
        return found

    vectors, spent = in_passes(model, forward, texts, prompt or None, alone=alone)
    return Encoded(
        np.stack(vectors),
        tuple(min(len(ids), limit) for ids in whole),
        tuple(len(ids) > limit for ids in whole),
        tuple(spent),
    )
