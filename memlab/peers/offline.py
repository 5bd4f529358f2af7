"""Surroundings in which packages of others run: no connection leaves the machine."""

from __future__ import annotations

import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

_SETTINGS = {
    "ANONYMIZED_TELEMETRY": "False",  # Chroma
    "MEM0_TELEMETRY": "False",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "HF_HUB_OFFLINE": "1",
    "OPENAI_API_KEY": "none",  # mem0 makes a client that it is never let to use
}


@contextmanager
def offline() -> Iterator[list[str]]:
    """Refuse connections, switch telemetry off, keep warnings back; yield what was refused.

    A warning says that a class of another project will go, which is no news of its speed.

    >>> with offline() as refused:
    ...     try:
    ...         socket.create_connection(("192.0.2.1", 80))
    ...     except OSError as error:
    ...         print(error)
    no connections here: ('192.0.2.1', 80)
    >>> refused
    ["('192.0.2.1', 80)"]
    """
    refused: list[str] = []

    def refuse(*address: Any, **_options: Any) -> Any:  # noqa: ANN401
        refused.append(repr(address[-1]))
        raise OSError(f"no connections here: {address[-1]!r}")

    with (
        patch.dict(os.environ, _SETTINGS),
        patch.object(socket.socket, "connect", refuse),
        patch.object(socket.socket, "connect_ex", refuse),
        warnings.catch_warnings(record=True),  # LangChain's import sets filters of its own
    ):
        warnings.simplefilter("always")
        yield refused
