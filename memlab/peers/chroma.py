"""Chroma, embedded in the process."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from memlab.peers.langchain import HITS
from memlab.peers.peer import Message, Vectors


class _Collection:
    def __init__(self, collection: Any, vectors: Vectors) -> None:  # noqa: ANN401
        self._collection, self._vectors, self._size = collection, vectors, 0

    def write(self, message: Message) -> None:
        vector = self._vectors[message.text]
        self._collection.add(ids=[message.id], embeddings=[vector], documents=[message.text])
        self._size += 1

    def read(self, question: str) -> Sequence[str]:
        found = self._collection.query(
            query_embeddings=[self._vectors[question]], n_results=min(HITS, self._size)
        )
        return list(found["documents"][0])


def cosine_collection(vectors: Vectors, count: Callable[[str], int]) -> _Collection:  # noqa: ARG001
    """Return a collection of an ephemeral client, by cosine."""
    import chromadb

    settings = chromadb.Settings(anonymized_telemetry=False)
    client = chromadb.EphemeralClient(settings=settings)
    name = f"memlab-{uuid.uuid4().hex}"  # clients of one process share their collections
    made = client.create_collection(
        name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    return _Collection(made, vectors)
