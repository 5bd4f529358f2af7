"""MemDaily (MemSim, arXiv 2409.20163): Chinese messages of one user, one question a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.errors import ConfigError, DataError, suggest
from memlab.reading.citations import evidence
from memlab.reading.sources import Source, free, name_of, printable, sessions, shown
from memlab.types import Conversation, Dataset, Probe, Turn

KINDS = {
    "01": "simple",
    "02": "conditional",
    "03": "comparative",
    "04": "aggregative",
    "05": "post-processing",
    "06": "noisy",
}
"""The types of question, which are the categories, by the code that a file name begins with."""

START = datetime(2000, 1, 1, tzinfo=UTC)
"""When a record begins that states no readable time at all."""

_STEM = re.compile(r"(0[1-6])_[a-z_]+_([a-z]+)")
_TIME = re.compile(
    r"((?:19|20)\d{2})年(\d{1,2})月(\d{1,2})日\s*(?:(?:周|星期)\w)?\s*(\d{1,2}):(\d{2})"
)
_FAILED = "[ERROR"
_MINUTE = timedelta(minutes=1)

Json = dict[str, Any]


def load(
    path: str | Path, *, kinds: str | Sequence[str] | None = None, strict: bool = False
) -> Dataset:
    """Read files of MemDaily; each record is a conversation `<file stem>#<tid>` of one user.

    The text of a turn is the message alone; its place stands in `meta["place"]`. Turns are
    brought into time order; each day is a session, named by its date. A question that is
    dated before the last message is asked a minute after it. A record whose question failed
    to be generated is dropped. `meta` of a probe has its `subject`, `choices` and the letter
    of the right one, `ground_truth`.

    Args:
        path: the folder of the files, or one of them.
        kinds: types of question (`simple`, …) or file stems (`04_aggregative_roles`) to keep.
        strict: raise if there is any defect at all.

    Raises:
        ConfigError: `kinds` that name nothing here.
        DataError: a file that cannot be read or has another shape; with `strict`, any defect.
    """
    source = Source("memdaily", path, strict=strict)
    files = _chosen(_files(source.path), kinds)
    talks = [talk for file in files for talk in _records(source, file)]
    described = {} if kinds is None else {"kinds": [file.stem for file in files]}
    return source.dataset(talks, **described)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    try:
        found = sorted(p for p in path.iterdir() if p.suffix == ".json" and p.is_file())
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}", "a folder") from error
    if not found:
        raise DataError(f"{path} has no JSON file", "01_simple_events.json and the like")
    return found


def _described(file: Path) -> tuple[str, str]:
    """Return the type of question and the subject that a file's name says."""
    match = _STEM.fullmatch(file.stem)
    return (KINDS[match[1]], match[2]) if match else (printable(file.stem), "")


def _chosen(files: list[Path], kinds: str | Sequence[str] | None) -> list[Path]:
    if kinds is None:
        return files
    wanted = [kinds] if isinstance(kinds, str) else kinds
    if not isinstance(wanted, list | tuple) or not wanted:
        raise ConfigError(f"kinds={kinds!r}", "a type of question, a file stem, or a list of them")
    names = {name for file in files for name in (_described(file)[0], file.stem)}
    for kind in wanted:
        if kind not in names:
            hint = suggest(kind, names) if isinstance(kind, str) else ""
            raise ConfigError(f"kinds has {kind!r}", "what the files are of", hint)
    return [file for file in files if {_described(file)[0], file.stem} & set(wanted)]


def _records(source: Source, file: Path) -> Iterator[Conversation]:
    records = source.read(file, file.name)
    if not isinstance(records, list):
        raise DataError(
            f"{file} holds {shown(records)}", "a list of records, as in messages_and_QAs"
        )
    kind, subject = _described(file)
    stem = printable(file.stem)
    if not subject:
        source.note("unknown type of question", stem, file.name, "reported")
    if not records:
        source.note("file without records", stem, "[]", "reported")
    asked: dict[str, str] = {}
    for position, record in enumerate(records):
        named = record.get("tid") if isinstance(record, dict) else None
        name = name_of(named)
        where = f"{stem} record {position}"
        if name is None and isinstance(record, dict):
            source.note("no tid", where, named, "repaired")
        own = source.own(f"{stem}#{name or f'record {position}'}", where)
        talk = _Record(own, source, kind, subject, asked).read(record)
        if talk is not None:
            yield talk


def _time(said: object) -> datetime | None:
    """Read `2024年04月01日 周一 08:30`; None if it is no time."""
    match = _TIME.fullmatch(said.strip()) if isinstance(said, str) else None
    try:
        return datetime(*map(int, match.groups()), tzinfo=UTC) if match else None  # type: ignore[arg-type,misc]
    except ValueError:
        return None


def _has_failed(question: Json) -> bool:
    fields = (question.get(key) for key in ("question", "answer", "choices", "ground_truth"))
    return any(isinstance(value, str) and value.startswith(_FAILED) for value in fields)


