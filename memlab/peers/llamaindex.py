"""The chat memory buffer of LlamaIndex."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memlab.peers.langchain import TOKENS
from memlab.peers.peer import Message, Vectors


class _Buffer:
    def __init__(self, memory: Any, message: Any) -> None:  # noqa: ANN401
        self._memory, self._message = memory, message

    def write(self, message: Message) -> None:
        self._memory.put(self._message(role=message.role, content=message.text))

    def read(self, question: str) -> Sequence[str]:  # noqa: ARG002
        return [message.content for message in self._memory.get()]


def chat_buffer(vectors: Vectors, count: Callable[[str], int]) -> _Buffer:  # noqa: ARG001
    """Return a ChatMemoryBuffer of TOKENS tokens, counted by memlab's counter.

    Each read counts the joined history again and again, ever shorter; only the first of equal
    reads pays for counting, as the counter remembers.
    """
    from llama_index.core.llms import ChatMessage
    from llama_index.core.memory import ChatMemoryBuffer

    def tokens(text: str) -> range:
        return range(count(text))  # its tokenizer returns the tokens; only their number is used

    return _Buffer(ChatMemoryBuffer(token_limit=TOKENS, tokenizer_fn=tokens), ChatMessage)
