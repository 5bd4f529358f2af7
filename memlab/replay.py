"""Replay one conversation through one strategy: the unit of work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any

from memlab.errors import ContractError, fault_text
from memlab.holding import Growth, kept
from memlab.judging.transcript import Texts, Transcript
from memlab.latency import Histogram
from memlab.naming import providers
from memlab.protocols import Memory, learns_on_read
from memlab.run import Booking, Run
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
        self._count = self.run.counter.count
        self.transcript = Transcript(self._count, self.texts)
        self.writes, self.flushes, self.flush_ns, self.maintain_ns = Histogram(), 0, 0, 0
        self.reads: dict[str, list[int]] = {str(b): [] for b in self.budgets}
        self.encoded: dict[str, Booking] = {}
        self.turns = self.tokens = self.longest = self.unforgotten = 0
        self.derived = 0
        self.dirty = False
        self.error: str | None = None
        self.growth = Growth(self.memory, self.run)
        self._flushing = providers(self.memory, "flush")
        self._maintaining = providers(self.memory, "maintain")
        self._forgetting = providers(self.memory, "forget")

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
            "maintain": self.maintain_ns,
            "read": self.reads,
            "encode": {phase: booked.nanoseconds for phase, booked in self.encoded.items()},
        }
        return self.unit

    def _start(self) -> None:
        self.memory.reset()
        for part in providers(self.memory, "attach"):
            part.attach(self.run)

    def _step(self, event: Event) -> None:
        match event:
            case Turn():
                size = self._count(event.text)
                self.transcript.add(event, size)
                self.turns += 1
                self.tokens += size
                if size > self.longest:
                    self.longest = size
                self._write(event)
                if self.turns == self.growth.due and self.error is None:
                    self.growth.take()
            case Probe():
                self._probe(event)
            case Forget():
                self.transcript.forget(event.turn_ids, event.user)
                self._delete(event)
            case SessionEnd() | Tick():
                for part in self._maintaining:
                    self.maintain_ns += self._timed("maintain", part.maintain, event.time)
                    self.dirty = True

    def _guard(self, call: Callable[..., object], *arguments: object) -> None:
        """Call into the strategy; after a fault its state is unknown, so it is not used on."""
        if self.error is not None:
            return
        try:
            call(*arguments)
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - a strategy's fault is a result
            self.error = fault_text(fault)

    def _timed(self, phase: str, call: Callable[..., object], *arguments: object) -> int:
        """Call into the strategy; return its nanoseconds and book its encoding, apart."""
        live = self.run.live_ns
        begin = perf_counter_ns()
        self._guard(call, *arguments)
        elapsed = perf_counter_ns() - begin
        if self.run.booked.texts:
            self.encoded[phase] = self.encoded.get(phase, Booking()).plus(self.run.booked)
            self.run.booked = Booking()
        return elapsed - (self.run.live_ns - live)

    def _write(self, turn: Turn) -> None:
        if self.error is None:
            self.writes.add(self._timed("write", self.memory.write, turn))
            self.dirty = True

    def _delete(self, event: Forget) -> None:
        self.unforgotten += not self._forgetting
        for part in self._forgetting:
            self.maintain_ns += self._timed("forget", part.forget, event.turn_ids, event.user)
        self.dirty = True

    def _settle(self) -> None:
        """Make pending writes searchable before the first probe after a write."""
        for part in self._flushing:
            self.flush_ns += self._timed("flush", part.flush)
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
                except Exception as fault:  # noqa: BLE001 - what came back is the strategy's
                    error = fault_text(fault)
            self.unit.records.append(self._failed(probe, budget, error))

    def _read(self, query: Query, budget: int | None) -> tuple[Any, str | None]:
        if self.error is not None:
            return [], self.error
        found: list[list[Item]] = []
        elapsed = self._timed(
            f"read {budget}", lambda: found.append(self.memory.read(query, budget))
        )
        if not found:
            # A read that fails leaves the memory as it was: the next one is tried again.
            return [], self._cleared()
        self.reads[str(budget)].append(elapsed)
        return found[0], None

    def _cleared(self) -> str | None:
        error, self.error = self.error, None
        return error

    def _record(self, probe: Probe, budget: int | None, items: Any) -> Record:  # noqa: ANN401
        if not (isinstance(items, list) and all(isinstance(i, Item) for i in items)):
            raise ContractError(f"read returned {items!r:.60}", "a list of Item")
        judged = self.transcript.judge(probe, items, budget=budget)
        derived = [i for i in items if i.kind != "turn"]
        self.derived += sum(i.kind != "excerpt" for i in derived)
        if derived:
            key = {"strategy": self.label, "conversation": self.conversation.id}
            shown = [{"kind": i.kind, "text": i.text, "sources": list(i.sources)} for i in derived]
            self.unit.texts.append({**key, "probe": probe.id, "budget": budget, "items": shown})
        rest = judged.candidates - len(set(judged.ranked))
        return Record(
            **_given(self.label, self.conversation, probe, budget),
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
            **_given(self.label, self.conversation, probe, budget),
            evidence_sessions=judged.evidence_sessions,
            candidates=judged.candidates,
            candidate_sessions=judged.candidate_sessions,
            verdicts={name: None for name, value in judged.verdicts.items() if value is None},
            error=error,
        )

    def _facts(self, end: Any) -> dict[str, Any]:  # noqa: ANN401 - a time, or None
        facts: dict[str, Any] = {"turns": self.turns, "tokens_written": self.tokens}
        if self.encoded:
            facts["encoded"] = {
                phase: {"texts": b.texts, "tokens": b.tokens, "truncated": b.truncated}
                for phase, b in self.encoded.items()
            }
        if self.derived:
            facts["derived_items"] = self.derived
        if self.unforgotten:
            facts["forget_ignored"] = self.unforgotten
        if self.error is None:
            self._guard(lambda: facts.update(kept(self.memory, end, self.run.count)))
        if self.growth.samples:
            facts["growth"] = self.growth.samples
        error = self.error or self.growth.fault
        if error is not None:
            facts["error"] = error
        return facts


def _given(
    label: str, conversation: Conversation, probe: Probe, budget: int | None
) -> dict[str, Any]:
    return {
        "strategy": label,
        "conversation": conversation.id,
        "dataset": str(conversation.meta.get("dataset", "")),
        "probe": probe.id,
        "budget": budget,
        "user": probe.user if probe.user != conversation.id else "",
        "category": probe.category,
        "answerable": probe.answerable,
        "evidence": probe.evidence,
        "stale": probe.stale,
        "forbidden": probe.forbidden,
        "dials": {k: v for k, v in probe.meta.items() if isinstance(v, int | float | bool)},
    }


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
    """Join the passes of one unit: each has one budget and a memory of its own."""
    first = units[0]
    rows = zip(*(unit.records for unit in units), strict=True)
    latency = dict(first.latency)
    latency["read"] = {b: ns for unit in units for b, ns in unit.latency["read"].items()}
    latency["encode"] = {p: ns for unit in units for p, ns in unit.latency["encode"].items()}
    errors = [unit.facts["error"] for unit in units if "error" in unit.facts]
    encoded = {p: b for unit in units for p, b in unit.facts.get("encoded", {}).items()}
    facts = first.facts | {"passes": [unit.facts.get("stats", {}) for unit in units]}
    facts |= {"encoded": encoded} if encoded else {}
    return Unit(
        first.strategy,
        first.conversation,
        [record for row in rows for record in row],
        facts | ({"error": errors[0]} if errors else {}),
        latency,
        [text for unit in units for text in unit.texts],
    )
