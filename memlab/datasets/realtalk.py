"""REALTALK (arXiv 2502.13270): ten English chats of two real people, with questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from memlab.checking import check_choice
from memlab.errors import DataError
from memlab.reading.captions import IMAGES, captioned
from memlab.reading.people import meant, otherwise
from memlab.reading.references import mend
from memlab.reading.sources import Source, free, name_of, printable, sessions, shown
from memlab.types import Action, Conversation, Dataset, Probe, Turn

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain"}
"""The codes of the files, read as LoCoMo's; the third asks for common knowledge."""

_SESSION = re.compile(r"session_(\d{1,9})(_date_time)?")
_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}),? +(\d{1,2}):(\d{2})(?::(\d{2}))?")
_ID = re.compile(r"D(\d{1,9}):(\d{1,9})")
_IDS = re.compile(r"(?:\W*D\d+:\d+)+\W*")
_MINUTE = timedelta(minutes=1)
START = datetime(2000, 1, 1, tzinfo=UTC)
"""The first moment of a chat without any time that can be read."""
_SHOWN = 12

Json = dict[str, Any]
Session = tuple[datetime, str, list[Any]]
"""Start, number and raw turns."""


def load(path: str | Path, *, images: str = "text+caption", strict: bool = False) -> Dataset:
    """Read the folder of `Chat_<n>_*.json`, or one such file; a file is a conversation.

    Turns have times of their own (UTC is assumed) and stand in the session list that holds
    them; `dia_id` counts days, so evidence is looked up over the whole chat. What cannot be
    read is dropped and reported in `Dataset.defects`, as is everything odd. The first speaker
    has the role `user`. Questions are asked one minute after the last turn.

    Args:
        path: the folder or the file.
        images: what a turn with a captioned image says: its words (`text`), the caption in
            place of them (`caption`), or both (`text+caption`).
        strict: raise if there is any defect at all.

    Raises:
        ConfigError: unknown `images`.
        DataError: no file, a file that is no JSON, no chat; with `strict`, any defect.
    """
    check_choice("images", images, IMAGES)
    source = Source("realtalk", path, strict=strict)
    talks: dict[str, Conversation] = {}
    for file in _files(Path(path)):
        name = free(printable(file.stem), talks)
        talk = _Chat(source, name, source.read(file, file.name), images).read()
        if talk is not None:
            talks[name] = talk
    return source.dataset(talks.values(), images=images)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("Chat_*.json"), key=lambda file: (_number(file.stem), file.name))
    if not files:
        raise DataError(f"{path} has no Chat_*.json", "the folder `data` of REALTALK, or one file")
    return files


def _number(name: str) -> int:
    match = re.search(r"\d{1,9}", name)
    return int(match[0]) if match else 0


