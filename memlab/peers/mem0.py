"""mem0 without its language model: messages are stored as they are."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from memlab.peers.langchain import HITS
from memlab.peers.peer import Message, Vectors


class _Direct:
    def __init__(self, memory: Any, folder: tempfile.TemporaryDirectory[str]) -> None:  # noqa: ANN401
        self._memory, self._folder = memory, folder

    def write(self, message: Message) -> None:
        said = [{"role": message.role, "content": message.text}]
        self._memory.add(said, user_id="u", infer=False)

    def read(self, question: str) -> Sequence[str]:
        found = self._memory.search(question, filters={"user_id": "u"}, top_k=HITS)
        return [one["memory"] for one in found["results"]]


def direct_memory(vectors: Vectors, count: Callable[[str], int]) -> _Direct:  # noqa: ARG001
    """Return a mem0 Memory over a local Qdrant folder, with vectors made before."""
    folder = tempfile.TemporaryDirectory()
    os.environ.setdefault("MEM0_DIR", folder.name)  # read once, at its import
    from mem0 import Memory

    size = len(next(iter(vectors.values())))
    config = {
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": f"{folder.name}/qdrant", "embedding_model_dims": size},
        },
        "history_db_path": f"{folder.name}/history.db",
    }
    memory = Memory.from_config(config)
    memory.embedding_model = _Table(vectors)
    return _Direct(memory, folder)


class _Table:
    """Vectors made before, in the place of mem0's embedder."""

    def __init__(self, vectors: Vectors) -> None:
        self._lists = {text: vector.tolist() for text, vector in vectors.items()}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        return list(self._lists[text])

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[Any]:
        return [self.embed(text, memory_action) for text in texts]
