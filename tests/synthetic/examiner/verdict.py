"""The verdict on a conversation: what disagrees, probe by probe, and beside the probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from examiner import hygiene
from examiner.meaning import SOLVERS, Finding, Question, about, solve
from examiner.mentions import Known, Stray, betrayed, strays
from examiner.probes import probe_faults, question_of
from examiner.questions import question_faults
from examiner.rows import row_faults
from examiner.scene import Asked, Scene
from examiner.text import holds
from examiner.values import same_written, written
from memlab.synthetic.ledger import Row
from memlab.types import Forget, Turn


@dataclass(slots=True)
class Verdict:
    """Disagreements of probes by name, those of rows, turns and events, and how many there are.

    `confirmed` and `examined` count probes by (category, kind).
    """

    examined: Counter[tuple[str, str]] = field(default_factory=Counter)
    confirmed: Counter[tuple[str, str]] = field(default_factory=Counter)
    probes: dict[str, list[str]] = field(default_factory=dict)
    beside: list[str] = field(default_factory=list)
    rows: int = 0
    turns: int = 0

    @property
    def share(self) -> float:
        """The share of probes that are confirmed; NaN without probes."""
        total = self.examined.total()
        return self.confirmed.total() / total if total else float("nan")

    def add(self, other: Verdict) -> None:
        """Add the verdict on another conversation."""
        self.examined += other.examined
        self.confirmed += other.confirmed
        self.probes |= other.probes
        self.beside += other.beside
        self.rows += other.rows
        self.turns += other.turns


def judge(scene: Scene) -> Verdict:
    """Examine a conversation: every probe, every row, every turn."""
    verdict = Verdict(rows=len(scene.rows), turns=len(scene.turns))
    bad_rows = {row.id: reasons for row in scene.rows if (reasons := list(row_faults(scene, row)))}
    loose = list(strays(scene))
    for asked in scene.asked:
        probe = asked.probe
        kind = (probe.category, str(probe.meta.get("kind")))
        reasons = list(dict.fromkeys(examine(scene, asked, bad_rows, loose)))
        verdict.examined[kind] += 1
        verdict.confirmed[kind] += not reasons
        if reasons:
            verdict.probes[f"{scene.name} {probe.id} {'/'.join(kind)}"] = reasons
    verdict.beside += [f"{scene.name} {r}" for reasons in bad_rows.values() for r in reasons]
    subjects = asked_about(scene)
    idle = [stray for stray in loose if stray.values.isdisjoint(subjects)]
    verdict.beside += [f"{scene.name} {_told(scene, stray)}" for stray in idle]
    verdict.beside += [f"{scene.name} {r}" for r in (*hygiene.faults(scene), *ledger_faults(scene))]
    return verdict


def examine(
    scene: Scene, asked: Asked, bad_rows: dict[str, list[str]], loose: Iterable[Stray]
) -> Iterator[str]:
    """Yield every reason not to believe a probe."""
    yield from probe_faults(scene, asked)
    question = question_of(scene, asked)
    known = scene.known(asked)
    found = solve(known, question) if question.kind in SOLVERS else None
    yield from question_faults(scene, asked, question, found)
    labelled = {*asked.probe.evidence, *asked.probe.stale, *asked.probe.forbidden}
    for row in _concerned(scene, labelled, question, found):
        yield from bad_rows.get(row.id, ())
    yield from _loose(scene, asked, found, loose)
    if found is not None:
        yield from _told_by_text(scene, asked, question, found, known)


def asked_about(scene: Scene) -> set[Known]:
    """Return the keys and events that questions name: to mention them answers nothing.

    Where such a value is itself an answer, the probe that it answers is doubted all the same.
    """
    known: set[Known] = set()
    for asked in scene.asked:
        question = question_of(scene, asked)
        for row in scene.rows if question.key or question.args else ():
            if row.fact != question.fact:
                continue
            if question.key and row.key and same_written(question.key, row.key, scene.words):
                known.add((row.key.kind, row.key.n))
            if any(same_written(arg, row.value, scene.words) for arg in question.args):
                known.add((row.value.kind, row.value.n))
    return known


def _concerned(
    scene: Scene, labelled: set[str], question: Question, found: Finding | None
) -> list[Row]:
    rows = list(found.rows) if found else []
    rows += [row for t in labelled for row in scene.rows_of.get(t, ()) if row.fact == question.fact]
    return list({row.id: row for row in rows}.values())


def _loose(
    scene: Scene, asked: Asked, found: Finding | None, loose: Iterable[Stray]
) -> Iterator[str]:
    """Yield the unlabelled turns said by then that hold the answer, or what was deleted."""
    labelled = {*asked.probe.evidence, *asked.probe.forbidden}
    wanted = _values(found)
    for turn in asked.probe.forbidden:
        wanted |= {(r.value.kind, r.value.n) for r in scene.rows_of.get(turn, ())}
    for stray in loose:
        if scene.place[stray.turn] >= asked.said or stray.turn in labelled:
            continue
        if not wanted.isdisjoint(stray.values):
            yield _told(scene, stray)


def _values(found: Finding | None) -> set[Known]:
    if found is None:
        return set()
    return {(row.value.kind, row.value.n) for row in found.rows}


def _told(scene: Scene, stray: Stray) -> str:
    return (
        f"turn {stray.turn} holds {stray.spelt!r} without a row: {scene.turns[stray.turn].text!r}"
    )


def _told_by_text(
    scene: Scene, asked: Asked, question: Question, found: Finding, known: list[Row]
) -> Iterator[str]:
    """Yield what the text gives away beyond the rows: former values and relations."""
    if question.kind in ("past", "history"):
        yield from _former_told(scene, asked, question, found, known)
    if question.via:
        person = scene.people[question.subject]
        for turn in betrayed(scene, person):
            if scene.place[turn] < asked.said:
                yield f"turn {turn} betrays the {question.via}: {scene.turns[turn].text!r}"


def _former_told(
    scene: Scene, asked: Asked, question: Question, found: Finding, known: list[Row]
) -> Iterator[str]:
    """A change that names the former value makes the turn that stated it unnecessary."""
    for later in about(known, question):
        for row in found.rows:
            if later.position <= row.position or later.value == row.value:
                continue
            if holds(scene.turns[later.turn].text, written(row.value, scene.words)):
                yield f"{later.turn} tells the former value, {row.turn} is not needed for it"


def ledger_faults(scene: Scene) -> Iterator[str]:
    """Yield what is inconsistent in the rows themselves."""
    if len({row.id for row in scene.rows}) < len(scene.rows):
        yield "two rows have one id"
    positions = [row.position for row in scene.rows]
    if positions != sorted(positions):
        yield "the rows are not in the order said"
    requests = _requests(scene)
    for row in scene.rows:
        asked = min((requests[t] for t in row.turns if t in requests), default=None)
        if row.forgotten_at != asked:
            yield f"row {row.id} was forgotten at {row.forgotten_at}, by the Forgets at {asked}"
        later = [r for r in scene.rows if former_of(r, row)]
        ends = later[0].valid_from if later else None
        held = row.group == "state" and row.authority == 1.0 and not row.forgotten
        if held and row.valid_until != ends:
            yield f"row {row.id} holds until {row.valid_until}, by its successor until {ends}"
    for person in scene.people.values():
        if person.discreet:
            for turn in betrayed(scene, person):
                yield f"turn {turn} betrays the discreet {person.name}: {scene.turns[turn].text!r}"


def _requests(scene: Scene) -> dict[str, int]:
    """Return by deleted turn the place of the turn after which it was deleted."""
    places: dict[str, int] = {}
    said = 0
    for event in scene.events:
        said += isinstance(event, Turn)
        if isinstance(event, Forget):
            places |= dict.fromkeys(event.turn_ids, said - 1)
    return places


def former_of(later: Row, row: Row) -> bool:
    """Tell whether a row states a new value of the state of another, at first hand."""
    return (
        (later.owner, later.subject, later.fact) == (row.owner, row.subject, row.fact)
        and later.position > row.position
        and later.authority == 1.0
        and not later.forgotten
        and later.value != row.value
    )