@dataclass
class _Record:
    """One record on its way to a conversation."""

    id: str
    source: Source
    kind: str
    subject: str
    asked: dict[str, str]
    turns: dict[str, Turn] = field(default_factory=dict)

    def read(self, raw: Any) -> Conversation | None:  # noqa: ANN401
        """Return the conversation; None, and a defect, if nothing can be made of the record."""
        record: Json = raw if isinstance(raw, dict) else {}
        messages, questions = record.get("message_list"), record.get("question_list")
        if not isinstance(messages, list):
            self.source.note("unreadable record", self.id, raw, "dropped")
            return None
        questions = questions if isinstance(questions, list) else [questions]
        good = [q for q in questions if not (isinstance(q, dict) and _has_failed(q))]
        found = f"{len(questions)} questions, {len(messages)} messages: {shown(questions)}"
        if questions and not good:
            self.source.note("failed generation", self.id, found, "dropped")
            return None
        for position, message in enumerate(messages):
            self._message(position, message)
        if not self.turns:
            self.source.note("record without messages", self.id, found, "dropped")
            return None
        turns = self._in_order()
        probes = self._probes(questions)
        meta = {"language": "zh", "kind": self.kind, "subject": self.subject}
        return Conversation(self.id, (*sessions(turns), *probes), meta)

    def _message(self, position: int, raw: Any) -> None:  # noqa: ANN401
        message: Json = raw if isinstance(raw, dict) else {}
        where = f"{self.id} message {position}"
        name, said = name_of(message.get("mid")), message.get("message")
        if name is None or not isinstance(said, str):
            self.source.note("unreadable message", where, raw, "dropped")
            return
        if name in self.turns:
            self.source.note("repeated mid", where, name, "repaired")
            name = free(name, self.turns)
        text, time, place = printable(said), _time(message.get("time")), message.get("place")
        for kind, found in _faults(said, text):
            self.source.note(kind, where, found, "reported" if text == said else "repaired")
        if time is None:
            self.source.note("unreadable time", where, message.get("time"), "repaired")
        self.turns[name] = Turn(
            id=name,
            text=text,
            time=time or max((t.time for t in self.turns.values()), default=START),
            user=self.id,
            imputed=time is None,
            meta={"place": printable(place)} if isinstance(place, str) else {},
        )

    def _in_order(self) -> list[Turn]:
        """Return the turns by time, those of one minute as they stand in the file."""
        given = list(self.turns)
        turns = sorted(self.turns.values(), key=lambda turn: turn.time)
        self.turns = {t.id: replace(t, session=t.time.date().isoformat()) for t in turns}
        if list(self.turns) != given:
            order = " ".join(self.turns)
            self.source.note("messages not in time order", self.id, order, "repaired")
        return list(self.turns.values())

    def _probes(self, questions: list[Any]) -> list[Probe]:
        if not questions:
            self.source.note("no question", self.id, "[]", "reported")
        probes: dict[str, Probe] = {}
        for position, raw in enumerate(questions):
            question: Json = raw if isinstance(raw, dict) else {}
            text = question.get("question")
            where = f"{self.id}/{position}"
            if _has_failed(question):
                self.source.note("failed generation", where, raw, "dropped")
            elif not isinstance(text, str) or not text.strip():
                self.source.note("unreadable question", where, raw, "dropped")
            else:
                name = free(f"{self.id}/{name_of(question.get('qid')) or position}", probes)
                probes[name] = self._probe(name, printable(text), question)
        return sorted(probes.values(), key=lambda probe: probe.time)

    def _probe(self, name: str, text: str, question: Json) -> Probe:
        self.source.asked(self.asked, text, name)
        order = {turn: place for place, turn in enumerate(self.turns)}
        turns, meta = evidence(self.source, name, question.get("target_step_id"), order)
        answer = self.source.words(question.get("answer"), name)
        if not answer:
            self.source.note("no answer", name, question.get("answer"), "reported")
        return Probe(
            id=name,
            text=text,
            time=self._asked_at(name, question.get("time")),
            user=self.id,
            category=self.kind,
            evidence=turns,
            answers=(answer,) if answer else (),
            meta={"subject": self.subject, **meta, **self._choices(name, question)},
        )

    def _asked_at(self, where: str, said: object) -> datetime:
        last = max(turn.time for turn in self.turns.values())
        time = _time(said)
        if time is not None and time >= last:
            return time
        kind = "unreadable time" if time is None else "question before the last message"
        self.source.note(kind, where, said, "repaired")
        return last + _MINUTE

    def _choices(self, where: str, question: Json) -> Json:
        """Return the choices and the letter of the right one, as far as they are texts."""
        raw, letter = question.get("choices"), question.get("ground_truth")
        fits = isinstance(raw, dict) and all(isinstance(said, str) for said in raw.values())
        if not isinstance(raw, dict) or not fits or not isinstance(letter, str):
            self.source.note("unreadable choices", where, [raw, letter], "reported")
            return {}
        choices = {printable(key): printable(said) for key, said in raw.items()}
        if len(set(choices.values())) < len(choices):
            self.source.note("equal choices", where, choices, "reported")
        if raw.get(letter) != question.get("answer"):
            found = f"{letter} is {shown(raw.get(letter))}, not {shown(question.get('answer'))}"
            self.source.note("answer is not the right choice", where, found, "reported")
        return {"choices": choices, "ground_truth": printable(letter)}


def _faults(said: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a message as it is said; `text` is its printable form."""
    if text != said:
        yield "half surrogate pair", shown(said)
    if "。。" in said:
        yield "doubled full stop", said
    if not said.strip():
        yield "empty message", said