@dataclass
class _Chat:
    """One chat on its way to a conversation."""

    source: Source
    id: str
    chat: Any
    images: str
    people: list[str] = field(default_factory=list)
    order: dict[str, int] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    spelt: Counter[tuple[str, int | None]] = field(default_factory=Counter)
    now: datetime = START

    def read(self) -> Conversation | None:
        """Return the conversation; None, and a defect, where no turn can be read."""
        if not isinstance(self.chat, dict):
            self._note("unreadable chat", "", self.chat, "dropped")
            return None
        listed = self._sessions()
        self.people = self._names(listed)
        events = sessions(self._turns(listed))
        if not events:
            self._note("no readable turn", "", f"{len(listed)} sessions", "dropped")
            return None
        self._spellings()
        self._numbering()
        self._entries()
        probes = list(self._probes(events[-1].time + _MINUTE))
        for name, other, count in otherwise(self.people, [p.text for p in probes]):
            found = f"{name!r} in no question, {other!r} in {count}"
            self._note("name differs from the questions", "", found, "reported")
        return Conversation(
            self.id, (*events, *probes), {"language": "en", "speakers": list(self.people)}
        )

    def _note(self, kind: str, place: str, found: object, action: Action) -> None:
        self.source.note(kind, f"{self.id} {place}".strip(), found, action)

    def _sessions(self) -> list[Session]:
        """Return the sessions in time order; one without a time follows the one before it."""
        found: list[Session] = []
        last = _first(self.chat)
        numbers = {m[1] for key in self.chat if (m := _SESSION.fullmatch(key))}
        for number in sorted(numbers, key=lambda text: (int(text), text)):
            name = f"session_{number}"
            turns, said = self.chat.get(name), self.chat.get(f"{name}_date_time")
            if not isinstance(turns, list) or not turns:
                kind, action = _unusable(turns)
                self._note(kind, name, turns or said, action)
                continue
            start, first = _time(said), _said(turns[0])
            if start is None or (first is not None and first != start):
                found_ = f"{shown(said)}, first turn {first}"
                self._note("session date differs", name, found_, "reported")
            last = first or start or last
            found.append((last, number, turns))
        in_order = sorted(found, key=lambda session: session[0])
        if in_order != found:
            order = " ".join(number for _, number, _ in in_order)
            self._note("sessions out of order", "", order, "repaired")
        return in_order

    def _names(self, listed: list[Session]) -> list[str]:
        given = self.chat.get("name")
        named = (
            [_word(given.get(f"speaker_{n}")) for n in (1, 2)] if isinstance(given, dict) else []
        )
        names = list(dict.fromkeys(filter(None, named)))
        if len(names) == 2:
            return names
        self._note("no names of two people", "name", given, "reported")
        raw = (turn for _, _, turns in listed for turn in turns if isinstance(turn, dict))
        return list(islice(dict.fromkeys(filter(None, (_word(t.get("speaker")) for t in raw))), 2))

    def _turns(self, listed: list[Session]) -> Iterator[Turn]:
        for start, number, turns in listed:
            for index, raw in enumerate(turns):
                place = f"session_{number}#{index}"
                words, caption = self._said(raw, place)
                if words is None:
                    self._note("turn without text", place, raw, "dropped")
                    continue
                name = self._name(raw, place)
                time, imputed = self._clock(raw.get("date_time"), start, f"{name} {place}")
                text, meta = captioned(words, caption, self.images)
                speaker, role = self._speaker(raw.get("speaker"), place)
                self.order[name] = len(self.order)
                yield Turn(
                    id=name,
                    text=text,
                    time=time,
                    session=number,
                    speaker=speaker,
                    role="user" if role == 0 else "assistant",
                    user=self.id,
                    imputed=imputed,
                    meta=meta,
                )

    def _said(self, raw: object, place: str) -> tuple[str | None, str]:
        """Return the words of a turn and its caption; None if there are neither."""
        if not isinstance(raw, dict):
            return None, ""
        words, caption = raw.get("clean_text"), raw.get("blip_caption")
        several = caption if isinstance(caption, list) else [caption]
        captions = [_word(one).strip() for one in several]
        if any(one and not isinstance(one, str) for one in several):
            self._note("unreadable caption", place, caption, "dropped")
        caption = "; ".join(filter(None, captions))
        if isinstance(words, str):
            if not (words.strip() or caption):
                self._note("empty text", place, raw.get("img_file"), "reported")
            return printable(words), caption
        return "" if caption else None, caption

    def _name(self, raw: Json, place: str) -> str:
        name = name_of(raw.get("dia_id"))
        if name is None:
            self._note("turn without id", place, raw.get("dia_id"), "repaired")
            return free(place, self.order)
        if name in self.order:
            self._note("repeated dia_id", place, name, "repaired")
        return free(name, self.order)

    def _clock(self, said: object, start: datetime, place: str) -> tuple[datetime, bool]:
        """Return the time of a turn, never before the one before it, and whether it is imputed."""
        time = _time(said)
        imputed = time is None or (bool(self.order) and time < self.now)
        if imputed:
            kind = "unreadable time" if time is None else "time runs backwards"
            self._note(kind, place, said, "repaired")
        if time is None:
            time = max(start, self.now) if self.order else start
        self.now = max(time, self.now) if self.order else time
        return self.now, imputed

    def _speaker(self, said: object, place: str) -> tuple[str, int | None]:
        """Return the speaker as spelt, and which of the two people is meant."""
        speaker = _word(said)
        if not speaker:
            self._note("turn without speaker", place, said, "reported")
            return "unknown", None
        if speaker in self.people:
            return speaker, self.people.index(speaker)
        person = meant(speaker, self.people)
        self.spelt[speaker, person] += 1
        return speaker, person

    def _spellings(self) -> None:
        for (speaker, place), count in self.spelt.items():
            if place is None:
                self._note("unknown speaker", "", f"{speaker!r} on {count} turns", "reported")
            else:
                found = f"{speaker!r} for {self.people[place]!r} on {count} turns"
                self._note("speaker spelt differently", "", found, "reported")

    def _numbering(self) -> None:
        """Report the numbers that no turn has: turns were removed before publication."""
        days: dict[int, set[int]] = {}
        for day, number in (map(int, m.groups()) for m in map(_ID.fullmatch, self.order) if m):
            days.setdefault(day, set()).add(number)
        missing = sum(max(seen) - len(seen - {0}) for seen in days.values())
        if missing:
            gone = (
                f"D{day}:{n}"
                for day, seen in sorted(days.items())
                for n in range(1, max(seen))
                if n not in seen
            )
            some = " ".join(islice(gone, _SHOWN))
            more = " …" if missing > _SHOWN else ""
            self._note("missing numbers", "", f"{missing}: {some}{more}", "reported")

    def _entries(self) -> None:
        for key, value in self.chat.items():
            if key.startswith("events_session_"):
                if empty := _empty(value):
                    self._note("empty event entry", key, f"{empty} empty", "reported")
            elif key not in ("name", "qa") and not _SESSION.fullmatch(key):
                self._note("unknown field", key, value, "reported")

    def _probes(self, time: datetime) -> Iterator[Probe]:
        asked = self.chat.get("qa")
        if not isinstance(asked, list):
            self._note("no questions", "qa", asked, "reported")
            return
        for index, raw in enumerate(asked):
            where = f"{self.id}#{index}"
            text = _word(raw.get("question")) if isinstance(raw, dict) else ""
            if not text:
                self.source.note("question without text", where, raw, "dropped")
                continue
            self.source.asked(self.asked, text, where)
            yield self._probe(where, text, raw, time)

    def _probe(self, where: str, text: str, raw: Json, time: datetime) -> Probe:
        mended = mend(self._references(where, raw.get("evidence")), self.order)
        for kind, found, action in mended.faults:
            self.source.note(kind, where, found, action)
        code = self._code(where, raw.get("category"))
        meta: Json = {"category_code": code} if code else {}
        if mended.evidence:
            last = max(self.order[turn] for turn in mended.evidence)
            meta["distance"] = len(self.order) - 1 - last
        if lost := sum(action == "dropped" for _, _, action in mended.faults):
            meta["lost_evidence"] = {"unknown": lost}
        return Probe(
            id=where,
            text=text,
            time=time,
            user=self.id,
            category=CATEGORIES.get(code, "unknown"),
            evidence=mended.evidence,
            answers=self._answers(where, raw.get("answer")),
            meta=meta,
        )

    def _references(self, where: str, cited: object) -> list[str]:
        """Return the evidence strings; what is no string is given to `mend` as it looks."""
        if cited is None:
            return []
        if not isinstance(cited, list) or any(isinstance(member, list) for member in cited):
            self.source.note("evidence is no flat list", where, cited, "repaired")
        return [ref if isinstance(ref, str) else shown(ref) for ref in _flat(cited)]

    def _code(self, where: str, code: object) -> int:
        if isinstance(code, str) and code.strip() in ("1", "2", "3"):
            self.source.note("category as text", where, code, "repaired")
            code = int(code)
        if type(code) is int and code in CATEGORIES:
            return code
        self.source.note("unknown category", where, code, "reported")
        return 0

    def _answers(self, where: str, answer: object) -> tuple[str, ...]:
        if isinstance(answer, str) and _IDS.fullmatch(answer):
            self.source.note("answer is an evidence id", where, answer, "dropped")
            return ()
        if words := _word(answer):
            return (words,)
        if isinstance(answer, int | float) and not isinstance(answer, bool):
            self.source.note("number as answer", where, answer, "repaired")
            return (str(answer),)
        several = tuple(_word(one) for one in answer) if isinstance(answer, list) else ()
        if several and all(several):
            self.source.note("several answers", where, answer, "repaired")
            return several
        kind = "no answer" if not answer else "unreadable answer"
        self.source.note(kind, where, answer, "dropped" if answer else "reported")
        return ()


