"""A short dialogue with every feature that the contract checks ask about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from memlab.types import Conversation, Event, Probe, Query, Turn

SECRET = "quokka-17"  # noqa: S105 - a word of the sample dialogue
"""A word that only one turn of ann's holds; the checks have it forgotten."""
FOREIGN = "zebra-42"
"""A word that only a turn of bob's holds."""
LONG = "The ferry leaves at dawn, and the harbour is still dark. " * 1800
"""About 100 kB of text."""

_START = datetime(2024, 3, 1, 9, 0, tzinfo=UTC)


def _turn(number: int, text: str, user: str = "ann", **more: Any) -> Turn:  # noqa: ANN401
    role = more.pop("role", "user" if number % 2 == 0 else "assistant")
    return Turn(
        id=f"t{number}",
        text=text,
        time=_START + timedelta(hours=7 * number),
        session=str(1 + number // 6),
        speaker=user if role == "user" else role,
        role=role,
        user=user,
        **more,
    )


TURNS = (
    _turn(0, "I bought a red kayak last weekend."),
    _turn(1, "A red kayak! Where will you take it first?"),
    _turn(2, f"My locker code is {SECRET}, please keep it for me."),
    _turn(3, "I have noted your locker code."),
    _turn(4, f"Bob's alarm word is {FOREIGN}, and he paddles a kayak.", user="bob"),
    _turn(5, "Understood, Bob.", user="bob"),
    _turn(6, "我喜欢喝茶，周末常去划皮艇。"),
    _turn(7, "Shall I look up the weather?", meta={}),
    _turn(8, "weather(place='Bergen')", role="assistant", meta={"call": "c1"}),
    _turn(9, '{"storm warning": true, "wind": "24 m/s"}', role="tool", meta={"call": "c1"}),
    _turn(10, "So no kayak tomorrow. I will mend the paddle instead."),
    _turn(11, "Good plan: mend the paddle, drink some tea."),
)


def query() -> Query:
    """Return the question of the checks."""
    return Query("What colour is the kayak that I bought?", TURNS[-1].time, "ann")


def conversation() -> Conversation:
    """Return the dialogue with the question as its probe, for privileged strategies."""
    asked = query()
    probe = Probe(id="p0", text=asked.text, time=asked.time, user="ann", evidence=("t0",))
    events: tuple[Event, ...] = (*TURNS, probe)
    return Conversation("contract", events)
