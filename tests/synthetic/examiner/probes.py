"""Whether a probe's labels and answers are those that the ledger gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from examiner.abilities import OF_ABILITY, ability_faults
from examiner.dials import dial_faults
from examiner.evidence import answer_faults, evidence_faults, stale_faults
from examiner.meaning import SOLVERS, UNANSWERABLE, Question, solve
from examiner.scene import Asked, Scene
from examiner.text import holds
from examiner.withheld import forbidden_faults, unanswerable_faults
from memlab.synthetic.values import Value


def question_of(scene: Scene, asked: Asked) -> Question:
    """Return what a probe says it asks."""
    probe, meta = asked.probe, asked.probe.meta
    as_of = meta.get("as_of")
    return Question(
        kind=str(meta.get("kind", "")),
        subject=str(meta.get("subject", "")),
        fact=str(meta.get("fact", "")),
        key=str(meta.get("key", "")),
        args=tuple(meta.get("args", ())),
        via=str(meta.get("via", "")),
        n=int(meta.get("nth", 0)),
        as_of=date.fromisoformat(as_of) if as_of else None,
        today=probe.time.date(),
        asker=scene.asker(probe.user),
        words=scene.words,
        people=scene.people,
    )


def probe_faults(scene: Scene, asked: Asked) -> Iterator[str]:
    """Yield where a probe's labels and answers differ from what the ledger gives."""
    question = question_of(scene, asked)
    kinds = OF_ABILITY.get(asked.probe.category, set())
    if question.kind not in kinds:
        yield f"kind {question.kind!r} in the category {asked.probe.category!r}"
    if question.kind not in SOLVERS and question.kind not in UNANSWERABLE:
        return
    yield from _ids(scene, asked)
    yield from dial_faults(scene, asked)
    if question.kind in UNANSWERABLE:
        yield from unanswerable_faults(scene, asked, question)
    else:
        yield from _answerable(scene, asked, question)
    yield from forbidden_faults(scene, asked, question)


def _ids(scene: Scene, asked: Asked) -> Iterator[str]:
    probe = asked.probe
    for name in ("evidence", "stale", "forbidden"):
        ids = getattr(probe, name)
        if len(set(ids)) < len(ids):
            yield f"{name} repeats a turn"
        unsaid = [i for i in ids if scene.place.get(i, asked.said) >= asked.said]
        if unsaid:
            yield f"{name} names turns not said by then: {unsaid}"
    for name in ("evidence", "stale"):
        wrong = [
            i
            for i in getattr(probe, name)
            if i in asked.deleted or (i in scene.turns and scene.turns[i].user != probe.user)
        ]
        if wrong:
            yield f"{name} names deleted turns or turns of others: {wrong}"
    if set(probe.evidence) & (set(probe.stale) | set(probe.forbidden)):
        yield "evidence is also stale or forbidden"


def _answerable(scene: Scene, asked: Asked, question: Question) -> Iterator[str]:
    probe, known = asked.probe, scene.known(asked)
    found = solve(known, question)
    if found is None:
        yield "the ledger gives no answer"
        return
    if not probe.answerable:
        yield f"is called unanswerable, the ledger gives {found.answer}"
    if found.doubt:
        yield f"the answer is doubtful: {found.doubt}"
    yield from answer_faults(probe.answers, found, question)
    if isinstance(found.answer, Value) and not holds(_said(scene, asked), probe.answers):
        yield f"no answer of {probe.answers} stands in the evidence"
    yield from evidence_faults(probe.evidence, known, found, question)
    yield from stale_faults(probe.stale, known, found, question)
    yield from ability_faults(scene, asked, found, question)


def _said(scene: Scene, asked: Asked) -> str:
    return "\n".join(scene.turns[t].text for t in asked.probe.evidence if t in scene.turns)
