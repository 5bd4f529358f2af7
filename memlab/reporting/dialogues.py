"""The dialogues behind the failures, as JSON values of bounded size."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memlab.types import Conversation, Turn

NEAR = 2
"""Turns shown on each side of a turn that matters, where a dialogue is not shown whole."""
LONGEST = 6000
"""Characters of a turn that are shown."""
_OVERHEAD = 60


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is known of a dialogue before its turns are chosen.

    `places` are the positions of its turns by id, `size` is its rough size in bytes, `shared`
    tells whether its turns have several owners.
    """

    places: Mapping[str, int]
    size: int
    sizes: tuple[int, ...]
    shared: bool


def sketch(conversation: Conversation) -> Sketch:
    """Return the places and sizes of the turns of a conversation."""
    places: dict[str, int] = {}
    sizes, owners = [], set()
    for at, turn in enumerate(conversation.turns()):
        places[turn.id] = at
        sizes.append(_size(turn))
        owners.add(turn.user)
    return Sketch(places, sum(sizes), tuple(sizes), len(owners) > 1)


def _size(turn: Turn) -> int:
    return len(turn.text[:LONGEST].encode("utf-8", "replace")) + _OVERHEAD


def around(places: Iterable[int], count: int) -> set[int]:
    """Return positions with their neighbours, inside a dialogue of `count` turns."""
    return {near for at in places for near in range(max(0, at - NEAR), min(count, at + NEAR + 1))}


def chosen_turns(
    sketches: Mapping[str, Sketch], needed: Mapping[str, Collection[int]], room: int
) -> dict[str, set[int]] | None:
    """Return which turns of each dialogue are shown: those needed, whole dialogues where it fits.

    None if not even the needed ones have room.
    """
    chosen = {name: around(at, len(sketches[name].sizes)) for name, at in needed.items()}
    cost = {name: sum(sketches[name].sizes[i] for i in at) for name, at in chosen.items()}
    left = room - sum(cost.values())
    if left < 0:
        return None
    for name in sorted(chosen, key=lambda name: sketches[name].size):
        more = sketches[name].size - cost[name]
        if more <= left:
            chosen[name] = set(range(len(sketches[name].sizes)))
            left -= more
    return chosen


def dialogue(conversation: Conversation, chosen: Collection[int], shared: bool) -> dict[str, Any]:
    """Return a conversation as JSON values: `turns` are lists in the order of `FIELDS`.

    Owners of turns are named where they are several (`shared`).
    """
    sessions: dict[str, int] = {}
    turns, cut, total = [], 0, 0
    for at, turn in enumerate(conversation.turns()):
        total += 1
        session = sessions.setdefault(turn.session, len(sessions))
        if at in chosen:
            cut += len(turn.text) > LONGEST
            turns.append(_turn(at, session, turn, shared))
    return {
        "id": conversation.id,
        "total": total,
        "sessions": list(sessions),
        "turns": turns,
        "cut": cut,
    }


FIELDS = ("place", "session", "id", "speaker", "time", "text", "more", "user")


def _turn(at: int, session: int, turn: Turn, shared: bool) -> list[Any]:
    moment = turn.time.strftime("%Y-%m-%d %H:%M") + (" (imputed)" if turn.imputed else "")
    role = f" ({turn.role})" if turn.role in ("tool", "system") else ""
    speaker = turn.speaker + (role if turn.speaker != turn.role else "")
    more = max(0, len(turn.text) - LONGEST)
    owner = turn.user if shared else ""
    return [at, session, turn.id, speaker, moment, turn.text[:LONGEST], more, owner]
