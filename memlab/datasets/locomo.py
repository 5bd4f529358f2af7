"""LoCoMo (arXiv 2402.17753): ten long English dialogues of two people, with questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.errors import ConfigError, DataError, suggest
from memlab.reading.cards import card
from memlab.reading.jsonfile import get, read_json
from memlab.reading.references import mend
from memlab.types import Action, Conversation, Dataset, Defect, Event, Probe, Role, SessionEnd, Turn

LABELS = ("raw", "repaired", "audited")
IMAGES = ("text", "caption", "text+caption")
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""The codes of the file; their order is not the order in which the paper lists the types."""

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DATE = re.compile(r"(\d{1,2}):(\d{2}) ([ap])m on (\d{1,2}) ([A-Z][a-z]{2})[a-z]*,? (\d{4})")
_SESSION = re.compile(r"session_(\d+)(_date_time)?")
_MINUTE = timedelta(minutes=1)

Json = dict[str, Any]


def load(
    path: str | Path,
    *,
    labels: str = "repaired",
    images: str = "text+caption",
    corrections: str | Path | None = None,
    strict: bool = False,
) -> Dataset:
    """Read `locomo10.json`; its defects are repaired or reported, each with its place.

    Args:
        path: the file of the authors (its sha256 stands in datasets/locomo.toml).
        labels: `raw` keeps the evidence strings letter by letter, as the published figures
            did: a malformed one can never be hit. `repaired` mends or drops malformed,
            dangling and repeated ones. `audited` lays the corrected evidence over that.
        images: what a turn with an image says: its words (`text`), the caption in place of
            them (`caption`), or both (`text+caption`). No choice removes a turn.
        corrections: the overlay of `audited`; by default `corrections.json` beside the file.
        strict: raise if there is any defect at all.

    Raises:
        ConfigError: unknown `labels` or `images`.
        DataError: a file that cannot be read or has another shape; with `strict`, any defect.
    """
    for name, value, known in (("labels", labels, LABELS), ("images", images, IMAGES)):
        if value not in known:
            raise ConfigError(f"{name}={value!r} is unknown", "", suggest(str(value), known))
    path = Path(path)
    samples, sha256 = read_json(path)
    described = {**card("locomo"), "labels": labels, "images": images}
    log: list[Defect] = []
    if sha256 != described["sha256"]:
        log.append(Defect("unknown file", path.name, f"sha256 {sha256}", "reported"))
    overlay: dict[tuple[str, int], Json] = {}
    if labels == "audited":
        source = path.with_name("corrections.json") if corrections is None else Path(corrections)
        overlay, described["corrections_sha256"] = _corrections(source)
    talks = tuple(_Sample(sample, labels, images, overlay, log).read() for sample in _list(samples))
    log += [
        Defect("correction without question", f"{talk}#{index}", entry["question"], "reported")
        for (talk, index), entry in overlay.items()
    ]
    if strict and log:
        listed = "\n".join(f"  {d.kind} at {d.where}: {d.found} ({d.action})" for d in log)
        raise DataError(f"{len(log)} defects in {path}:\n{listed}", "", "use strict=False")
    return Dataset("locomo", talks, {}, described, tuple(log), sha256)


def _list(samples: object) -> list[Any]:
    if not isinstance(samples, list) or not samples:
        raise DataError(f"found {samples!r:.80}", "a list of LoCoMo samples, not empty")
    return samples


_CORRECTION: dict[str, type] = {
    "sample_id": str,
    "qa_index": int,
    "question": str,
    "kind": str,
    "cited_evidence": list,
    "correct_evidence": list,
}


def _corrections(path: Path) -> tuple[dict[tuple[str, int], Json], str]:
    data, sha256 = read_json(path)
    overlay = {}
    for number, entry in enumerate(get(data, "corrections", list, str(path))):
        where = f"{path}, correction {number}"
        for key, kind in _CORRECTION.items():
            get(entry, key, kind, where)
        overlay[entry["sample_id"], entry["qa_index"]] = entry
    return overlay, sha256


