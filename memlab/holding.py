"""What a memory holds at the end of a conversation: counters, kinds and ages, saved bytes."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memlab.latency import AGES
from memlab.naming import providers
from memlab.protocols import Memory

_LIMITS = (1, 7, 30, 90)


def kept(memory: Memory, end: Any, count: Callable[[str], int]) -> dict[str, Any]:  # noqa: ANN401
    """Describe what the memory holds at the end: counters, kinds and ages, saved bytes."""
    facts: dict[str, Any] = {}
    for part in providers(memory, "stats"):
        counters = {name: _plain_number(value) for name, value in part.stats().items()}
        facts.setdefault("stats", {}).update(counters)
    if callable(getattr(memory, "held", None)) and end is not None:
        held: dict[str, dict[str, list[int]]] = {"kind": {}, "age": {}}
        for kind, text, time in memory.held():  # type: ignore[attr-defined]
            days = (end - time).total_seconds() / 86400
            age = AGES[sum(days >= limit for limit in _LIMITS)]
            for group, name in (("kind", kind), ("age", age)):
                items, tokens = held[group].get(name, [0, 0])
                held[group][name] = [items + 1, tokens + count(text)]
        facts["held"] = held
    if callable(getattr(memory, "save", None)):
        with tempfile.TemporaryDirectory() as folder:
            memory.save(Path(folder))  # type: ignore[attr-defined]
            facts["bytes"] = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())
    return facts


def _plain_number(value: Any) -> int | float | None:  # noqa: ANN401
    number: int | float = value.item() if hasattr(value, "item") else value
    return number if math.isfinite(number) else None
