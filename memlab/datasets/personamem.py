"""PersonaMem (arXiv 2504.14225) in the exported form of the Agent Memory Benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from memlab.checking import check_choice
from memlab.digests import file_digest
from memlab.errors import DataError
from memlab.reading.cards import card
from memlab.reading.published import (
    MINUTE,
    START,
    Json,
    Log,
    lost,
    name,
    once,
    read_value,
    rows,
    text,
)
from memlab.reading.sources import printable
from memlab.types import Conversation, Dataset, Event, Probe, Role, SessionEnd, Turn, utc

GOLD = ("place", "evidence")
DAY = timedelta(days=1)
_MARK = re.compile(r"(?:\A|\n\n)\[(SYSTEM|USER|ASSISTANT)\] ")
_ROLES: dict[str, Role] = {"SYSTEM": "system", "USER": "user", "ASSISTANT": "assistant"}
_OPTION = re.compile(r"\(?([a-d])\)?")


class _Question(NamedTuple):
    id: str
    where: str
    row: Json
    gold: tuple[str, ...]
    gone: int


class _Session(NamedTuple):
    id: str
    content: str
    time: datetime | None


@dataclass
class _User:
    """One shared context: its sessions in order, and its questions."""

    id: str
    sessions: dict[str, _Session] = field(default_factory=dict)
    questions: list[tuple[str, str, Json]] = field(default_factory=list)


def load(path: str | Path, *, gold: str = "place", strict: bool = False) -> Dataset:
    """Read `documents.json.gz` and `queries.json.gz`; a user's sessions make a conversation.

    A document is a session; its text is cut at the marks `[SYSTEM]`, `[USER]`, `[ASSISTANT]`
    into turns `<document>:<i>`. The exported `gold_ids` name every session that begins before
    the question, so they tell when it is asked, not where the answer lies: by default a
    question comes after the last of them and has no evidence, and evidence metrics leave it
    out. (The form does not say where inside that session it was asked.) Where they are not
    simply the first sessions, they are taken as evidence: all turns of those sessions.

    Times: a session begins at its timestamp (a date that the exporter found in its text) or,
    where there is none or it would run backwards, a day after the one before; a minute a
    turn, all `imputed`. The probe's text is the user's message, without the options.

    Args:
        path: the folder of one size, such as `data/personamem/32k`.
        gold: `place` as above; `evidence` takes the gold sessions as evidence in any case.
        strict: raise if there is any defect at all.

    Raises:
        ConfigError: unknown `gold`.
        DataError: a file that is missing or cannot be read; with `strict`, any defect.
    """
    check_choice("gold", gold, GOLD)
    root, log = Path(path), Log()
    files = [_file(root, part) for part in ("documents", "queries")]
    users = _users(files, log)
    talks = tuple(_Talk(user, gold, log).read() for user in users.values() if user.sessions)
    if not talks:
        raise DataError(f"{root} has no document that can be used", "at least one")
    if strict:
        log.refuse(root)
    described = {**card("personamem"), "gold": gold}
    return Dataset("personamem", talks, {}, described, tuple(log), file_digest(*files))


def _file(root: Path, part: str) -> Path:
    """Return the gzipped file, or the unpacked one where that alone is there."""
    packed = root / f"{part}.json.gz"
    plain = packed.with_suffix("")
    return plain if plain.is_file() and not packed.is_file() else packed


def _users(files: Sequence[Path], log: Log) -> dict[str, _User]:
    users: dict[str, _User] = {}
    seen: set[str] = set()
    for where, row in rows(read_value(files[0])[0], "documents", log):
        doc, user, content = name(row.get("id")), name(row.get("user_id")), row.get("content")
        if doc is None or user is None or not isinstance(content, str):
            log.note("document without id, user or content", where, row, "dropped")
        elif doc in seen:
            log.note("repeated document", where, doc, "dropped")
        else:
            seen.add(doc)
            words = text(row, "content", where, log) or ""
            session = _Session(doc, words, _time(row.get("timestamp"), where, log))
            users.setdefault(user, _User(user)).sessions[doc] = session
    for where, row in rows(read_value(files[1])[0], "queries", log):
        query, user = name(row.get("id")), name(row.get("user_id"))
        if query is None or user is None or not isinstance(row.get("query"), str):
            log.note("query without id, user or text", where, row, "dropped")
        elif user not in users:
            log.note("query of a user without documents", where, user, "dropped")
        elif any(query == asked for asked, *_ in users[user].questions):
            log.note("repeated query", where, query, "dropped")
        else:
            users[user].questions.append((query, where, row))
    return users


def _time(value: object, where: str, log: Log) -> datetime | None:
    """Return a timestamp; one that is no time of our days is dropped."""
    if value is None:
        return None
    try:
        moment = utc(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        moment = None
    if moment is None or not 1900 <= moment.year <= 2200:
        log.note("unreadable timestamp", where, value, "dropped")
        return None
    return moment


@dataclass
class _Talk:
    """The conversation of one user, as it is put together."""

    user: _User
    gold: str
    log: Log
    turns: dict[str, list[Turn]] = field(default_factory=dict)

    def read(self) -> Conversation:
        """Return the sessions in order, each question behind the last one it may know of."""
        asked = self._places()
        events: list[Event] = []
        for place, session in enumerate(self.user.sessions.values()):
            said = self._said(session, events[-1].time if events else None)
            self.turns[session.id] = said
            end = SessionEnd(session=session.id, time=said[-1].time)
            probes = [self._probe(question, end.time + MINUTE) for question in asked.get(place, [])]
            events += [*said, end, *probes]
        return Conversation(self.user.id, tuple(events), {"language": "en"})

    def _said(self, session: _Session, before: datetime | None) -> list[Turn]:
        start = session.time or START
        if before is not None and start <= before:
            if session.time is not None:
                self.log.note("session out of order", session.id, session.time, "repaired")
            start = before + DAY
        return [
            Turn(
                id=f"{session.id}:{number}",
                text=words,
                time=start + number * MINUTE,
                session=session.id,
                speaker=role,
                role=role,
                user=self.user.id,
                imputed=True,
            )
            for number, (role, words) in enumerate(_cut(session, self.log))
        ]

    def _places(self) -> dict[int, list[_Question]]:
        """Return the questions by the number of the session they come after."""
        order = {session: place for place, session in enumerate(self.user.sessions)}
        asked: dict[int, list[_Question]] = {}
        for query, where, row in self.user.questions:
            listed = row.get("gold_ids")
            ids = once([name(v) or "" for v in listed] if isinstance(listed, list) else [])
            known = [doc for doc in ids if doc in order]
            gone = len(ids) - len(known)
            if gone:
                found = [doc for doc in ids if doc not in order]
                self.log.note("gold of no document", where, found, "dropped")
            if not known:
                self.log.note("no gold", where, listed, "reported")
            places = sorted(order[doc] for doc in known)
            prefix = places == list(range(len(places)))
            evident = self.gold == "evidence" or not prefix
            question = _Question(query, where, row, tuple(known) if evident else (), gone)
            asked.setdefault(places[-1] if places else len(order) - 1, []).append(question)
        return asked

    def _probe(self, question: _Question, time: datetime) -> Probe:
        query, where, row, gold, gone = question
        given = row.get("meta")
        more: Json = given if isinstance(given, dict) else {}
        bare = text(more, "retrieval_query", where, self.log)
        full = text(row, "query", where, self.log) or ""
        answers, letter = _answers(row.get("gold_answers"))
        if not answers:
            self.log.note("no answer", where, row.get("gold_answers"), "reported")
        topic = text(more, "topic", where, self.log)
        meta = {"question": full if bare else None, "topic": topic, "letter": letter}
        return Probe(
            id=query,
            text=bare or full,
            time=time,
            user=self.user.id,
            category=text(more, "question_type", where, self.log) or "",
            evidence=tuple(turn.id for doc in gold for turn in self.turns[doc]),
            answers=answers,
            meta={**{k: v for k, v in meta.items() if v}, **lost(["unknown"] * gone)},
        )


def _cut(session: _Session, log: Log) -> Iterator[tuple[Role, str]]:
    """Yield the messages of a document; one without marks is a single message."""
    marks = list(_MARK.finditer(session.content))
    before = session.content[: marks[0].start()] if marks else session.content
    if before.strip() or not marks:
        log.note("text without a role", session.id, before, "reported")
        yield "user", before
    ends = [*(mark.start() for mark in marks[1:]), len(session.content)]
    for mark, end in zip(marks, ends, strict=False):
        yield _ROLES[mark[1]], session.content[mark.end() : end]


def _answers(given: object) -> tuple[tuple[str, ...], str | None]:
    """Return the right option without its letter, and the letter."""
    texts = [printable(v) for v in given if isinstance(v, str)] if isinstance(given, list) else []
    letters = [match[1] for v in texts if (match := _OPTION.fullmatch(v.strip()))]
    options = [v for v in texts if not _OPTION.fullmatch(v.strip())]
    answers = once(re.sub(r"\A\([a-d]\)\s*", "", option) for option in options)
    return tuple(filter(str.strip, answers)), letters[0] if letters else None
