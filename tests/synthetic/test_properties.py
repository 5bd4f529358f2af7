"""What holds of every spec: its conversations keep the format's rules, or an ability is named."""

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from memlab.datasets.jsonl import check, dump
from memlab.datasets.synthetic import dataset
from memlab.errors import DataError, Faults
from memlab.synthetic.conversation import generate
from memlab.synthetic.layout import Layout
from memlab.synthetic.spec import ABILITIES, CHOICES, SHARES, DialogueSpec
from memlab.types import Forget, Probe, SessionEnd, Turn

SHARE = st.sampled_from([0.0, 0.3, 1.0])
LONE = ("tool", "isolation")
"""Abilities that a chat of two people does not have."""


@st.composite
def specs(draw, abilities=None):
    """Draw any small valid spec: dials at their extremes as often as between them."""
    pick = {name: draw(st.sampled_from(options)) for name, options in CHOICES.items()}
    chat = pick["style"] == "chat"
    users = 1 if chat else draw(st.sampled_from([1, 2, 5]))
    asked = [
        name
        for name in ABILITIES
        if not (chat and name in LONE) and not (users == 1 and name == "isolation")
    ]
    if abilities is None:
        weights = st.dictionaries(st.sampled_from(asked), st.sampled_from([0.2, 1.0]), min_size=1)
    else:
        kept = [name for name in asked if name in abilities]
        assume(kept)
        weights = st.just(dict.fromkeys(kept, 1.0))
    sessions = max(users, draw(st.sampled_from([1, 2, 3, 12])))
    turns = draw(st.integers(max(8, 4 * sessions), 160))
    return DialogueSpec(
        **pick,
        **{name: draw(SHARE) for name in SHARES},
        conversations=1,
        turns=turns,
        sessions=sessions,
        days=draw(st.sampled_from([1, 2, 25, 400])),
        users=users,
        probes=draw(st.integers(0, min(24, turns // 2))),
        abilities=draw(weights),
        same_attribute=draw(st.sampled_from([0.0, 0.5, 10.0])),
        same_person=draw(st.sampled_from([0.0, 0.5, 10.0])),
        details=draw(st.sampled_from([0.0, 1.0, 3.0])),
        set_size=draw(st.sampled_from([2, 12])),
        seed=draw(st.integers(-3, 3)),
    )


def events_of(spec):
    """Return the events of a spec's conversation; specs too crowded to be made are passed over."""
    try:
        return list(generate(spec)[0])
    except DataError as error:
        told = str(error)
    assert any(repr(name) in told for name in spec.abilities)
    assert "more turns, or fewer probes" in told
    return reject()


@settings(max_examples=50)
@given(specs())
def test_a_spec_gives_a_file_of_the_format_or_names_an_ability(spec):
    events_of(spec)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.jsonl"
        dump(dataset(spec), path)
        assert check(path) == []


@settings(max_examples=50)
@given(specs())
def test_walking_again_is_equal_and_nothing_goes_back_in_time(spec):
    events = events_of(spec)
    talk = generate(spec)[0]
    assert list(talk) == events
    assert list(talk) == events
    assert all(before.time <= after.time for before, after in pairwise(events))
    sessions = [e.session for e in events if isinstance(e, Turn)]
    assert [e.session for e in events if isinstance(e, SessionEnd)] == list(dict.fromkeys(sessions))
    assert len(sessions) == spec.turns


@settings(max_examples=60)
@given(specs())
def test_what_a_probe_names_was_said_before_and_is_its_users(spec):
    said, deleted, asked = {}, set(), 0
    for event in events_of(spec):
        if isinstance(event, Turn):
            said[event.id] = event
            assert event.text.strip()
            assert "{" not in event.text or spec.messages == "long"
        elif isinstance(event, Forget):
            assert {said[name].user for name in event.turn_ids} == {event.user}
            deleted.update(event.turn_ids)
        elif isinstance(event, Probe):
            asked += 1
            evidence = set(event.evidence)
            assert evidence | {*event.stale, *event.forbidden} <= set(said)
            assert not evidence & (deleted | {*event.stale, *event.forbidden})
            assert {said[name].user for name in evidence} <= {event.user}
            assert bool(event.answers) == event.answerable
            assert evidence or not event.answerable
    assert asked == spec.probes


@settings(max_examples=40)
@given(st.sampled_from(ABILITIES), st.data())
def test_each_ability_can_be_asked_for_alone(ability, data):
    spec = data.draw(specs(abilities=[ability]))
    events = events_of(spec)
    assert {e.category for e in events if isinstance(e, Probe)} <= {ability}


@settings(max_examples=30)
@given(specs())
def test_answers_stand_in_their_evidence(spec):
    """A question with one turn of evidence and a value is answered by that turn's words."""
    texts = {}
    for event in events_of(spec.with_(language="en", typos=0.0)):
        if isinstance(event, Turn):
            texts[event.id] = event.text.lower()
        elif isinstance(event, Probe) and event.meta["kind"] in ("current", "feeling", "own"):
            plain = "preference" not in event.category and not event.meta["via"]
            if plain and len(event.evidence) == 1:
                said = texts[event.evidence[0]]
                assert any(answer.lower() in said for answer in event.answers), event


@st.composite
def layouts(draw):
    """Draw the layout of any size: many sessions a day, long sessions, days without any."""
    sessions = draw(st.integers(1, 300))
    turns = sessions * draw(st.sampled_from([4, 20, 500])) + draw(st.integers(0, 9))
    users = min(sessions, draw(st.sampled_from([1, 3])))
    dials = {"turns": max(8, turns), "sessions": sessions, "users": users, "probes": 0}
    abilities = {"single_fact": 1.0}
    days = draw(st.integers(1, 2 * sessions + 10))
    return Layout(
        DialogueSpec(**dials, days=days, abilities=abilities, seed=draw(st.integers(0, 99))), 0
    )


@settings(max_examples=200)
@given(layouts())
def test_a_session_begins_after_the_one_before_has_ended(layout):
    for last, (start, begins) in zip(
        layout.ends, zip(layout.starts[1:], layout.times[1:], strict=True), strict=False
    ):
        assert last == start
        assert layout.time(last - 1) < layout.asked(last) <= begins


@pytest.mark.parametrize(
    "dials",
    [
        {"abilities": {"update": float("inf")}},
        {"abilities": {"update": float("nan"), "emotion": 1.0}},
        {"abilities": {"update": 1e308, "emotion": 1e308}},
        {"abilities": {1: 1.0}},
        {"days": 3_000_000},
        {"users": 60, "sessions": 30},
    ],
)
def test_values_that_cannot_be_made_are_faults(dials):
    with pytest.raises(Faults):
        DialogueSpec(**dials)
