"""The policies that memlab provides, imported when they are used."""

from __future__ import annotations

from typing import Any

from memlab.registry import POLICIES, load_target

__all__ = sorted(POLICIES)


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in POLICIES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load_target(POLICIES[name])


def __dir__() -> list[str]:
    return __all__