@dataclass
class _Sample:
    """One sample on its way to a conversation."""

    sample: Any
    labels: str
    images: str
    overlay: dict[tuple[str, int], Json]
    log: list[Defect]
    id: str = ""
    order: dict[str, int] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)

    def read(self) -> Conversation:
        """Return the conversation: sessions in order, then the probes."""
        self.id = get(self.sample, "sample_id", str, "a sample")
        talk = get(self.sample, "conversation", dict, self.id)
        people = tuple(get(talk, f"speaker_{x}", str, self.id) for x in "ab")
        events: list[Event] = []
        for number, start in self._starts(talk):
            turns = get(talk, f"session_{number}", list, self.id)
            start = self._in_order(number, start, events)
            for minute, raw in enumerate(turns):
                events.append(self._turn(raw, number, start + minute * _MINUTE, people))
            events.append(SessionEnd(session=str(number), time=events[-1].time))
        if not events:
            raise DataError(f"{self.id} has no turn", "at least one session with turns")
        asked_at = events[-1].time + _MINUTE
        for index, question in enumerate(get(self.sample, "qa", list, self.id)):
            events.append(self._probe(index, question, asked_at))
        return Conversation(self.id, tuple(events), {"speakers": list(people)})

    def _note(self, kind: str, where: str, found: object, action: Action) -> None:
        self.log.append(Defect(kind, where, str(found), action))

    def _starts(self, talk: Json) -> list[tuple[int, datetime]]:
        numbers = sorted({int(m[1]) for key in talk if (m := _SESSION.fullmatch(key))})
        starts = []
        for number in numbers:
            name = f"session_{number}"
            where = f"{self.id} {name}"
            if not talk.get(name):
                said = talk.get(f"{name}_date_time")
                self._note("date without session", where, said, "reported")
                continue
            starts.append((number, _date(get(talk, f"{name}_date_time", str, where), where)))
        return starts

    def _in_order(self, number: int, start: datetime, events: list[Event]) -> datetime:
        """Return the start of a session, moved behind the one before where they overlap."""
        if not events or start > events[-1].time:
            return start
        self._note("session out of order", f"{self.id} session_{number}", start, "repaired")
        return events[-1].time + _MINUTE

    def _turn(self, raw: object, session: int, time: datetime, people: Sequence[str]) -> Turn:
        where = f"{self.id} session_{session}"
        turn_id = get(raw, "dia_id", str, where)
        words, speaker = (get(raw, key, str, f"{self.id} {turn_id}") for key in ("text", "speaker"))
        if turn_id in self.order:
            raise DataError(f"{where} has '{turn_id}' twice", "a dia_id of its own for each turn")
        if speaker not in people:
            self._note("unknown speaker", f"{self.id} {turn_id}", speaker, "reported")
        self.order[turn_id] = len(self.order)
        extra = {key: raw[key] for key in ("blip_caption", "query") if raw.get(key)}  # type: ignore[index,attr-defined]
        text, meta = _shown(words, extra, self.images)
        role: Role = "user" if speaker == people[0] else "assistant"
        return Turn(
            id=turn_id,
            text=text,
            time=time,
            session=str(session),
            speaker=speaker,
            role=role,
            user=self.id,
            imputed=True,
            meta=meta,
        )

    def _probe(self, index: int, question: object, time: datetime) -> Probe:
        where = f"{self.id}#{index}"
        code = get(question, "category", int, where)
        if code not in CATEGORIES:
            raise DataError(f"{where} has category {code}", "a code from 1 to 5")
        text = get(question, "question", str, where)
        first = self.asked.setdefault(text, index)
        if first != index:
            self._note("repeated question", where, f"same text as #{first}", "reported")
        meta: Json = {"category_code": code}
        evidence = self._evidence(index, text, get(question, "evidence", list, where), meta)
        known = [self.order[turn] for turn in evidence if turn in self.order]
        if known:
            meta["distance"] = len(self.order) - 1 - max(known)
        return Probe(
            id=where,
            text=text,
            time=time,
            user=self.id,
            category=CATEGORIES[code],
            evidence=evidence,
            answers=self._answers(where, code, question, meta),
            answerable=code != 5,
            meta=meta,
        )

    def _evidence(self, index: int, text: str, cited: list[Any], meta: Json) -> tuple[str, ...]:
        where = f"{self.id}#{index}"
        if not all(isinstance(reference, str) for reference in cited):
            raise DataError(f"{where} has evidence {cited!r:.80}", "a list of dia_id strings")
        mended = mend(cited, self.order)
        for kind, found, action in mended.faults:
            self._note(kind, where, found, "reported" if self.labels == "raw" else action)
        lost = sum(action == "dropped" for _, _, action in mended.faults)
        if lost and self.labels != "raw":
            meta["lost_evidence"] = {"unknown": lost}
        entry = self.overlay.pop((self.id, index), None)
        if entry is not None:
            return self._corrected(where, text, cited, mended.evidence, entry, meta)
        return tuple(cited) if self.labels == "raw" else mended.evidence

    def _corrected(
        self,
        where: str,
        text: str,
        cited: list[str],
        mended: tuple[str, ...],
        entry: Json,
        meta: Json,
    ) -> tuple[str, ...]:
        correct = tuple(dict.fromkeys(entry["correct_evidence"]))
        fits = entry["question"] == text and entry["cited_evidence"] == cited
        if not fits or not all(turn in self.order for turn in correct):
            self._note("correction does not fit", where, entry["question"], "reported")
            return mended
        meta["audit"] = entry["kind"]
        meta.pop("lost_evidence", None)  # the audit names the turns that were meant
        if set(correct) != set(cited):
            change = f"{' '.join(cited)} -> {' '.join(correct)} ({entry['kind']})"
            self._note("corrected evidence", where, change, "repaired")
        return correct

    def _answers(self, where: str, code: int, question: Any, meta: Json) -> tuple[str, ...]:  # noqa: ANN401
        answer = question.get("answer")
        if code == 5:
            if question.get("adversarial_answer") is None:
                self._note("no distractor", where, answer, "reported")
            else:
                wrong = get(question, "adversarial_answer", (str, int), where)
                meta["distractor"] = str(wrong)
            if answer is not None:
                self._note("adversarial question with an answer", where, answer, "reported")
            return ()
        answer = get(question, "answer", (str, int), where)
        if isinstance(answer, int):
            self._note("integer answer", where, answer, "repaired")
        return (str(answer),)


def _shown(words: str, extra: Json, images: str) -> tuple[str, Json]:
    """Return the text of a turn under an image policy, and its meta."""
    caption = extra.get("blip_caption", "")
    text = words
    if caption and images == "caption":
        text = caption
    elif caption and images == "text+caption":
        text = f"{words} [photo: {caption}]".lstrip()
    meta = {
        "caption": caption,
        "query": extra.get("query"),
        "words": words if text != words else None,
    }
    return text, {key: value for key, value in meta.items() if value not in (None, "")}


def _date(said: str, where: str) -> datetime:
    """Read `1:56 pm on 8 May, 2023`; not by strptime, which follows the machine's language."""
    match = _DATE.fullmatch(said.strip())
    if match:
        hour, minute, half, day, month, year = match.groups()
        try:
            return datetime(
                int(year),
                _MONTHS.index(month) + 1,
                int(day),
                int(hour) % 12 + (12 if half == "p" else 0),
                int(minute),
                tzinfo=UTC,
            )
        except ValueError:
            pass
    raise DataError(f"{where} has the date {said!r}", "a date as '1:56 pm on 8 May, 2023'")
