"""Time peers and memlab's counterparts on the same messages, call beside call, in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from statistics import fmean, median
from typing import NamedTuple, TypeVar

import numpy as np

from memlab.peers.own import Own, vectors_of
from memlab.peers.peer import Memory, Message, Peer
from memlab.peers.texts import messages, questions
from memlab.types import Turn

SIZES = (100, 1_000, 10_000)
T = TypeVar("T")

_ENOUGH = 20e9
"""Nanoseconds of reads after which no further question is asked: one read may take a minute."""


class Timing(NamedTuple):
    """One peer at one size: median write (µs) and read (ms) of both, and what they returned.

    `same` is the share of the texts that both return, of those that either does.
    """

    peer: str
    counterpart: str
    size: int
    write_us: float
    own_write_us: float
    read_ms: float
    own_read_ms: float
    tokens: float
    own_tokens: float
    same: float

    @property
    def write_ratio(self) -> float:
        """How many times as long the peer writes."""
        return self.write_us / self.own_write_us

    @property
    def read_ratio(self) -> float:
        """How many times as long the peer reads."""
        return self.read_ms / self.own_read_ms


class Skipped(NamedTuple):
    """A peer that was not timed (size 0), or not at this size, and why."""

    peer: str
    size: int
    reason: str


def timed(peers: Sequence[Peer], sizes: Sequence[int] = SIZES) -> Iterator[Timing | Skipped]:
    """Yield what each peer took at each size."""
    for peer in peers:
        try:
            version(peer.package)
        except PackageNotFoundError:
            yield Skipped(peer.name, 0, 'not installed: pip install "memlab[peers]"')
            continue
        for size in sizes:
            if size > peer.most:
                yield Skipped(peer.name, size, f"takes minutes beyond {peer.most:,} messages")
                continue
            try:
                yield _one(peer, size)
            except Exception as error:  # noqa: BLE001 - another project's fault stops no other
                yield Skipped(peer.name, size, f"failed: {type(error).__name__}: {error}")


def _one(peer: Peer, size: int) -> Timing:
    said, asked = messages(size), questions(peer.reads)
    texts = [message.text for message in said] + asked
    own = Own(peer.counterpart, texts)
    other = peer.make(vectors_of(texts), own.run.count)
    turns = [own.turn(number, message) for number, message in enumerate(said)]
    last = min(peer.writes, size // 4 * 2)
    _fill(other, own, said[:-last], turns[:-last])
    writes = np.array(
        [
            [_spent(partial(other.write, message))[1], _spent(partial(own.write, turn))[1]]
            for message, turn in zip(said[-last:], turns[-last:], strict=True)
        ],
        dtype=np.float64,
    )
    if peer.pairs:
        writes = writes.reshape(-1, 2, 2).mean(axis=1)
    write, own_write = np.median(writes, axis=0) / 1e3
    read = _read(other, own, asked)
    return Timing(peer.name, peer.counterpart, size, float(write), float(own_write), *read)


def _fill(other: Memory, own: Own, said: Sequence[Message], turns: Sequence[Turn]) -> None:
    """Write a history that is not timed; an index made anew at each write is not made yet."""
    if hasattr(other, "ready"):
        other.ready = False
    for message, turn in zip(said, turns, strict=True):
        other.write(message)
        own.write(turn)
    if hasattr(other, "ready"):
        other.ready = True


def _read(
    other: Memory, own: Own, asked: Sequence[str]
) -> tuple[float, float, float, float, float]:
    """Return the milliseconds and tokens of a read of both, and the share of equal texts.

    Memlab's budget is what the peer's answer holds.
    """
    rows = []
    begin = time.perf_counter_ns()
    for question in asked:
        found, theirs = _spent(partial(other.read, question))
        query, budget = own.query(question), own.tokens(found)
        items, ours = _spent(partial(own.read, query, budget))
        kept = [item.text for item in items]
        rows.append((theirs / 1e6, ours / 1e6, budget, own.tokens(kept), shared(found, kept)))
        if time.perf_counter_ns() - begin > _ENOUGH:
            break
    read, own_read, *means = zip(*rows, strict=True)
    tokens, own_tokens, same = map(fmean, means)
    return median(read), median(own_read), tokens, own_tokens, same


def shared(found: Sequence[str], kept: Sequence[str]) -> float:
    """Return the share of the texts in both lists, of those in either; of none, all.

    >>> shared(["a", "b"], ["b", "c"])
    0.3333333333333333
    """
    either = {*found, *kept}
    return len({*found} & {*kept}) / len(either) if either else 1.0


def _spent(call: Callable[[], T]) -> tuple[T, int]:
    """Return what a call returned and its nanoseconds."""
    begin = time.perf_counter_ns()
    found = call()
    return found, time.perf_counter_ns() - begin
