"""The graphs that memlab provides, imported when they are used."""

from __future__ import annotations

from typing import Any

from memlab.registry import GRAPHS, load_target

__all__ = sorted(GRAPHS)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in GRAPHS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load_target(GRAPHS[name])


def __dir__() -> list[str]:
    return __all__
