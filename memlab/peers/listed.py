"""The peers that are timed, each with memlab's strategy that does the same."""

from __future__ import annotations

from memlab.peers.chroma import cosine_collection
from memlab.peers.langchain import (
    TOKENS,
    TURNS,
    buffer_memory,
    retriever_memory,
    token_buffer_memory,
    window_memory,
)
from memlab.peers.lexical import lucene, okapi
from memlab.peers.llamaindex import chat_buffer
from memlab.peers.mem0 import direct_memory
from memlab.peers.peer import Peer

_WINDOW = f"Window(turns={TURNS})"
_TOKENS = f"TokenWindow(tokens={TOKENS})"
_VECTOR = "Vector(embedder=Hashing(), form='text')"
_BM25 = "BM25(form='text', unique=False)"
_CHAIN = "langchain-classic"

PEERS = (
    Peer("LangChain buffer", _CHAIN, buffer_memory, "FullHistory()"),
    Peer("LangChain window", _CHAIN, window_memory, _WINDOW),
    Peer("LangChain token buffer", _CHAIN, token_buffer_memory, _TOKENS, pairs=True),
    Peer("LangChain vectors", _CHAIN, retriever_memory, _VECTOR),
    Peer("LlamaIndex buffer", "llama-index-core", chat_buffer, _TOKENS, reads=3, most=1_000),
    Peer("rank_bm25", "rank-bm25", okapi, _BM25, writes=5),
    Peer("bm25s", "bm25s", lucene, _BM25, writes=5),
    Peer("Chroma", "chromadb", cosine_collection, _VECTOR),
    Peer("mem0", "mem0ai", direct_memory, _VECTOR, writes=50, most=1_000),
)
