"""Conversations from rows of turns and probes that users bring, all their faults found at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from memlab.content import plain
from memlab.digests import canonical_json
from memlab.errors import DataError, Faults
from memlab.reading.consistency import Checker
from memlab.reading.lines import Fault, line_faults
from memlab.types import Conversation, Defect, Event, Probe, SessionEnd, Turn, utc

START = datetime(2000, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
_LATEST = datetime.max.replace(tzinfo=UTC) - MINUTE
_PHRASES = {"this line": "this row", "the line above": "the row before", "a line of": "a row of"}

Line = dict[str, Any]


class Row(NamedTuple):
    """The fields of one turn or probe, and where they stand; fields that are not given are absent.

    `conversation` is always there. Values are those of the jsonl format, times may be datetimes.
    """

    where: str
    values: Line


class Built(NamedTuple):
    """Conversations in the order of their first rows, and what was filled in."""

    conversations: tuple[Conversation, ...]
    defects: tuple[Defect, ...]


def build(turns: Sequence[Row], probes: Sequence[Row], what: str = "column") -> Built:
    """Return the conversations of rows, under the rules of the jsonl format.

    Turns and probes are put in the order of their times, rows of one time stay as they stand.
    A turn without a time gets that of the turn before it; in a conversation without times,
    turn i is said at minute i of the year 2000. Both are `imputed` and noted as a defect. A
    probe without a time comes one minute after the last turn. Sessions end with their last
    turn.

    Raises:
        Faults: every fault of the rows, each with its place; `what` is the word for a field.
    """
    rows = [*turns, *probes]
    lines: list[Line] = []
    faults: list[Fault] = []
    for number, row in enumerate(rows):
        line, own = _line("turn" if number < len(turns) else "probe", number, row)
        lines.append(line)
        faults += own
    groups = _grouped(lines)
    bad = {fault.line for fault in faults if fault.field == "time"}
    defects = [
        defect
        for talk, members in groups.items()
        if (defect := _fill_times(talk, members, lines, rows, bad)) is not None
    ]
    groups = {talk: _ordered(members, lines) for talk, members in groups.items()}
    faults += _between(groups, lines, faults)
    if faults or not turns:
        faults.sort(key=lambda fault: fault.line)
        none = [] if turns else ["there is no turn"]
        told = [*none, *(_told(fault, rows, what) for fault in faults)]
        raise Faults(told, f"{len(told)} fault(s) in the data")
    talks = (Conversation(talk, _events(talk, o, lines)) for talk, o in groups.items())
    return Built(tuple(talks), tuple(defects))


def _line(kind: str, number: int, row: Row) -> tuple[Line, list[Fault]]:
    """Return a row as a line of the format, and the faults it has by itself."""
    line: Line = {"type": kind}
    odd: list[Fault] = []
    for field, value in row.values.items():
        try:
            line[field] = _time(value) if field == "time" else plain(value)
            canonical_json(line[field]).encode()
        except (DataError, ValueError, TypeError, OverflowError, RecursionError) as error:
            line.pop(field, None)
            odd.append(Fault(number, field, f"cannot be used: {error!s:.80}"))
    known = {fault.field for fault in odd} | {"time"} - set(line)
    own = [fault for fault in line_faults(number, line) if fault.field not in known]
    return line, odd + own


def _time(value: object) -> object:
    return utc(value).isoformat() if isinstance(value, datetime) else plain(value)


def _grouped(lines: Sequence[Line]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        talk = line.get("conversation")
        if isinstance(talk, str) and talk:
            groups.setdefault(talk, []).append(number)
    return groups


def _fill_times(
    talk: str,
    members: Sequence[int],
    lines: Sequence[Line],
    rows: Sequence[Row],
    bad: set[int],
) -> Defect | None:
    """Give turns without a time the time before; return the defect to report, if any."""
    turns = [n for n in members if lines[n]["type"] == "turn"]
    missing = [n for n in turns if "time" not in lines[n] and n not in bad]
    timed = [n for n in turns if "time" in lines[n] and n not in bad]
    if not missing:
        return None
    given, absent = set(timed), set(missing)
    last = lines[timed[0]]["time"] if timed else ""
    for place, n in enumerate(turns):
        if n in given:
            last = lines[n]["time"]
        elif n in absent:
            lines[n]["time"] = last or (START + place * MINUTE).isoformat()
            lines[n]["imputed"] = True
    found = f"{len(missing)} of {len(turns)} turns, the first at {rows[missing[0]].where}"
    return Defect("no time", talk, found, "repaired")


def _ordered(members: Sequence[int], lines: Sequence[Line]) -> list[int]:
    """Return the rows of a conversation by time, turns before probes; faulty times come last."""
    times = {n: utc(lines[n]["time"]) for n in members if _has_time(lines[n])}
    said = max((times[n] for n in times if lines[n]["type"] == "turn"), default=START)
    after = said + MINUTE if said < _LATEST else said
    for n in members:
        if lines[n]["type"] == "probe" and "time" not in lines[n]:
            lines[n]["time"] = after.isoformat()
            times[n] = after
    latest = max(times.values(), default=START)
    return sorted(members, key=lambda n: (times.get(n, latest), lines[n]["type"] == "probe"))


def _has_time(line: Line) -> bool:
    try:
        utc(line["time"])
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError):
        return False
    return True


def _between(
    groups: dict[str, list[int]], lines: Sequence[Line], faults: Sequence[Fault]
) -> list[Fault]:
    """Return the faults that rows of a conversation have together."""
    checker = Checker()
    own: dict[int, list[Fault]] = {}
    for fault in faults:
        own.setdefault(fault.line, []).append(fault)
    found = []
    for numbers in groups.values():
        for number in numbers:
            found += checker.add(number, lines[number], own.get(number, []))
    return found + checker.finish() if groups else found


def _told(fault: Fault, rows: Sequence[Row], what: str) -> str:
    message = fault.message
    for phrase, meant in _PHRASES.items():
        message = message.replace(phrase, meant)
    where = rows[fault.line].where + (f", {what} '{fault.field}'" if fault.field else "")
    return f"{where}: {message}"


def _events(talk: str, order: Sequence[int], lines: Sequence[Line]) -> tuple[Event, ...]:
    """Return turns with the ends of their sessions, and each probe at its time."""
    fields = [
        {k: v for k, v in lines[n].items() if k not in ("type", "conversation")} for n in order
    ]
    kinds = [lines[n]["type"] for n in order]
    owned: list[Line] = [{"user": talk, **values} for values in fields]
    turns = [Turn(**v) for v, kind in zip(owned, kinds, strict=True) if kind == "turn"]
    events: list[Event] = list(_sessions(turns))
    for values, kind in zip(owned, kinds, strict=True):
        if kind == "probe":
            probe = Probe(**values)
            events.insert(bisect_right(events, probe.time, key=lambda e: e.time), probe)
    return tuple(events)


def _sessions(turns: Sequence[Turn]) -> Iterator[Event]:
    last = {turn.session: place for place, turn in enumerate(turns)}
    for place, turn in enumerate(turns):
        yield turn
        if place == last[turn.session]:
            yield SessionEnd(session=turn.session, time=turn.time)
