"""The conversation memories of langchain-classic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memlab.peers.peer import Message, Vectors

TOKENS = 2000
TURNS = 20
HITS = 10


class _Chat:
    """Writes messages into a chat memory and reads its rendered history."""

    def __init__(self, memory: Any) -> None:  # noqa: ANN401
        self._memory = memory

    def write(self, message: Message) -> None:
        history = self._memory.chat_memory
        add = history.add_user_message if message.role == "user" else history.add_ai_message
        add(message.text)

    def read(self, question: str) -> Sequence[str]:  # noqa: ARG002
        messages = self._memory.load_memory_variables({})["history"]
        return [message.content for message in messages]


def buffer_memory(vectors: Vectors, count: Callable[[str], int]) -> _Chat:  # noqa: ARG001
    """Return a ConversationBufferMemory."""
    from langchain_classic.memory import ConversationBufferMemory

    return _Chat(ConversationBufferMemory(return_messages=True))


def window_memory(vectors: Vectors, count: Callable[[str], int]) -> _Chat:  # noqa: ARG001
    """Return a ConversationBufferWindowMemory of TURNS messages."""
    from langchain_classic.memory import ConversationBufferWindowMemory

    return _Chat(ConversationBufferWindowMemory(k=TURNS // 2, return_messages=True))


class _Pruned(_Chat):
    """Writes exchanges, since only `save_context` prunes."""

    _asked: str | None = None

    def write(self, message: Message) -> None:
        if self._asked is None:
            self._asked = message.text
            return
        self._memory.save_context({"input": self._asked}, {"output": message.text})
        self._asked = None


def token_buffer_memory(vectors: Vectors, count: Callable[[str], int]) -> _Pruned:  # noqa: ARG001
    """Return a ConversationTokenBufferMemory of TOKENS tokens, counted by memlab's counter."""
    from langchain_classic.memory import ConversationTokenBufferMemory
    from langchain_core.language_models import FakeListLLM

    class Counting(FakeListLLM):  # type: ignore[misc, unused-ignore]
        """A language model that is asked for token counts alone."""

        def get_num_tokens(self, text: str) -> int:
            return count(text)

        def get_num_tokens_from_messages(self, messages: Any, tools: Any = None) -> int:  # noqa: ANN401, ARG002
            return sum(count(message.content) for message in messages)

    model = Counting(responses=[""])
    return _Pruned(
        ConversationTokenBufferMemory(llm=model, max_token_limit=TOKENS, return_messages=True)
    )


class _Retriever:
    def __init__(self, memory: Any) -> None:  # noqa: ANN401
        self._memory = memory

    def write(self, message: Message) -> None:
        self._memory.retriever.vectorstore.add_texts([message.text])

    def read(self, question: str) -> Sequence[str]:
        found = self._memory.load_memory_variables({"prompt": question})
        return [document.page_content for document in found["history"]]


def retriever_memory(vectors: Vectors, count: Callable[[str], int]) -> _Retriever:  # noqa: ARG001
    """Return a VectorStoreRetrieverMemory over langchain-core's InMemoryVectorStore."""
    from langchain_classic.memory import VectorStoreRetrieverMemory
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(embeddings(vectors))
    return _Retriever(
        VectorStoreRetrieverMemory(
            retriever=store.as_retriever(search_kwargs={"k": HITS}), return_docs=True
        )
    )


def embeddings(vectors: Vectors) -> Any:  # noqa: ANN401
    """Return LangChain embeddings that look vectors up."""
    from langchain_core.embeddings import Embeddings

    lists = {text: vector.tolist() for text, vector in vectors.items()}

    class Table(Embeddings):  # type: ignore[misc, unused-ignore]
        """Vectors made before."""

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [lists[text] for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return list(lists[text])

    return Table()
