"""Whether what strategies see is in order and carries no label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from examiner.scene import Scene
from memlab.types import Forget, SessionEnd, Turn

VISIBLE_META = {"call"}
_SLOT = re.compile(r"\{[a-z_']{1,12}\}|\[[^\[\]/\n]{1,20}/[^\[\]/\n]{0,20}\](?!\()")
_ENDS = tuple(".!?。！？")
_HIDDEN = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\x00-\x08\x0b-\x1f]")
_CLUMSY = re.compile(
    r" [,.!?;:](?!\w)|[ \t]{2,}(?=\S)|(?<!\.)\.\.(?!\.)|[，。、][，。、]|[?!]\.(?!\w)"
)


def faults(scene: Scene) -> Iterator[str]:
    """Yield what is wrong with the events as a strategy sees them."""
    yield from _order(scene)
    yield from _ids(scene)
    yield from _sessions(scene)
    yield from _forgets(scene)
    yield from _calls(scene)
    for turn in scene.turns.values():
        yield from _text(turn)


def _order(scene: Scene) -> Iterator[str]:
    for before, after in pairwise(scene.events):
        if after.time < before.time:
            yield f"{after} comes before {before}"


def _ids(scene: Scene) -> Iterator[str]:
    """Ids and sessions are of one shape, whether or not a turn states anything."""
    seen: set[str] = set()
    told = {turn for row in scene.rows for turn in row.turns}
    shapes: dict[tuple[str, str], bool] = {}
    for event in scene.events:
        if not isinstance(event, Turn):
            continue
        if event.id in seen:
            yield f"turn id {event.id} is used twice"
        seen.add(event.id)
        if extra := set(event.meta) - VISIBLE_META:
            yield f"turn {event.id} has meta {sorted(extra)}"
        shape = (_shape(event.id), _shape(event.session))
        shapes[shape] = shapes.get(shape, True) and event.id in told
    if len(scene.turns) > 30:
        yield from (
            f"ids of the shape {s} occur only with facts" for s, only in shapes.items() if only
        )
    secrets = {row.fact for row in scene.rows} | {row.id for row in scene.rows}
    yield from (
        f"turn {i} is named like a row or a fact" for i in seen if i in secrets or _told(i, scene)
    )


def _told(turn: str, scene: Scene) -> bool:
    return any(re.search(rf"(?<![a-z]){fact}(?![a-z])", turn) for fact in scene.words.groups)


def _shape(name: str) -> str:
    return re.sub(r"\d+", "0", name)


def _sessions(scene: Scene) -> Iterator[str]:
    owners: dict[str, set[str]] = {}
    ended: set[str] = set()
    for event in scene.events:
        if isinstance(event, SessionEnd):
            if event.session in ended or event.session not in owners:
                yield f"session {event.session} ends twice or never began"
            ended.add(event.session)
        elif isinstance(event, Turn):
            owners.setdefault(event.session, set()).add(event.user)
            if event.session in ended:
                yield f"turn {event.id} comes after the end of its session"
    yield from (
        f"session {session} belongs to {sorted(users)}"
        for session, users in owners.items()
        if len(users) > 1
    )
    yield from (f"session {session} does not end" for session in sorted(owners.keys() - ended))


def _forgets(scene: Scene) -> Iterator[str]:
    said: set[str] = set()
    asked_by: Turn | None = None
    for event in scene.events:
        if isinstance(event, Turn):
            said.add(event.id)
            asked_by = event if event.role == "user" else asked_by
        elif isinstance(event, Forget):
            if not event.turn_ids:
                yield f"a Forget at {event.time} names no turn"
            for turn in event.turn_ids:
                if turn not in said:
                    yield f"a Forget names {turn}, which was not said by then"
                elif scene.turns[turn].user != event.user:
                    yield f"{event.user!r} forgets {turn}, a turn of {scene.turns[turn].user!r}"
            if asked_by is None or asked_by.user != event.user:
                yield f"nobody asked for the Forget at {event.time}"


def _calls(scene: Scene) -> Iterator[str]:
    """A tool result follows the call whose id it shares."""
    before: Turn | None = None
    for turn in scene.turns.values():
        call = turn.meta.get("call")
        if turn.role == "tool" and not (call and before and before.meta.get("call") == call):
            yield f"tool turn {turn.id} does not follow its call"
        before = turn


def _text(turn: Turn) -> Iterator[str]:
    prose = re.sub(r"```.*?```", "", turn.text, flags=re.DOTALL)
    if not turn.text.strip():
        yield f"turn {turn.id} is empty"
    elif turn.text != turn.text.strip():
        yield f"turn {turn.id} has outer blanks: {turn.text!r}"
    if match := _SLOT.search(prose):
        yield f"turn {turn.id} has an unfilled slot {match[0]!r}: {turn.text!r}"
    if _HIDDEN.search(turn.text):
        yield f"turn {turn.id} has hidden characters: {turn.text!r}"
    for line in prose.splitlines():
        if line[-1:] in _ENDS and (match := _CLUMSY.search(line)):
            yield f"turn {turn.id} has clumsy punctuation {match[0]!r}: {line!r}"
        said = [s for s in re.split("(?<=[.!?。！？])", line) if len(s) > 6]
        if len(set(said)) < len(said):
            yield f"turn {turn.id} says a sentence twice: {line!r}"
