"""LongMemEval (arXiv 2410.10813): questions with a chat history each, S, M and oracle."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from memlab.checking import check_choice, check_flag, check_whole
from memlab.errors import ConfigError, DataError
from memlab.reading.jsonfile import get
from memlab.reading.jsonstream import JsonRecords, Piece, read_piece
from memlab.reading.sources import Source, name_of, printable, sessions, shown
from memlab.types import Action, Conversation, Dataset, Event, Probe, Turn

ROLES = ("user", "assistant")
TYPES = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "temporal-reasoning",
    "knowledge-update",
)
LEVELS = ("session", "turn", "turn2session")
LAZY_BYTES = 1 << 30
"""Files above this size are parsed anew at every walk unless `lazy=False` says otherwise."""

_DATE = re.compile(r"(\d{4})/(\d{2})/(\d{2})(?: *\([^)]*\))? *(\d{2}):(\d{2})")
_MINUTE = timedelta(minutes=1)


def load(
    path: str | Path,
    *,
    roles: Sequence[str] = ROLES,
    first: int | None = None,
    lazy: bool | None = None,
    strict: bool = False,
) -> Dataset:
    """Read a file of records, or of one record; each question is a conversation of its own.

    Sessions are put in the order of their dates. Turn times are the date of the session plus
    one minute a turn, or smaller steps where the next session begins earlier: they are
    imputed. Evidence are the turns with `has_answer`. What a strategy sees names neither the
    session, nor the question, nor the label: ids in the file contain "answer" and "_abs", so
    session, turn and user ids are hashes; the ids of the file stand in `Conversation.meta`.
    Turn ids end in the 1-based position in the session, assistant turns included.

    `official` names the metrics of the authors' scripts. They index user turns alone, so load
    with `roles=("user",)`: the sessions of the remaining evidence are then the relevant ones of
    the scripts (id with "answer" and a marked user turn; the scripts rename others to "noans").

    Args:
        path: S, M or oracle file, or a file with a single record.
        roles: whose turns are kept. `("user",)` loses the evidence on assistant turns, which
            is reported.
        first: read only so many records.
        lazy: do not keep the events, but parse them anew whenever they are walked; by default
            for files above 1 GiB. Needed for M, which has about 2.5 million turns.
        strict: raise if there is any defect at all.

    Raises:
        ConfigError: an option that cannot work.
        DataError: a file that cannot be read, or without a usable record; with `strict`, any
            defect.
    """
    kept = _checked(roles, first, lazy)
    source = Source("longmemeval", path, strict=strict)
    lazy = (
        source.path.is_file() and source.path.stat().st_size > LAZY_BYTES if lazy is None else lazy
    )
    file = JsonRecords(source.path)
    talks = {talk.id: talk for talk in _talks(file, kept, first, source, lazy=lazy)}
    if file.sha256 not in source.known.values():
        source.note("unknown file", source.path.name, f"sha256 {file.sha256}", "reported")
    read = source.dataset(talks.values(), roles=list(kept))
    return replace(read, sha256=file.sha256)


def official(level: str = "session", k: int = 5, *, all_questions: bool = False) -> dict[str, str]:
    """Return the metrics of the authors' scripts at one depth: their name -> ours.

    `session` and `turn` are for rankings of sessions and of user turns; `turn2session` is what
    the scripts call session level when they ranked turns: the list is followed until it names k
    sessions, where a session seen by marked and by other turns counts as two, and only a
    marked turn finds a session.

    Questions with "_abs" are left out, and so are those without evidence (419 of 500 remain on
    the published files: the summary of `run_retrieval.py`). `all_questions` keeps the latter
    (470: `print_retrieval_metrics.py`): recall_any and ndcg_any of such a question are 0, as in
    the scripts, but recall_all is 1 there and 0 here. So recall_all over 470 is
    (419 x + 51) / 470 where x is our value over 419.

    >>> official("turn", 10)["ndcg_any@10"]
    'NDCGAny(k=10)'

    Raises:
        ConfigError: an unknown level, or no depth.
    """
    check_choice("level", level, LEVELS)
    check_whole("k", k, least=1)
    more = ", empty='zero'" if all_questions else ""
    if level == "turn2session":
        form = "TurnToSession(k={k}, measure='{name}'{more})"
    elif level == "session":
        form = "{metric}(k={k}, unit='session'{more})"
    else:
        form = "{metric}(k={k}{more})"
    names = {"recall_any": "RecallAny", "recall_all": "RecallAll", "ndcg_any": "NDCGAny"}
    return {
        f"{name}@{k}": form.format(metric=metric, name=name, k=k, more=more)
        for name, metric in names.items()
    }


def _checked(roles: Sequence[str], first: int | None, lazy: bool | None) -> tuple[str, ...]:
    listed = not isinstance(roles, str) and isinstance(roles, Sequence)
    if not (listed and roles and all(role in ROLES for role in roles)):
        raise ConfigError(f"roles={roles!r}", "a list of 'user' and 'assistant', not empty")
    if first is not None:
        check_whole("first", first, least=1)
    if lazy is not None:
        check_flag("lazy", lazy)
    return tuple(role for role in ROLES if role in roles)


def _talks(
    file: JsonRecords, roles: tuple[str, ...], first: int | None, source: Source, *, lazy: bool
) -> Iterator[Conversation]:
    """Yield the conversations of the records that can be read, each id once."""
    pieces = iter(file)
    seen: set[str] = set()
    try:
        for number, piece in enumerate(pieces, 1):
            record = _Record(piece.value, roles)
            try:
                talk = record.read()
                if talk.id in seen:
                    raise DataError(f"question id {talk.id!r} is used twice", "unique ids")
            except DataError as error:
                # What was odd inside a record that is not kept would only be told twice.
                record.heard = [
                    ("unreadable record", f"record {number - 1}", str(error), "dropped")
                ]
            else:
                seen.add(talk.id)
                yield replace(talk, events=_Events(file.path, piece, roles)) if lazy else talk
            for told in record.heard:
                source.note(*told)
            if number == first:
                break
    finally:
        pieces.close()  # type: ignore[attr-defined]


class _Events:
    """The events of a record that stays in its file."""

    def __init__(self, path: Path, piece: Piece, roles: tuple[str, ...]) -> None:
        self.path, self.roles = path.resolve(), roles
        self.place = (piece.offset, piece.length, piece.sha256)

    def __iter__(self) -> Iterator[Event]:
        value = read_piece(self.path, *self.place)
        yield from _Record(value, self.roles).read().events


class _Session(NamedTuple):
    """One session: hash, id in the file, start, raw turns."""

    name: str
    id: str
    start: datetime
    turns: list[Any]


@dataclass
class _Record:
    """One record on its way to a conversation."""

    record: Any
    roles: tuple[str, ...]
    id: str = ""
    heard: list[tuple[str, str, object, Action]] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    marked: set[str] = field(default_factory=set)
    lost: Counter[str] = field(default_factory=Counter)

    def read(self) -> Conversation:
        """Return the conversation: sessions by date, then the question."""
        name = name_of(self.record.get("question_id")) if isinstance(self.record, dict) else None
        if name is None:
            raise DataError(f"found {shown(self.record)}", "a record with a 'question_id'")
        self.id = name
        question = printable(get(self.record, "question", str, name))
        if not question.strip():
            raise DataError(f"{name} has an empty question", "a text")
        listed = self._sessions()
        asked = _date(self.record.get("question_date"))
        turns = list(self._turns(listed, asked))
        if not turns:
            raise DataError(f"{name} has no turn of role {' or '.join(self.roles)}", "one or more")
        last = turns[-1].time
        if asked is None or asked < last:
            kind = "no question date" if asked is None else "question before its history ends"
            self.note(kind, name, self.record.get("question_date"), "repaired")
            asked = last + _MINUTE
        probe = self._probe(question, asked, listed, turns)
        meta = {"language": "en", "sessions": {session.name: session.id for session in listed}}
        return Conversation(name, (*sessions(turns), probe), meta)

    def note(self, kind: str, where: str, found: object, action: Action) -> None:
        """Keep a defect; those of a record that stays in its file were told at loading."""
        self.heard.append((kind, where, found, action))

    def _sessions(self) -> list[_Session]:
        keys = ("haystack_session_ids", "haystack_dates", "haystack_sessions")
        ids, dates, talks = (get(self.record, key, list, self.id) for key in keys)
        if not len(ids) == len(dates) == len(talks):
            sizes = f"{len(ids)} ids, {len(dates)} dates, {len(talks)} sessions"
            raise DataError(f"{self.id} has {sizes}", "lists of equal length")
        found: list[_Session] = []
        seen: set[str] = set()
        for position, (given, date, turns) in enumerate(zip(ids, dates, talks, strict=True)):
            session = name_of(given) or f"session {position}"
            if name_of(given) is None:
                self.note("session without id", f"{self.id} {session}", given, "repaired")
            if session in seen:
                self.note("repeated session id", f"{self.id} {session}", position, "repaired")
            seen.add(session)
            if not isinstance(turns, list) or not turns:
                kind = "empty session" if turns == [] else "unreadable session"
                self.note(kind, f"{self.id} {session}", turns, "dropped")
                continue
            start = _date(date)
            if start is None:
                raise DataError(f"{self.id} {session} has the date {shown(date)}", _FORM)
            found.append(_Session(_hash(f"{position} {session}"), session, start, turns))
        in_order = sorted(found, key=lambda session: session.start)
        if in_order != found:
            self.note("sessions out of order", self.id, "by date", "repaired")
        return in_order

    def _turns(self, listed: list[_Session], asked: datetime | None) -> Iterator[Turn]:
        starts = [*(session.start for session in listed), asked]
        for session, (start, following) in zip(listed, pairwise(starts), strict=True):
            step = _step(start or session.start, following, len(session.turns))
            for index, raw in enumerate(session.turns):
                turn = self._turn(raw, session, index, session.start + index * step)
                if turn is not None:
                    yield turn

    def _turn(self, raw: object, session: _Session, index: int, time: datetime) -> Turn | None:
        where = f"{self.id} {session.id}:{index + 1}"
        fields = raw if isinstance(raw, dict) else {}
        role, words, mark = (fields.get(key) for key in ("role", "content", "has_answer"))
        name = f"{session.name}:{index + 1}"
        if not (mark is None or isinstance(mark, bool)):
            self.note("unclear has_answer", where, mark, "reported")
        readable = role in ROLES and isinstance(words, str)
        if not readable:
            self.note("unreadable turn", where, raw, "dropped")
        if mark is True:
            self.marked.add(session.id)
            if readable and role in self.roles:
                self.evidence.append(name)
            else:
                self.lost[role if role in ROLES else "unknown"] += 1
                self.note("evidence on a turn left out", where, role, "dropped")
        if not readable or role not in self.roles:
            return None
        return Turn(
            id=name,
            text=printable(str(words)),
            time=time,
            session=session.name,
            speaker=role,
            role=role,
            user=_hash(self.id),
            imputed=True,
        )

    def _probe(
        self, question: str, asked: datetime, listed: list[_Session], turns: list[Turn]
    ) -> Probe:
        answerable = "_abs" not in self.id
        if answerable and not self.evidence:
            self.note("no evidence", self.id, f"{sum(self.lost.values())} lost", "reported")
        kind = self.record.get("question_type")
        if kind not in TYPES:
            self.note("unknown question type", self.id, kind, "reported")
        gold = self._gold(listed)
        meta: dict[str, Any] = {"answer_sessions": [s.name for s in listed if s.id in gold]}
        if self.evidence:
            order = {turn.id: place for place, turn in enumerate(turns)}
            meta["distance"] = len(turns) - 1 - order[self.evidence[-1]]
        if self.lost:
            meta["lost_evidence"] = dict(sorted(self.lost.items()))
        return Probe(
            id=self.id,
            text=question,
            time=asked,
            user=_hash(self.id),
            category=printable(kind) if isinstance(kind, str) else "unknown",
            evidence=tuple(self.evidence),
            answers=self._answers(),
            answerable=answerable,
            meta=meta,
        )

    def _gold(self, listed: list[_Session]) -> set[str]:
        """Return the ids of the evidence sessions; compare them with what is there and marked."""
        given = self.record.get("answer_session_ids")
        if not isinstance(given, list):
            self.note("no answer_session_ids", self.id, given, "reported")
            return set()
        named = {name for name in map(name_of, given) if name is not None}
        if len(named) < len(given):
            self.note("odd answer_session_ids", self.id, given, "reported")
        there = {session.id for session in listed}
        for name in sorted(named):
            if name not in there:
                self.lost["unknown"] += 1
                self.note("evidence session not in the history", f"{self.id} {name}", "", "dropped")
            elif name not in self.marked:
                where = f"{self.id} {name}"
                self.note("evidence session without a marked turn", where, "noans", "reported")
        for name in sorted(self.marked - named):
            self.note("marked session is not listed", f"{self.id} {name}", given, "reported")
        for name in sorted(n for n in self.marked if "answer" not in n):
            where = f"{self.id} {name}"
            self.note("evidence session without 'answer' in its id", where, name, "reported")
        return named & there

    def _answers(self) -> tuple[str, ...]:
        answer = self.record.get("answer")
        if isinstance(answer, str) and answer.strip():
            return (printable(answer),)
        if isinstance(answer, int | float) and not isinstance(answer, bool):
            kind = "integer answer" if isinstance(answer, int) else "number as answer"
            self.note(kind, self.id, answer, "repaired")
            return (str(answer),)
        self.note("no answer", self.id, answer, "reported" if not answer else "dropped")
        return ()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _step(start: datetime, following: datetime | None, turns: int) -> timedelta:
    """Return the time between turns: a minute, or less where the session would run over."""
    if following is None or following < start:
        return _MINUTE
    return min(_MINUTE, (following - start) / turns)


_FORM = "a date as '2023/04/10 (Mon) 23:07'"


def _date(said: object) -> datetime | None:
    """Read `2023/04/10 (Mon) 23:07`; the weekday is passed over."""
    match = _DATE.fullmatch(said.strip()) if isinstance(said, str) else None
    if match is None:
        return None
    year, month, day, hour, minute = map(int, match.groups())
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC) if year < 9999 else None
    except ValueError:
        return None
