"""The events of a conversation, one after the other: turns, deletions, session ends, questions."""

from __future__ import annotations

from collections.abc import Iterator

from memlab.synthetic.examine import Examiner
from memlab.synthetic.plan import Plan
from memlab.synthetic.stage import ASSISTANT
from memlab.synthetic.talk import Said
from memlab.types import Event, Forget, Frozen, Role, SessionEnd, Turn

_PLAIN = Frozen()
_SECOND = "u1"
"""The second speaker of a chat."""


def events(plan: Plan, said: Iterator[Said]) -> Iterator[Event]:
    """Yield the events of what is said, and the questions of the plan."""
    layout, examiner = plan.layout, Examiner(plan)
    yield from examiner.until(0)
    for line in said:
        turn = _turn(plan, line)
        examiner.hear(line, turn)
        yield turn
        position = line.position
        gone = plan.forgets.get(position)
        if gone is not None:
            yield Forget(turn_ids=gone, user=turn.user, time=turn.time)
        if position + 1 == layout.ends[line.session]:
            yield SessionEnd(session=turn.session, time=turn.time)
        yield from examiner.until(position + 1)


def _turn(plan: Plan, line: Said) -> Turn:
    position, chat = line.position, not plan.layout.paired
    role: Role = "user"
    if line.manner == "result":
        role = "tool"
    elif line.sayer == (_SECOND if chat else ASSISTANT):
        role = "assistant"
    owner = "u0" if chat else f"u{plan.layout.owners[line.session]}"
    call = {"call": f"c{position}", "result": f"c{position - 1}"}.get(line.manner)
    return Turn(
        id=f"t{position}",
        session=f"s{line.session + 1}",
        speaker=plan.people[line.sayer].name if chat else "",
        role=role,
        text=line.text,
        time=line.time,
        user=plan.store(owner),
        meta={"call": call} if call else _PLAIN,
    )
