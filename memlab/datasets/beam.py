"""BEAM (arXiv 2510.27246): long chats of a user with an assistant, probed for ten abilities."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.checking import check_choice
from memlab.errors import DataError
from memlab.reading.citations import cited, distance, evidence
from memlab.reading.sources import Source, free, name_of, printable, sessions, shown
from memlab.types import Conversation, Dataset, Probe, Role, Turn

ANSWERS = {
    "abstention": "ideal_response",
    "contradiction_resolution": "ideal_answer",
    "event_ordering": "answer",
    "information_extraction": "answer",
    "instruction_following": "expected_compliance",
    "knowledge_update": "answer",
    "multi_session_reasoning": "answer",
    "preference_following": "expected_compliance",
    "summarization": "ideal_summary",
    "temporal_reasoning": "answer",
}
"""The abilities, which are the categories, and the field that answers a question of each."""

UPDATES = ("cited", "current")
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
START = datetime(2000, 1, 1, tzinfo=UTC)
"""When a chat begins that states no date at all."""

_CHAT, _QUESTIONS = "chat.json", "probing_questions.json"
_ARROW = "->->"
_MARKER = re.compile(r"->->[\s\d,;NA/]*")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DATE = re.compile(r"([A-Za-z]{3})[a-z]*[-\s]+(\d{1,2})[-,\s]+((?:19|20)\d{2})")
_MINUTE = timedelta(minutes=1)

Json = dict[str, Any]


def load(path: str | Path, *, updates: str = "cited", strict: bool = False) -> Dataset:
    """Read a tier of BEAM; its defects are repaired or reported, each with its place.

    A conversation folder holds `chat.json` and `probing_questions.json` (also in a folder
    `probing_questions`). Each batch is a session; its first turn stands at midnight UTC of its
    time anchor, the others a minute apart, all `imputed`. Questions come one minute after the
    last turn. `answers` holds what the field `answer` says, `meta["ideal"]` the description of
    a good response where there is that instead.

    Args:
        path: the folder of a tier (`…/100K`), or of one conversation in it.
        updates: `cited` takes all messages that a knowledge update cites as its evidence;
            `current` takes those of the new value, and those of the old one as `stale`.
        strict: raise if there is any defect at all.

    Raises:
        ConfigError: unknown `updates`.
        DataError: no such folder, or a file of another shape; with `strict`, any defect.
    """
    check_choice("updates", updates, UPDATES)
    source = Source("beam", path, strict=strict)
    tier, folders = _folders(source.path)
    talks = [
        _Chat(source.own(f"beam-{tier}-{name}", str(folder)), source, updates).read(
            folder, f"{tier}/{name}"
        )
        for name, folder in folders
    ]
    return source.dataset([t for t in talks if t is not None], tier=tier, updates=updates)


def _folders(path: Path) -> tuple[str, list[tuple[str, Path]]]:
    """Return the name of the tier, and its conversations by name in numeric order."""
    try:
        whole = path.resolve()
        if _is_chat(path):
            return printable(whole.parent.name), [(printable(whole.name), path)]
        found = [(printable(p.name), p) for p in path.iterdir() if _is_chat(p)]
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}", "a folder of BEAM") from error
    if not found:
        raise DataError(
            f"{path} has no folder with {_CHAT}",
            f"the folder of a tier, such as 100K, that has 1/{_CHAT}, 2/{_CHAT}, …",
        )
    return printable(whole.name), sorted(found, key=_number)


def _number(named: tuple[str, Path]) -> tuple[int, str]:
    name = named[0]
    return (int(name), name) if re.fullmatch(r"[0-9]{1,9}", name) else (10**9, name)


def _is_chat(path: Path) -> bool:
    return (path / _CHAT).is_file() or _questions(path).is_file()


def _questions(folder: Path) -> Path:
    plain = folder / _QUESTIONS
    return plain if plain.is_file() else folder / "probing_questions" / _QUESTIONS


def _date(said: object) -> datetime | None:
    """Read `March-15-2024`; None if it is no date."""
    match = _DATE.fullmatch(said.strip()) if isinstance(said, str) else None
    if match and match[1].lower() in _MONTHS:
        month = _MONTHS.index(match[1].lower()) + 1
        try:
            return datetime(int(match[3]), month, int(match[2]), tzinfo=UTC)
        except ValueError:
            pass
    return None


@dataclass
class _Chat:
    """One conversation on its way from its folder."""

    id: str
    source: Source
    updates: str
    turns: list[Turn] = field(default_factory=list)
    order: dict[str, int] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    probes: dict[str, Probe] = field(default_factory=dict)
    clock: datetime | None = None

    def read(self, folder: Path, name: str) -> Conversation | None:
        """Return the conversation; None, and a defect, if it has no turn."""
        batches: Any = []
        if (folder / _CHAT).is_file():
            batches = self.source.read(folder / _CHAT, f"{name}/{_CHAT}")
        if not isinstance(batches, list):
            raise DataError(f"{folder / _CHAT} holds {shown(batches)}", "a list of batches")
        for number, batch in enumerate(batches, 1):
            self._batch(number, batch)
        if not self.turns:
            self.source.note("conversation without turns", self.id, shown(batches), "dropped")
            return None
        probes = self._probes(folder, name)
        return Conversation(self.id, (*sessions(self.turns), *probes), {"language": "en"})

    def _batch(self, number: int, batch: Any) -> None:  # noqa: ANN401
        where = f"{self.id} batch {number}"
        groups = batch.get("turns") if isinstance(batch, dict) else None
        if not isinstance(groups, list):
            self.source.note("unreadable batch", where, batch, "dropped")
            return
        messages = [m for g in groups for m in (g if isinstance(g, list) else [g])]
        first = next((m for m in messages if isinstance(m, dict)), {})
        if batch.get("time_anchor") is not None:
            self._move(where, batch["time_anchor"])
        elif messages and first.get("time_anchor") is None:
            self.source.note("no time anchor", where, first.get("time_anchor"), "repaired")
        for position, message in enumerate(messages):
            self._message(f"{where} message {position}", str(number), message)

    def _move(self, where: str, said: object) -> None:
        """Put the clock to midnight of a stated day, but never back."""
        day = _date(said)
        if day is None:
            self.source.note("unreadable time anchor", where, said, "repaired")
        elif self.clock is None or day >= self.clock:
            self.clock = day
        elif day.date() != self.clock.date():
            self.source.note("time anchor out of order", where, said, "repaired")

    def _message(self, where: str, session: str, raw: Any) -> None:  # noqa: ANN401
        message: Json = raw if isinstance(raw, dict) else {}
        name, content = name_of(message.get("id")), message.get("content")
        if name is None or not isinstance(content, str):
            self.source.note("unreadable message", where, raw, "dropped")
            return
        if name in self.order:
            self.source.note("repeated message id", where, name, "repaired")
            name = free(name, self.order)
        if message.get("time_anchor") is not None:
            self._move(where, message["time_anchor"])
        role = self._role(where, message.get("role"))
        time = self.clock or START
        self.clock = time + _MINUTE
        self.order[name] = len(self.order)
        turn = Turn(id=name, text=content, time=time, session=session, user=self.id, imputed=True)
        text = self._text(f"{self.id} message {name}", content, role)
        self.turns.append(replace(turn, text=text, role=role, speaker=role))

    def _role(self, where: str, said: object) -> Role:
        if isinstance(said, str) and said in ROLES:
            return ROLES[said]
        self.source.note("unknown role", where, said, "repaired")
        return "user"

    def _text(self, where: str, content: str, role: Role) -> str:
        text = printable(content)
        if text != content:
            self.source.note("half surrogate pair", where, content, "repaired")
        at = text.rfind(_ARROW)
        while at >= 0 and _MARKER.fullmatch(text, at):
            self.source.note(f"generator marker ({role})", where, text[at:].strip(), "repaired")
            text = text[:at].rstrip()
            at = text.rfind(_ARROW)
        if at >= 0:
            self.source.note("arrow inside a text", where, text[at : at + 40], "reported")
        if not text.strip():
            self.source.note("empty message", where, text, "reported")
        return text

    def _probes(self, folder: Path, name: str) -> list[Probe]:
        path = _questions(folder)
        if not path.is_file():
            self.source.note("no questions", self.id, f"no {_QUESTIONS}", "reported")
            return []
        questions = self.source.read(path, f"{name}/{_QUESTIONS}")
        if not isinstance(questions, dict):
            raise DataError(f"{path} holds {shown(questions)}", "an object of lists by ability")
        for ability, entries in questions.items():
            if ability not in ANSWERS:
                self.source.note("unknown ability", f"{self.id}/{ability}", ability, "reported")
            for number, entry in enumerate(entries if isinstance(entries, list) else [entries]):
                self._probe(printable(ability), number, entry)
        return list(self.probes.values())

    def _probe(self, ability: str, number: int, raw: Any) -> None:  # noqa: ANN401
        where = free(f"{self.id}/{ability}#{number}", self.probes)
        entry: Json = raw if isinstance(raw, dict) else {}
        text = entry.get("question")
        if not isinstance(text, str) or not text.strip():
            self.source.note("unreadable question", where, raw, "dropped")
            return
        text = printable(text)
        self.source.asked(self.asked, text, where)
        answers, ideal = self._answer(where, ability, entry)
        current, stale, meta = self._evidence(where, ability, entry.get("source_chat_ids"))
        self.probes[where] = Probe(
            id=where,
            text=text,
            time=self.turns[-1].time + _MINUTE,
            user=self.id,
            category=ability,
            evidence=current,
            answers=answers,
            stale=stale,
            answerable=ability != "abstention",
            meta={**meta, **ideal, **_described(entry)},
        )

    def _answer(self, where: str, ability: str, entry: Json) -> tuple[tuple[str, ...], Json]:
        """Return the accepted answers, and the description of a good response."""
        fields = [ANSWERS[ability]] if ability in ANSWERS else list(dict.fromkeys(ANSWERS.values()))
        for key in fields:
            told = self.source.words(entry.get(key), where)
            if told:
                return ((told,), {}) if key == "answer" else ((), {"ideal": told})
        self.source.note("no answer", where, entry.get(fields[0]), "reported")
        return (), {}

    def _evidence(
        self, where: str, ability: str, value: object
    ) -> tuple[tuple[str, ...], tuple[str, ...], Json]:
        """Return evidence, stale turns and meta of a question."""
        if value is None and ability == "abstention":
            return (), (), {}
        turns, meta = evidence(self.source, where, value, self.order)
        if not isinstance(value, dict):
            return turns, (), meta
        parts = {printable(k): cited(v, self.order).evidence for k, v in value.items()}
        meta["parts"] = parts
        if self.updates != "current" or ability != "knowledge_update":
            return turns, (), meta
        current = parts.get("updated_info", ())
        stale = tuple(turn for turn in parts.get("original_info", ()) if turn not in current)
        return current, stale, {**meta, **distance(current, self.order)}


def _described(entry: Json) -> Json:
    """Return the difficulty and the rubric of a question, as far as they are texts."""
    meta: Json = {}
    if isinstance(entry.get("difficulty"), str):
        meta["difficulty"] = printable(entry["difficulty"])
    if isinstance(entry.get("rubric"), list):
        meta["rubric"] = [printable(line) for line in entry["rubric"] if isinstance(line, str)]
    return meta
