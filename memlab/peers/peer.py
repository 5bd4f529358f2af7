"""What a memory of another project must do to be timed beside memlab's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = Mapping[str, NDArray[np.float32]]
"""Unit vectors by text, made before anything is timed: encoding is not what is compared."""


class Message(NamedTuple):
    """One message as every peer gets it."""

    id: str
    text: str
    role: str


class Memory(Protocol):
    """A peer at work: what it has is written message by message, and read for a question."""

    def write(self, message: Message) -> None:
        """Store a message; when it returns, the message can be found."""

    def read(self, question: str) -> Sequence[str]:
        """Return the texts that would stand in the context."""
        ...


class Peer(NamedTuple):
    """A memory of another project, and memlab's that does the same.

    `writes` and `reads` limit what is timed of peers that index everything again at each write;
    `pairs` marks one that stores two messages at a time, so that writes are averaged; beyond
    `most` messages it takes minutes to fill or to read.
    """

    name: str
    package: str
    make: Callable[[Vectors, Callable[[str], int]], Memory]
    counterpart: str
    writes: int = 200
    reads: int = 20
    pairs: bool = False
    most: int = 10_000
