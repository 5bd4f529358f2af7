"""What a memory holds: counters, kinds, ages and saved bytes at the end, sizes on the way."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memlab.errors import fault_text
from memlab.latency import AGES
from memlab.naming import providers
from memlab.protocols import Memory
from memlab.run import Booking, Run

_LIMITS = (1, 7, 30, 90)
_FIRST, _DOUBLED = 16, 64


def kept(memory: Memory, end: Any, count: Callable[[str], int]) -> dict[str, Any]:  # noqa: ANN401
    """Describe what the memory holds at the end: counters, kinds and ages, saved bytes."""
    facts: dict[str, Any] = {}
    for part in providers(memory, "stats"):
        counters = {name: _plain_number(value) for name, value in part.stats().items()}
        facts.setdefault("stats", {}).update(counters)
    if _able(memory, "held") and end is not None:
        held: dict[str, dict[str, list[int]]] = {"kind": {}, "age": {}}
        for kind, text, time in memory.held():  # type: ignore[attr-defined]
            days = (end - time).total_seconds() / 86400
            age = AGES[sum(days >= limit for limit in _LIMITS)]
            for group, name in (("kind", kind), ("age", age)):
                items, tokens = held[group].get(name, [0, 0])
                held[group][name] = [items + 1, tokens + count(text)]
        facts["held"] = held
    if _able(memory, "save"):
        facts["bytes"] = _saved(memory)
    return facts


class Growth:
    """What a memory holds on the way: after 16, 32 and 64 turns, from there on times four.

    So all samples together cost about as much as the description at the end: in the mean they
    look at 0.7 times the turns of a long conversation, at 4/3 if it ends right after one. `due`
    is the number of turns at which the next one is taken. A fault, which is kept in `fault`,
    ends the sampling, not the replay.
    """

    def __init__(self, memory: Memory, run: Run) -> None:
        self.due = _FIRST
        self.samples: list[dict[str, int]] = []
        self.fault: str | None = None
        self._memory, self._run = memory, run

    def take(self) -> None:
        """Note what the memory holds now, after `due` turns; nothing of it is booked."""
        turns = self.due
        self.due *= 2 if turns < _DOUBLED else 4
        if self.fault is not None:
            return
        booked, self._run.booked = self._run.booked, Booking()
        try:
            sizes = self._sizes()
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - a strategy's fault is a result
            self.fault = fault_text(fault)
        else:
            self.samples += [{"turns": turns, **sizes}] if sizes else []
        self._run.booked = booked

    def _sizes(self) -> dict[str, int]:
        sizes: dict[str, int] = {}
        if _able(self._memory, "held"):
            items = tokens = 0
            for _, text, _ in self._memory.held():  # type: ignore[attr-defined]
                items, tokens = items + 1, tokens + self._run.count(text)
            sizes |= {"items": items, "tokens": tokens}
        if _able(self._memory, "save"):
            sizes["bytes"] = _saved(self._memory)
        return sizes


def _able(memory: Memory, method: str) -> bool:
    return callable(getattr(memory, method, None))


def _saved(memory: Memory) -> int:
    """Return the bytes that the memory's state takes when it is saved."""
    with tempfile.TemporaryDirectory() as folder:
        memory.save(Path(folder))  # type: ignore[attr-defined]
        return sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())


def _plain_number(value: Any) -> int | float | None:  # noqa: ANN401
    number: int | float = value.item() if hasattr(value, "item") else value
    return number if math.isfinite(number) else None
