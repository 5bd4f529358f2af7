"""The faults that lines of a data file have together: ids, order, owners, references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memlab.reading.lines import Fault
from memlab.types import utc

Line = dict[str, Any]


@dataclass
class _Talk:
    """What has been seen of one conversation."""

    id: str
    line: int
    time: datetime | None = None
    owners: dict[str, str] = field(default_factory=dict)
    probes: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    calls: set[tuple[str, str]] = field(default_factory=set)
    forgotten: dict[str, int] = field(default_factory=dict)
    owned: list[int] = field(default_factory=list)
    ownerless: list[int] = field(default_factory=list)
    turns: int = 0


class Checker:
    """Takes the lines of a file in order; every fault is reported once, where it shows."""

    def __init__(self) -> None:
        self._talks: dict[str, _Talk] = {}
        self._begun = False

    def add(self, number: int, line: Line, own: list[Fault]) -> list[Fault]:
        """Return the faults of a line with those before it; `own` are those it has alone.

        A field that is already at fault is left out, so that one slip is not told twice.
        """
        bad = {fault.field for fault in own}
        line = {key: value for key, value in line.items() if key not in bad}
        begun, self._begun = self._begun, True
        if line.get("type") == "dataset":
            late = Fault(number, "type", "a line of type 'dataset' may only be the first line")
            return [late] if begun else []
        if "conversation" not in line or "type" not in line:
            return []
        known = line["conversation"] in self._talks
        talk = self._talks.setdefault(line["conversation"], _Talk(line["conversation"], number))
        if line["type"] == "conversation" and known:
            return [
                Fault(number, "type", f"conversation '{talk.id}' began at line {talk.line} already")
            ]
        if line["type"] in ("turn", "probe", "forget") and "user" not in bad:
            _owner(talk, number, line)
        found = list(_time(talk, line))
        found += _RULES.get(line["type"], _no_rule)(talk, number, line)
        return [Fault(number, name, message) for name, message in found]

    def finish(self) -> list[Fault]:
        """Return the faults that show only at the end."""
        faults = []
        if not self._talks:
            faults.append(Fault(1, "", "the file has no conversation"))
        for talk in self._talks.values():
            if not talk.turns:
                faults.append(Fault(talk.line, "", f"conversation '{talk.id}' has no turn"))
            if talk.owned and talk.ownerless:
                faults.append(_mixed(talk))
        return faults


Found = Iterator[tuple[str, str]]


def _no_rule(_talk: _Talk, _number: int, _line: Line) -> Found:
    return iter(())


def _time(talk: _Talk, line: Line) -> Found:
    if "time" not in line:
        return
    now = utc(line["time"])
    if talk.time is not None and now < talk.time:
        yield "time", f"{line['time']} is before the line above ({talk.time.isoformat()})"
    else:
        talk.time = now


def _owner(talk: _Talk, number: int, line: Line) -> None:
    (talk.owned if "user" in line else talk.ownerless).append(number)


def _mixed(talk: _Talk) -> Fault:
    """Return one fault for all lines, at the first of those that are fewer."""
    named, missing = len(talk.owned), len(talk.ownerless)
    at = talk.owned[0] if named < missing else talk.ownerless[0]
    return Fault(
        at,
        "user",
        f"missing in {missing} of the {named + missing} turns, probes and deletions of "
        f"conversation '{talk.id}'; all must name a user, or none",
    )


def _turn(talk: _Talk, _number: int, line: Line) -> Found:
    user = line.get("user", talk.id)
    talk.turns += 1
    talk.sessions.add(line.get("session", "1"))
    if "id" in line:
        if line["id"] in talk.owners:
            yield "id", f"turn '{line['id']}' is there already; ids are unique in a conversation"
        talk.owners.setdefault(line["id"], user)
    call = line.get("meta", {}).get("call")
    if call is None:
        return
    if line.get("role") != "tool":
        talk.calls.add((user, call))
    elif (user, call) not in talk.calls:
        yield "meta", f"no turn before this one makes the call '{call}' for user '{user}'"


def _probe(talk: _Talk, _number: int, line: Line) -> Found:
    user = line.get("user", talk.id)
    if "id" in line:
        if line["id"] in talk.probes:
            yield "id", f"probe '{line['id']}' is there already; ids are unique in a conversation"
        talk.probes.add(line["id"])
    for name in ("evidence", "stale"):
        for turn in line.get(name, ()):
            yield from _allowed(talk, name, turn, user)
    for turn in line.get("forbidden", ()):
        if turn not in talk.owners:
            yield "forbidden", _unknown(turn)
        elif talk.owners[turn] == user and turn not in talk.forgotten:
            yield "forbidden", f"'{turn}' is the asker's own turn and was not forgotten"
    for turn in set(line.get("stale", ())) & set(line.get("evidence", ())):
        yield "stale", f"'{turn}' is evidence as well; it can only be one of the two"


def _allowed(talk: _Talk, name: str, turn: str, user: str) -> Found:
    if turn not in talk.owners:
        yield name, _unknown(turn)
    elif talk.owners[turn] != user:
        yield name, f"'{turn}' belongs to user '{talk.owners[turn]}', the asker is '{user}'"
    elif turn in talk.forgotten:
        at = talk.forgotten[turn]
        yield name, f"'{turn}' was forgotten at line {at}; it can only be forbidden"


def _forget(talk: _Talk, number: int, line: Line) -> Found:
    user = line.get("user", talk.id)
    for turn in line.get("turn_ids", ()):
        if turn not in talk.owners:
            yield "turn_ids", _unknown(turn)
        elif talk.owners[turn] != user:
            yield "turn_ids", f"'{turn}' belongs to user '{talk.owners[turn]}', not to '{user}'"
        elif turn in talk.forgotten:
            yield "turn_ids", f"'{turn}' was forgotten at line {talk.forgotten[turn]} already"
        else:
            talk.forgotten[turn] = number


def _session_end(talk: _Talk, _number: int, line: Line) -> Found:
    if "session" in line and line["session"] not in talk.sessions:
        yield "session", f"no turn before this line is in session '{line['session']}'"


def _unknown(turn: str) -> str:
    return f"'{turn}' is no turn before this line"


_RULES: dict[str, Callable[[_Talk, int, Line], Found]] = {
    "turn": _turn,
    "probe": _probe,
    "forget": _forget,
    "session_end": _session_end,
}
