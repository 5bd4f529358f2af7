"""The truth of generated dialogues, confirmed by an examiner that knows nothing of the generator.

`python experiments/synthetic_check.py` is the same examination at full size (5,000 probes).
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import cache

import pytest
from examiner.meaning import SOLVERS, solve
from examiner.probes import question_of
from examiner.scene import Scene
from examiner.values import written
from examiner.verdict import Verdict, judge
from examiner.words import shipped

from memlab.synthetic.conversation import generate
from memlab.synthetic.profiles import profile
from memlab.synthetic.spec import DialogueSpec
from memlab.synthetic.values import Value
from memlab.types import Event, Forget, Probe, Turn

SPECS = {
    "default": DialogueSpec(conversations=2),
    "chat": profile("chat").with_(conversations=1),
    "assistant": profile("assistant").with_(conversations=5),
}


@cache
def scenes(name: str, language: str) -> tuple[Scene, ...]:
    talks = generate(SPECS[name].with_(language=language))
    return tuple(Scene.of(t.id, shipped(), t, t.rows(), t.people) for t in talks)


CASES = [(name, language) for name in SPECS for language in ("en", "zh", "mixed")]


@cache
def verdict(name: str, language: str) -> Verdict:
    found = Verdict()
    for scene in scenes(name, language):
        found.add(judge(scene))
    return found


def test_probes_are_confirmed():
    total = Verdict()
    for case in CASES:
        total.add(verdict(*case))
    assert total.examined.total() > 900
    assert total.share >= 0.995, "\n".join(f"{k}: {v}" for k, v in total.probes.items())


@pytest.mark.parametrize(("name", "language"), CASES)
def test_rows_turns_and_events_are_in_order(name, language):
    assert verdict(name, language).beside == []


def changed(scene: Scene, change: Callable[[Event], Event]) -> Scene:
    return Scene.of(scene.name, scene.words, map(change, scene.events), scene.rows, scene.people)


def confirmed(scene: Scene) -> set[str]:
    """Return the ids of the probes that the examiner believes."""
    doubted = {name.split()[1] for name in judge(scene).probes}
    return {asked.probe.id for asked in scene.asked} - doubted


def probes(scene: Scene) -> dict[str, Probe]:
    return {a.probe.id: a.probe for a in scene.asked}


@pytest.fixture(params=["en", "zh"])
def scene(request) -> Scene:
    return scenes("default", request.param)[0]


def relabelled(scene: Scene, name: str, change: Callable[[Probe], tuple[str, ...]]) -> Scene:
    """Change one field of every probe."""

    def relabel(event: Event) -> Event:
        return replace(event, **{name: change(event)}) if isinstance(event, Probe) else event

    return changed(scene, relabel)


def test_dropped_evidence_is_caught(scene):
    plain = {i for i, p in probes(scene).items() if p.evidence}
    assert len(plain) > 40
    assert not plain & confirmed(relabelled(scene, "evidence", lambda p: p.evidence[1:]))
    assert not plain & confirmed(relabelled(scene, "evidence", lambda p: p.evidence[:-1]))


def test_added_or_exchanged_evidence_is_caught(scene):
    def other(probe: Probe) -> str:
        labelled = {*probe.evidence, *probe.stale, *probe.forbidden}
        return next(
            t.id for t in scene.turns.values() if t.user == probe.user and t.id not in labelled
        )

    said = relabelled(scene, "evidence", lambda p: (*p.evidence, other(p)))
    assert confirmed(said) == set()
    said = relabelled(scene, "evidence", lambda p: (*p.evidence[:-1], other(p)))
    assert confirmed(said) == set()


def test_incomplete_stale_and_forbidden_are_caught(scene):
    for name in ("stale", "forbidden"):
        marked = {i for i, p in probes(scene).items() if getattr(p, name)}
        assert marked
        cut = relabelled(scene, name, lambda p, name=name: getattr(p, name)[1:])
        assert not marked & confirmed(cut)


def test_wrong_answers_are_caught(scene):
    """The answers of the probe before cannot be right as well."""
    answers = [p.answers for p in probes(scene).values()]
    pairs = dict(zip(probes(scene), [answers[-1], *answers[:-1]], strict=True))
    differ = {i for i, p in probes(scene).items() if set(p.answers) != set(pairs[i])}
    assert not differ & confirmed(relabelled(scene, "answers", lambda p: pairs[p.id]))
    assert confirmed(replace_all(scene, lambda p: replace(p, answerable=not p.answerable))) == set()


def replace_all(scene: Scene, change: Callable[[Probe], Probe]) -> Scene:
    return changed(scene, lambda e: change(e) if isinstance(e, Probe) else e)


def test_an_answer_in_a_reaction_is_caught(scene):
    """The value slips into the first message that states nothing."""
    quiet = next(t for t in scene.turns.values() if t.id not in scene.rows_of)
    spoilt: dict[str, str] = {}
    for asked in scene.asked:
        question = question_of(scene, asked)
        found = question.kind in SOLVERS and solve(scene.known(asked), question)
        if found and isinstance(found.answer, Value) and found.answer.kind != "@count":
            spoilt[asked.probe.id] = written(found.answer, scene.words)[0]
    assert len(spoilt) > 30
    text = f"{quiet.text} {' / '.join(spoilt.values())}"
    told = changed(scene, lambda e: replace(e, text=text) if e is quiet else e)
    assert not spoilt.keys() & confirmed(told)


def test_forgets_without_their_turns_are_caught(scene):
    """Nothing is deleted then: what should be gone is known, what was restated is old."""
    deleted = {i for i, p in probes(scene).items() if p.category == "deletion"}
    assert deleted
    kept = changed(scene, lambda e: replace(e, turn_ids=()) if isinstance(e, Forget) else e)
    assert not deleted & confirmed(kept)
    assert "names no turn" in " ".join(judge(kept).beside)


def test_days_off_by_one_are_caught(scene):
    dated = {i for i, p in probes(scene).items() if p.meta["kind"] in ("when", "ago", "relative")}
    assert dated
    rows = [replace(r, day=r.day and r.day - timedelta(days=1)) for r in scene.rows]
    moved = Scene.of(scene.name, scene.words, scene.events, rows, scene.people)
    assert not dated & confirmed(moved)


def test_silent_changes_of_the_text_are_caught(scene):
    """Without their value, or said by nobody in particular, statements prove nothing."""
    plain = {i for i, p in probes(scene).items() if p.evidence}

    def emptied(event: Event) -> Event:
        told = isinstance(event, Turn) and event.id in scene.rows_of
        return replace(event, text="Well. 好吧。") if told else event

    assert not plain & confirmed(changed(scene, emptied))