def _word(value: object) -> str:
    """Return a text as any file can hold it; "" where there is none."""
    return printable(value) if isinstance(value, str) and value.strip() else ""


def _flat(value: object) -> Iterator[object]:
    waiting = [value]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, list):
            waiting += reversed(thing)
        else:
            yield thing


def _empty(value: object) -> int:
    """Count what is empty in an entry, at any depth."""
    count, waiting = 0, [value]
    while waiting:
        thing = waiting.pop()
        if thing is None or (isinstance(thing, str | list | dict) and not thing):
            count += 1
        elif isinstance(thing, list | dict):
            waiting += thing.values() if isinstance(thing, dict) else thing
    return count


def _unusable(turns: object) -> tuple[str, Action]:
    if turns is None:
        return "date without session", "reported"
    return ("empty session", "reported") if turns == [] else ("unreadable session", "dropped")


def _first(chat: Json) -> datetime:
    """Return the first time of a chat that can be read, in the order of the file."""
    lists = (value for value in chat.values() if isinstance(value, list))
    said = (time for turns in lists for turn in turns if (time := _said(turn)))
    dates = (time for value in chat.values() if (time := _time(value)))
    return next(said, None) or next(dates, START)


def _said(turn: object) -> datetime | None:
    return _time(turn.get("date_time")) if isinstance(turn, dict) else None


def _time(said: object) -> datetime | None:
    """Read `29.12.2023, 22:42:04`."""
    match = _DATE.fullmatch(said.strip()) if isinstance(said, str) else None
    if match is None:
        return None
    day, month, year, hour, minute, second = (int(part or 0) for part in match.groups())
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC) if year < 9999 else None
    except ValueError:
        return None
