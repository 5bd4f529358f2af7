"""Replay one conversation through one strategy: the unit of work."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter_ns
from typing import Any

from memlab.errors import ContractError
from memlab.latency import Histogram
from memlab.naming import abilities
from memlab.protocols import Memory, learns_on_read
from memlab.run import Run
from memlab.transcript import Texts, Transcript
from memlab.types import (
    Conversation,
    Event,
    Forget,
    Item,
    Probe,
    Query,
    Record,
    SessionEnd,
    Tick,
    Turn,
)

_AGES = ((1, "under 1 day"), (7, "1-7 days"), (30, "7-30 days"), (90, "30-90 days"))


@dataclass
class Unit:
    """What replaying one conversation through one strategy gave.

    `facts` are deterministic (turns, tokens written, what is held, counters, faults);
    `latency` holds the measured nanoseconds; `texts` the derived items of each read.
    """

    strategy: str
    conversation: str
    records: list[Record] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    latency: dict[str, Any] = field(default_factory=dict)
    texts: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Replay:
    """One pass over the events. A pass has one budget if reading changes the memory."""

    label: str
    memory: Memory
    conversation: Conversation
    budgets: Sequence[int | None]
    run: Run
    texts: Texts

    def __post_init__(self) -> None:
        self.unit = Unit(self.label, self.conversation.id)
        self.transcript = Transcript(self.run.count, self.texts)
        self.writes, self.flushes, self.flush_ns = Histogram(), 0, 0
        self.reads: dict[str, list[int]] = {str(b): [] for b in self.budgets}
        self.spent = {"write": 0, "read": 0}
        self.turns = self.tokens = self.longest = self.unforgotten = 0
        self.dirty = False
        self.error: str | None = None
        self._flush = getattr(self.memory, "flush", None)
        self._maintain = getattr(self.memory, "maintain", None)
        self._forget = getattr(self.memory, "forget", None)

    def play(self) -> Unit:
        """Walk the events and return the unit."""
        self._guard(self._start)
        end = None
        for event in self.conversation.events:
            end = event.time
            self._step(event)
        self.unit.facts = self._facts(end)
        self.unit.latency = {
            "write": self.writes.to_json(),
            "flush": {"total": self.flush_ns, "count": self.flushes},
            "read": self.reads,
            "encode": dict(self.spent),
        }
        return self.unit

    def _start(self) -> None:
        self.memory.reset()
        if hasattr(self.memory, "attach"):
            self.memory.attach(self.run)

    def _step(self, event: Event) -> None:
        match event:
            case Turn():
                self.transcript.add(event)
                self.turns += 1
                size = self.run.count(event.text)
                self.tokens += size
                self.longest = max(self.longest, size)
                self._write(event)
            case Probe():
                self._probe(event)
            case Forget():
                self.transcript.forget(event.turn_ids, event.user)
                self._delete(event)
            case SessionEnd() | Tick():
                if self._maintain is not None:
                    self._guard(self._maintain, event.time)

    def _guard(self, call: Callable[..., object], *arguments: object) -> None:
        """Call into the strategy; after a fault its state is unknown, so it is not used on."""
        if self.error is not None:
            return
        try:
            call(*arguments)
        except Exception as fault:  # noqa: BLE001 - any fault of a strategy is a result
            self.error = f"{type(fault).__name__}: {fault}"

    def _write(self, turn: Turn) -> None:
        if self.error is not None:
            return
        booked, live = self.run.booked.nanoseconds, self.run.live_ns
        begin = perf_counter_ns()
        self._guard(self.memory.write, turn)
        elapsed = perf_counter_ns() - begin
        self.writes.add(elapsed - (self.run.live_ns - live))
        self.spent["write"] += self.run.booked.nanoseconds - booked
        self.dirty = True

    def _delete(self, event: Forget) -> None:
        if self._forget is None:
            self.unforgotten += 1
        else:
            self._guard(self._forget, event.turn_ids, event.user)

    def _settle(self) -> None:
        """Make pending writes searchable before the first probe after a write."""
        if self._flush is not None:
            begin = perf_counter_ns()
            self._guard(self._flush)
            self.flush_ns += perf_counter_ns() - begin
        self.flushes += 1
        self.dirty = False

    def _probe(self, probe: Probe) -> None:
        if self.dirty:
            self._settle()
        query = Query(probe.text, probe.time, probe.user)
        for budget in self.budgets:
            items, error = self._read(query, budget)
            if error is None:
                try:
                    self.unit.records.append(self._record(probe, budget, items))
                    continue
                except ContractError as fault:
                    error = f"{type(fault).__name__}: {fault}"
            self.unit.records.append(self._failed(probe, budget, error))

    def _read(self, query: Query, budget: int | None) -> tuple[list[Item], str | None]:
        if self.error is not None:
            return [], self.error
        booked, live = self.run.booked.nanoseconds, self.run.live_ns
        begin = perf_counter_ns()
        try:
            items = self.memory.read(query, budget)
        except Exception as fault:  # noqa: BLE001 - any fault of a strategy is a result
            return [], f"{type(fault).__name__}: {fault}"
        elapsed = perf_counter_ns() - begin
        self.reads[str(budget)].append(elapsed - (self.run.live_ns - live))
        self.spent["read"] += self.run.booked.nanoseconds - booked
        return items, None

    def _record(self, probe: Probe, budget: int | None, items: list[Item]) -> Record:
        judged = self.transcript.judge(probe, items, budget=budget)
        derived = [i for i in items if i.kind != "turn"]
        if derived:
            key = {"strategy": self.label, "conversation": self.conversation.id}
            shown = [{"kind": i.kind, "text": i.text, "sources": list(i.sources)} for i in derived]
            self.unit.texts.append({**key, "probe": probe.id, "budget": budget, "items": shown})
        rest = judged.candidates - len(set(judged.ranked))
        return Record(
            **_given(self.label, self.conversation.id, probe, budget),
            evidence_sessions=judged.evidence_sessions,
            candidates=judged.candidates,
            candidate_sessions=judged.candidate_sessions,
            ranked=judged.ranked,
            ranked_sessions=judged.ranked_sessions,
            rejected=judged.rejected,
            measurable=judged.measurable,
            items=judged.items,
            tokens=judged.tokens,
            cut=budget is not None and rest > 0 and budget - judged.tokens < self.longest,
            verdicts=judged.verdicts,
        )

    def _failed(self, probe: Probe, budget: int | None, error: str) -> Record:
        """Keep what is known of the probe, and which verdicts the data do not allow."""
        judged = self.transcript.judge(probe, [], budget=budget)
        return Record(
            **_given(self.label, self.conversation.id, probe, budget),
            evidence_sessions=judged.evidence_sessions,
            candidates=judged.candidates,
            candidate_sessions=judged.candidate_sessions,
            verdicts={name: None for name, value in judged.verdicts.items() if value is None},
            error=error,
        )

    def _facts(self, end: Any) -> dict[str, Any]:  # noqa: ANN401 - a time, or None
        facts: dict[str, Any] = {"turns": self.turns, "tokens_written": self.tokens}
        booked = self.run.booked
        if booked.texts:
            facts["encoded"] = {
                "texts": booked.texts,
                "tokens": booked.tokens,
                "truncated": booked.truncated,
            }
        if self.unforgotten:
            facts["forget_ignored"] = self.unforgotten
        if self.error is None:
            self._guard(lambda: facts.update(_kept(self.memory, end, self.run.count)))
        if self.error is not None:
            facts["error"] = self.error
        return facts


def _given(label: str, conversation: str, probe: Probe, budget: int | None) -> dict[str, Any]:
    return {
        "strategy": label,
        "conversation": conversation,
        "probe": probe.id,
        "budget": budget,
        "category": probe.category,
        "answerable": probe.answerable,
        "evidence": probe.evidence,
        "stale": probe.stale,
        "forbidden": probe.forbidden,
        "dials": {k: v for k, v in probe.meta.items() if isinstance(v, int | float | bool)},
    }


def _kept(memory: Memory, end: Any, count: Callable[[str], int]) -> dict[str, Any]:  # noqa: ANN401
    """Describe what the memory holds at the end: counters, kinds and ages, saved bytes."""
    facts: dict[str, Any] = {}
    for part in abilities(memory, "stats"):
        facts.setdefault("stats", {}).update(part.stats())
    if callable(getattr(memory, "held", None)) and end is not None:
        held: dict[str, dict[str, list[int]]] = {"kind": {}, "age": {}}
        for kind, text, time in memory.held():  # type: ignore[attr-defined]
            days = (end - time).total_seconds() / 86400
            age = next((name for limit, name in _AGES if days < limit), "90 days and more")
            for group, name in (("kind", kind), ("age", age)):
                items, tokens = held[group].get(name, [0, 0])
                held[group][name] = [items + 1, tokens + count(text)]
        facts["held"] = held
    if callable(getattr(memory, "save", None)):
        with tempfile.TemporaryDirectory() as folder:
            memory.save(Path(folder))  # type: ignore[attr-defined]
            facts["bytes"] = sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())
    return facts


def replay(
    label: str,
    memory: Memory,
    conversation: Conversation,
    budgets: Sequence[int | None],
    make_run: Callable[[], Run],
    copy: Callable[[Memory], Memory],
) -> Unit:
    """Replay a conversation through copies of `memory` and return its unit.

    A memory that learns on read is replayed once for each budget, because its reads at one
    budget must not change those at another.
    """
    texts = Texts()
    passes = [[b] for b in budgets] if learns_on_read(memory) else [list(budgets)]
    units = [
        Replay(label, copy(memory), conversation, chosen, make_run(), texts).play()
        for chosen in passes
    ]
    return units[0] if len(units) == 1 else _joined(units)


def _joined(units: Sequence[Unit]) -> Unit:
    first = units[0]
    rows = zip(*(unit.records for unit in units), strict=True)
    reads: dict[str, list[int]] = {}
    for unit in units:
        reads.update(unit.latency["read"])
    latency: Mapping[str, Any] = {**first.latency, "read": reads}
    return Unit(
        first.strategy,
        first.conversation,
        [record for row in rows for record in row],
        first.facts,
        dict(latency),
        [text for unit in units for text in unit.texts],
    )
