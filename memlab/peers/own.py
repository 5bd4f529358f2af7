"""A strategy of memlab, written and read beside a peer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from memlab.encoding.embedding import encode
from memlab.models import Hashing
from memlab.naming import providers, spell
from memlab.parsing import parse
from memlab.peers.peer import Message, Vectors
from memlab.protocols import EmbedRole
from memlab.run import Run
from memlab.types import Item, Query, Role, Turn, utc

_START = utc("2024-01-01")
_USER = "u"


def vectors_of(texts: list[str]) -> Vectors:
    """Return the vectors that a peer and its counterpart both look up."""
    entries = encode(Hashing(), texts, "document")
    return {text: entry.vector for text, entry in entries.items()}


class Own:
    """A strategy behind the interface of a peer.

    Turns and queries are made, and their tokens counted, before anything is timed: a peer gets
    its texts ready-made and its counts from the same store.
    """

    def __init__(self, spelt: str, texts: list[str]) -> None:
        embedder = Hashing()
        roles: tuple[EmbedRole, ...] = ("document", "query")
        entries = encode(embedder, texts, "document")
        name = spell(embedder, full=True)
        self.run = Run(vectors={(name, r, t): e for r in roles for t, e in entries.items()})
        self._memory: Any = parse(spelt)
        self._memory.reset()
        for able in providers(self._memory, "attach"):
            able.attach(self.run)

    def tokens(self, texts: Sequence[str]) -> int:
        """Return the tokens of texts together."""
        return sum(map(self.run.count, texts))

    def turn(self, number: int, message: Message) -> Turn:
        """Return a message as a turn; its tokens are counted here."""
        self.run.count(message.text)
        role: Role = "user" if message.role == "user" else "assistant"
        at = _START + timedelta(minutes=number)
        return Turn(id=message.id, text=message.text, time=at, role=role, user=_USER)

    def query(self, question: str) -> Query:
        """Return a question as a query."""
        return Query(question, _START + timedelta(days=365), _USER)

    def write(self, turn: Turn) -> None:
        """Write a turn."""
        self._memory.write(turn)

    def read(self, query: Query, budget: int) -> list[Item]:
        """Read within a budget of tokens."""
        items: list[Item] = self._memory.read(query, budget)
        return items
