"""Whether what cannot be answered is unknown, and what may not come back is forbidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from examiner.evidence import turns_of
from examiner.meaning import Question, about
from examiner.scene import Asked, Scene
from examiner.values import same_written
from memlab.synthetic.ledger import Row


def unanswerable_faults(scene: Scene, asked: Asked, question: Question) -> Iterator[str]:
    """Yield what is known of a question that has no answer, and wrong bait."""
    probe, known = asked.probe, scene.known(asked)
    if probe.answerable:
        yield "is called answerable"
    if probe.answers:
        yield f"has answers {probe.answers} though nothing is known"
    if probe.stale:
        yield "has stale turns though nothing is known"
    if rows := [row for row in _on(known, question) if row.subject == question.subject]:
        yield f"something is known: {[row.id for row in rows]}"
    if question.kind == "other_person":
        bait = [r for r in _on(known, question) if r.subject != question.subject]
        if not probe.evidence:
            yield "has no bait"
        if extra := set(probe.evidence) - turns_of(bait):
            yield f"bait {sorted(extra)} is not on the fact"
        if missing := turns_of(_believed(bait)) - set(probe.evidence):
            yield f"bait lacks {sorted(missing)}"
    elif probe.evidence:
        yield "has evidence though nothing is known"


def _believed(rows: Iterable[Row]) -> list[Row]:
    """Return for each person what is known best: all of a set, the last of a state."""
    ordered = sorted(rows, key=lambda row: (row.authority, row.position))
    best = {r.subject: r for r in ordered}
    single = ("state", "preference")
    return [r for r in ordered if r.group not in single or best[r.subject] is r]


def _on(rows: Iterable[Row], question: Question) -> list[Row]:
    """Return what bears on the question whoever it is about: its fact, and key or event if named.

    How somebody felt about an event tells that it happened.
    """
    found = [row for row in rows if row.fact == question.fact]
    if question.key:
        found = [r for r in found if same_written(question.key, r.key, question.words)]
    for arg in question.args[:1]:
        found = [
            row
            for row in found
            if same_written(arg, row.key if row.feeling else row.value, question.words)
        ]
    return [row for row in found if question.args or not row.feeling]


def forbidden_faults(scene: Scene, asked: Asked, question: Question) -> Iterator[str]:
    """Yield what differs from the turns that were deleted, or are of others."""
    given = set(asked.probe.forbidden)
    if question.kind in ("deleted", "restated"):
        wanted = turns_of(gone(scene, asked, question))
    elif question.kind in ("own", "foreign"):
        wanted = turns_of(theirs(scene, asked, question))
    else:
        others = {t for t in given if t in scene.turns and scene.turns[t].user != asked.probe.user}
        if extra := given - others - asked.deleted:
            yield f"forbidden has {sorted(extra)}, neither deleted nor of others"
        return
    if not wanted:
        yield "nothing is there to be forbidden"
    if missing := wanted - given:
        yield f"forbidden lacks {sorted(missing)}"
    if extra := given - wanted:
        yield f"forbidden has {sorted(extra)} besides"


def gone(scene: Scene, asked: Asked, question: Question) -> list[Row]:
    """Return the deleted rows that would answer a question."""
    return about(scene.deleted(asked), question)


def theirs(scene: Scene, asked: Asked, question: Question) -> list[Row]:
    """Return what others have said of themselves on the fact of a question."""
    return [
        row
        for row in scene.foreign(asked)
        if row.fact == question.fact
        and (not question.key or same_written(question.key, row.key, question.words))
    ]
