"""Whether a probe tests what its category says."""

from __future__ import annotations

from collections.abc import Iterator

from examiner.meaning import Finding, Question, about
from examiner.scene import Asked, Scene
from examiner.withheld import gone, theirs
from memlab.synthetic.ledger import Row

OF_ABILITY = {
    "single_fact": {"current"},
    "multi_hop": {"current"},
    "aggregation": {"list", "count"},
    "temporal": {"when", "order", "ago", "nth", "relative"},
    "update": {"current", "past", "history"},
    "contradiction": {"current"},
    "preference": {"current"},
    "procedure": {"current"},
    "assistant": {"current", "list"},
    "tool": {"current"},
    "emotion": {"feeling"},
    "abstention": {"never", "other_person"},
    "deletion": {"deleted", "restated"},
    "isolation": {"own", "foreign"},
    "near_duplicate": {"current", "negated"},
}


def ability_faults(scene: Scene, asked: Asked, found: Finding, question: Question) -> Iterator[str]:
    """Yield what keeps a probe from testing what its category says."""
    category, row = asked.probe.category, found.rows[-1]
    rivals = [r for r in about(scene.known(asked), question) if r.value != row.value]
    if category == "contradiction" and not any(r.authority < 1.0 for r in rivals):
        yield "nobody contradicts"
    if category == "update" and not any(r.authority == 1.0 for r in rivals):
        yield "nothing was updated"
    if category == "assistant" and row.said_by == row.subject:
        yield "was said by the subject, not to them"
    if category == "multi_hop" and not question.via:
        yield "needs no second hop"
    if category == "near_duplicate" and not _twins(scene, asked, row):
        yield "has no near-duplicate"
    if question.kind == "own" and not theirs(scene, asked, question):
        yield "no other user has such a fact"
    if question.kind == "restated":
        before = {r.value for r in gone(scene, asked, question)}
        if not before:
            yield "nothing was deleted before"
        if row.value in before:
            yield "the deleted value was said again"


def _twins(scene: Scene, asked: Asked, row: Row) -> list[Row]:
    """Return the rows that differ from a row in a digit, a few days, or a negation."""
    return [
        other
        for other in scene.known(asked)
        if other.fact == row.fact and other.id != row.id and _near(row, other)
    ]


def _near(row: Row, other: Row) -> bool:
    one, two = row.value, other.value
    if one.kind == "@code":
        return sum(a != b for a, b in zip(str(one.n), str(two.n), strict=True)) == 1
    if one.kind == "@date":
        return 0 < abs(one.n - two.n) <= 3
    return row.subject == other.subject and row.negated != other.negated
