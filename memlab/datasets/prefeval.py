"""PrefEval (arXiv 2502.09597): a stated preference, other talk, then a question it decides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from memlab.checking import check_whole
from memlab.digests import file_digest
from memlab.errors import ConfigError, DataError, suggest
from memlab.reading.cards import card
from memlab.reading.published import MINUTE, START, Json, Log, read_value, rows, text
from memlab.types import Conversation, Dataset, Event, Probe, Role, SessionEnd, Turn

OTHER = "filtered_inter_turns.json"
PREFERENCE = "preference"
"""The id of the turn that states the preference: the evidence."""


class _Message(NamedTuple):
    role: Role
    text: str
    session: str
    last: bool = False


def load(
    path: str | Path,
    *,
    exchanges: int = 10,
    topics: Sequence[str] | None = None,
    strict: bool = False,
) -> Dataset:
    """Read the explicit preferences; each is a conversation of its own, with one question.

    The user states the preference (session 1, turn `preference`, the evidence); then come the
    first `exchanges` exchanges of the published other talk, the same for all, as the official
    protocol has it; then the question. The protocol's reply to the preference is written by the
    model under test, so there is none here. The data state no times: turn i is said at minute
    i, `imputed`. The topic is the category; the file's explanation is in the probe's meta.

    Args:
        path: the folder `benchmark_dataset`, or the one that holds it.
        exchanges: how many exchanges (a user's message and its reply) lie between.
        topics: those to read, by the names of their files; by default all.
        strict: raise if there is any defect at all.

    Raises:
        ConfigError: an unknown topic, or more exchanges than there are.
        DataError: a file that is missing or cannot be read; with `strict`, any defect.
    """
    check_whole("exchanges", exchanges)
    root, log = Path(path), Log()
    root = root / "benchmark_dataset" if (root / "benchmark_dataset").is_dir() else root
    chosen = _chosen(root / "explicit_preference", topics)
    between = _between(root / OTHER, exchanges, log)
    reader = _Reader(between, log)
    talks = [talk for topic, file in chosen.items() for talk in reader.read(topic, file)]
    if not talks:
        raise DataError(f"{root} has no preference that can be used", "at least one")
    if strict:
        log.refuse(root)
    described = {**card("prefeval"), "exchanges": exchanges}
    sha256 = file_digest(*chosen.values(), *([root / OTHER] if exchanges else []))
    return Dataset("prefeval", tuple(talks), {}, described, tuple(log), sha256)


def _chosen(folder: Path, topics: Sequence[str] | None) -> dict[str, Path]:
    found = {file.stem: file for file in sorted(folder.glob("*.json"))}
    if not found:
        raise DataError(f"{folder} has no topic", "the folder explicit_preference of PrefEval")
    if topics is None:
        return found
    wanted = [topics] if isinstance(topics, str) else list(topics)
    for topic in wanted:
        if topic not in found:
            raise ConfigError(f"unknown topic {topic!r}", "", suggest(str(topic), found))
    return {topic: found[topic] for topic in wanted}


def _between(file: Path, exchanges: int, log: Log) -> list[_Message]:
    """Return the messages of the first exchanges, each talk of the file a session."""
    if not exchanges:
        return []
    found: list[_Message] = []
    value, _ = read_value(file)
    for number, (where, row) in enumerate(rows(value, file.name, log), 2):
        talk = _pairs(where, row, str(number), log)
        found += talk[: 2 * exchanges - len(found)]
        if len(found) == 2 * exchanges:
            break
    if len(found) < 2 * exchanges:
        raise ConfigError(f"exchanges={exchanges}", f"at most {len(found) // 2}, all in {file}")
    ends = {message.session: place for place, message in enumerate(found)}
    return [m._replace(last=ends[m.session] == place) for place, m in enumerate(found)]


def _pairs(where: str, row: Json, session: str, log: Log) -> list[_Message]:
    """Return the messages of a talk that alternate; one that breaks the order is dropped."""
    listed = row.get("conversation")
    if not isinstance(listed, list):
        log.note("talk without messages", where, row, "dropped")
        return []
    found: list[_Message] = []
    for place, message in rows(listed, f"{where} conversation", log):
        words, role = text(message, "content", place, log), message.get("role")
        due: Role = "assistant" if len(found) % 2 else "user"
        if words is None or role != due:
            log.note("message out of turn", place, message, "dropped")
        else:
            found.append(_Message(due, words, session))
    if len(found) % 2:
        log.note("message without reply", where, found[-1].text, "dropped")
    return found[: len(found) // 2 * 2]


@dataclass
class _Reader:
    """Makes a conversation of every preference."""

    between: Sequence[_Message]
    log: Log
    asked: dict[tuple[str, str], str] = field(default_factory=dict)

    def read(self, topic: str, file: Path) -> Iterator[Conversation]:
        """Yield the conversations of a topic."""
        value, _ = read_value(file)
        for where, row in rows(value, topic, self.log):
            stated, asked = (text(row, key, where, self.log) for key in ("preference", "question"))
            if not stated or not asked:
                self.log.note("no preference or question", where, row, "dropped")
                continue
            first = self.asked.setdefault((stated, asked), where)
            if first != where:
                self.log.note("repeated question", where, f"same as {first}", "reported")
            why = text(row, "explanation", where, self.log)
            if why is None:
                self.log.note("no explanation", where, row.get("explanation"), "reported")
            events = (*self._turns(where, stated), self._probe(where, topic, asked, why))
            yield Conversation(where, events, {"language": "en", "topic": topic})

    def _turns(self, talk: str, stated: str) -> Iterator[Event]:
        messages = [_Message("user", stated, "1", last=True), *self.between]
        for place, (role, words, session, last) in enumerate(messages):
            time = START + place * MINUTE
            yield Turn(
                id=f"other-{place}" if place else PREFERENCE,
                text=words,
                time=time,
                session=session,
                speaker=role,
                role=role,
                user=talk,
                imputed=True,
            )
            if last:
                yield SessionEnd(session=session, time=time)

    def _probe(self, talk: str, topic: str, asked: str, why: str | None) -> Probe:
        return Probe(
            id=talk,
            text=asked,
            time=START + (len(self.between) + 1) * MINUTE,
            user=talk,
            category=topic,
            evidence=(PREFERENCE,),
            meta={"distance": len(self.between), **({"explanation": why} if why else {})},
        )
