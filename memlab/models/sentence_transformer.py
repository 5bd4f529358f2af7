"""Any sentence-transformers model: a local folder, a name on the hub, or a preset."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memlab.encoding.local import device_of, digest_of, embed, find, load, own_prompt
from memlab.encoding.passes import TOKENS
from memlab.naming import component
from memlab.protocols import EmbedRole, Encoded


class Preset(NamedTuple):
    """A model on the hub and the prompts its model card asks for."""

    name: str
    query: str = ""
    document: str = ""


_EN = "Represent this sentence for searching relevant passages: "
_ZH = "为这个句子生成表示以用于检索相关文章："

PRESETS: dict[str, Preset] = {
    "all-MiniLM-L6-v2": Preset("sentence-transformers/all-MiniLM-L6-v2"),
    "paraphrase-multilingual-MiniLM-L12-v2": Preset(
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
    ),
    "bge-small-en-v1.5": Preset("BAAI/bge-small-en-v1.5", _EN),
    "bge-base-en-v1.5": Preset("BAAI/bge-base-en-v1.5", _EN),
    "bge-large-en-v1.5": Preset("BAAI/bge-large-en-v1.5", _EN),
    "bge-small-zh-v1.5": Preset("BAAI/bge-small-zh-v1.5", _ZH),
    "bge-base-zh-v1.5": Preset("BAAI/bge-base-zh-v1.5", _ZH),
    "bge-large-zh-v1.5": Preset("BAAI/bge-large-zh-v1.5", _ZH),
    "bge-m3": Preset("BAAI/bge-m3"),
    "multilingual-e5-small": Preset("intfloat/multilingual-e5-small", "query: ", "passage: "),
    "multilingual-e5-base": Preset("intfloat/multilingual-e5-base", "query: ", "passage: "),
    "multilingual-e5-large": Preset("intfloat/multilingual-e5-large", "query: ", "passage: "),
}
"""Short names: BGE (an instruction before queries; M3 takes none), E5 (a prefix before both)
and the models without prompts. The short name, the hub's name and a local folder of that
name get the same prompts."""

_COMMIT = re.compile(r"[0-9a-f]{40}")


@component
class SentenceTransformer:
    """Encodes with a sentence-transformers model (extra `models`), in float32.

    Args:
        name: a key of `PRESETS`, a model on the hub, or a local folder.
        revision: commit, tag or branch on the hub; None is what the local cache holds, or
            else the newest. A commit is the only one that means the same tomorrow.
        query_prompt: text put before queries; None is the preset's, or the model's own.
        document_prompt: text put before documents; None as above.
        max_length: tokens read of a text; None is the model's own limit.
        normalize: scale rows to unit length.
        device: `cpu`, `cuda`, `mps`; `auto` takes the first accelerator there is.

    >>> SentenceTransformer(name="bge-small-en-v1.5", device="cpu")
    SentenceTransformer(name='bge-small-en-v1.5', device='cpu')
    """

    name: str
    revision: str | None = None
    query_prompt: str | None = None
    document_prompt: str | None = None
    max_length: int | None = None
    normalize: bool = True
    device: str = "auto"

    def identity(self) -> Mapping[str, str | int | bool]:
        """Return what fixes the vectors; `max_length` 0 is the model's own.

        The revision is the commit, or for a folder the sha256 over its files. It needs the
        model's files unless the revision is a commit.
        """
        return {
            "model": Path(self.name).name if self._local() else _preset(self.name).name,
            "revision": self._commit(),
            "query_prompt": self._prompt("query"),
            "document_prompt": self._prompt("document"),
            "normalize": self.normalize,
            "max_length": self.max_length or 0,
            "dtype": "float32",
            "pass_tokens": TOKENS,
            "device": device_of(self.device),
        }

    def prepare(self) -> None:
        """Find or download the model, and load it."""
        load(self._folder(), device_of(self.device), self.max_length)

    def encode(self, texts: Sequence[str], role: EmbedRole) -> Encoded:
        """Encode texts with the role's prompt; shape (len(texts), dimension).

        Raises:
            MissingExtra: torch or sentence-transformers is not installed.
            ModelError: the model cannot be found or loaded.
            ConfigError: `max_length` does not fit the model.
        """
        model = load(self._folder(), device_of(self.device), self.max_length)
        prompt, alone = self._prompt(role), role == "query"
        return embed(model, texts, prompt, normalize=self.normalize, alone=alone)

    def _local(self) -> bool:
        return self.name not in PRESETS and Path(self.name).is_dir()

    def _folder(self) -> Path:
        return Path(self.name) if self._local() else find(_preset(self.name).name, self.revision)

    def _commit(self) -> str:
        if self.revision and _COMMIT.fullmatch(self.revision) and not self._local():
            return self.revision
        folder = self._folder()
        return folder.name if _COMMIT.fullmatch(folder.name) else f"sha256:{digest_of(folder)}"

    def _prompt(self, role: EmbedRole) -> str:
        given = self.query_prompt if role == "query" else self.document_prompt
        if given is not None:
            return given
        preset = _preset(self.name)
        if preset.name in _BY_NAME:
            return preset.query if role == "query" else preset.document
        return own_prompt(self._folder(), role)


_BY_NAME = {preset.name: preset for preset in PRESETS.values()}


def _preset(name: str) -> Preset:
    short = Path(name).name if Path(name).is_dir() else name
    return PRESETS.get(short) or _BY_NAME.get(name) or Preset(name)
