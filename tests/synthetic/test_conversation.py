"""Generated conversations: the same everywhere, well formed, and as the dials say."""

import json
import os
import pickle
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from statistics import mean

import pytest

import memlab as ml
from memlab.content import dataset_digest
from memlab.datasets.jsonl import check, dump
from memlab.datasets.synthetic import dataset
from memlab.errors import ConfigError, DataError
from memlab.synthetic.conversation import Generated, generate
from memlab.synthetic.spec import ABILITIES, DialogueSpec
from memlab.types import Forget, Probe, SessionEnd, Turn

SMALL = DialogueSpec(conversations=2, turns=160, sessions=8, days=60, probes=30)
CHAT = SMALL.with_(
    style="chat",
    users=1,
    abilities={"single_fact": 2, "temporal": 1, "abstention": 1, "emotion": 1},
)
LONG = SMALL.with_(messages="long", language="mixed")
SHAPES = {"en": SMALL, "zh": SMALL.with_(language="zh"), "chat": CHAT, "long": LONG}


def probes(spec):
    return [e for talk in generate(spec) for e in talk if isinstance(e, Probe)]


def digest(spec):
    return dataset_digest(dataset(spec))


@pytest.fixture(params=SHAPES, scope="module")
def spec(request):
    return SHAPES[request.param]


def test_walking_twice_gives_the_same(spec):
    talk = generate(spec)[0]
    assert list(talk) == list(talk)
    assert list(pickle.loads(pickle.dumps(talk))) == list(talk)


@pytest.mark.parametrize("name", SHAPES)
def test_the_bytes_are_fixed(name):
    assert digest(SHAPES[name])[:16] == GOLDEN[name]


# sha256 of every field of every event. A change here is a new version of every synthetic data
# set: raise memlab.synthetic.spec.VERSION with it.
GOLDEN = {
    "en": "5da16a4e534f3b01",
    "zh": "7ded4af411b87fd3",
    "chat": "ae3905f0cdf866ec",
    "long": "b1853afdb39f2d0b",
}


@pytest.mark.parametrize(
    "surroundings", [{"PYTHONHASHSEED": "7"}, {"TZ": "Asia/Tokyo", "LC_ALL": "C"}]
)
def test_nothing_depends_on_the_surroundings(surroundings, tmp_path):
    path = tmp_path / "spec.toml"
    path.write_text(LONG.to_toml(), encoding="utf-8")
    code = (
        "import sys, memlab as ml; from memlab.content import dataset_digest;"
        "print(dataset_digest(ml.load('synthetic', path=sys.argv[1])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        env={**os.environ, "PYTHONHASHSEED": "1", **surroundings},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest(LONG)


def test_another_seed_is_another_world(spec):
    assert digest(spec) != digest(spec.with_(seed=5))


def test_the_file_passes_the_check_and_comes_back_equal(spec, tmp_path):
    data = dataset(spec)
    dump(data, tmp_path / "made.jsonl")
    assert check(tmp_path / "made.jsonl") == []
    assert dataset_digest(ml.load("jsonl", path=tmp_path / "made.jsonl")) == dataset_digest(data)


def test_strategies_see_no_label(spec):
    for talk in generate(spec):
        for place, turn in enumerate(e for e in talk if isinstance(e, Turn)):
            assert turn.id == f"t{place}"
            assert set(turn.meta) <= {"call"}
            assert not turn.imputed


def test_events_are_in_time_order_and_sessions_end(spec):
    for talk in generate(spec):
        events = list(talk)
        assert [e.time for e in events] == sorted(e.time for e in events)
        ends = [e.session for e in events if isinstance(e, SessionEnd)]
        assert ends == list(dict.fromkeys(e.session for e in events if isinstance(e, Turn)))
        turns = [e for e in events if isinstance(e, Turn)]
        assert len(turns) == spec.turns
        assert len(ends) == spec.sessions
        assert turns[-1].time - turns[0].time <= timedelta(days=spec.days + 1)
        owners = {}
        for turn in turns:
            assert owners.setdefault(turn.session, turn.user) == turn.user


def test_only_what_was_said_is_named(spec):
    for talk in generate(spec):
        said, deleted = {}, set()
        for event in talk:
            if isinstance(event, Turn):
                said[event.id] = event.user
            elif isinstance(event, Forget):
                deleted |= set(event.turn_ids)
                assert {said[i] for i in event.turn_ids} == {event.user}
            elif isinstance(event, Probe):
                assert set(event.evidence) | set(event.stale) | set(event.forbidden) <= set(said)
                assert not deleted & set(event.evidence)
                assert not set(event.evidence) & {*event.stale, *event.forbidden}
                assert all(said[i] == event.user for i in event.evidence)
                assert bool(event.answers) == event.answerable


def test_every_ability_gets_its_share():
    counts = Counter(p.category for p in probes(SMALL.with_(turns=300)))
    assert counts == dict.fromkeys(ABILITIES, 2 * 2)


def test_weights_decide_the_mix():
    mixed = SMALL.with_(abilities={"update": 2, "emotion": 1})
    assert Counter(p.category for p in probes(mixed)) == {"update": 40, "emotion": 20}


def test_overlap_follows_the_wish():
    got = {}
    for wish in (0.0, 0.5, 1.0):
        asked = probes(SMALL.with_(overlap=wish, overlap_spread=0.0, abilities={"single_fact": 1}))
        got[wish] = mean(p.meta["overlap"] for p in asked)
    assert got[0.0] < 0.15
    assert got[0.0] + 0.15 < got[0.5] < got[1.0] - 0.15
    assert got[1.0] > 0.75


@pytest.mark.parametrize(("kind", "near"), [("log", 0.5), ("uniform", 0.1)])
def test_distances_are_uniform_in_their_logarithm_or_plainly(kind, near):
    spec = DialogueSpec(
        conversations=10, turns=1000, sessions=40, probes=40, users=1, timing="spread",
        distance=kind, abilities={"single_fact": 1}, same_attribute=0, same_person=0,
    )  # fmt: skip
    distances = [p.meta["distance"] + 1 for p in probes(spec)]
    # Of a distance uniform on a log axis up to 1,000, half lie below √1000 ≈ 32.
    assert mean(d <= 32 for d in distances) == pytest.approx(near, abs=0.1)


def test_distance_counts_the_turns_between():
    for talk in generate(SMALL):
        said = []
        for event in talk:
            if isinstance(event, Turn):
                said.append(event.id)
            elif isinstance(event, Probe) and event.evidence:
                last = max(said.index(turn) for turn in event.evidence)
                assert event.meta["distance"] == len(said) - 1 - last
                assert event.meta["history"] == len(said)


@pytest.mark.parametrize("timing", ["end", "session", "spread"])
def test_questions_come_when_they_should(timing):
    for talk in generate(SMALL.with_(timing=timing)):
        events = list(talk)
        after_end = [
            next(e for e in reversed(events[:i]) if not isinstance(e, Probe))
            for i, event in enumerate(events)
            if isinstance(event, Probe)
        ]
        at_end = [isinstance(e, SessionEnd) for e in after_end]
        if timing == "spread":
            assert not all(at_end)
        else:
            assert all(at_end)
        if timing == "end":
            assert all(isinstance(e, Probe) for e in events[-SMALL.probes :])


@pytest.mark.parametrize("facts", [0.3, 0.45])
def test_facts_are_as_dense_as_wished(facts):
    spec = CHAT.with_(facts=facts, turns=1000, sessions=40, probes=20, same_person=0.0)
    for talk in generate(spec):
        assert sum(1 for _ in talk.rows()) / spec.turns == pytest.approx(facts, abs=0.05)


def test_rivals_are_as_many_as_wished():
    spec = SMALL.with_(turns=600, abilities={"single_fact": 1}, same_person=0.0)
    for wish in (0.0, 2.0):
        asked = probes(spec.with_(same_attribute=wish))
        assert mean(p.meta["same_attribute"] for p in asked) == pytest.approx(wish, abs=0.8)


def test_updates_leave_stale_turns_behind():
    asked = probes(SMALL.with_(abilities={"single_fact": 1}, updates=1.0))
    assert all(p.meta["updates"] >= 1 and p.stale for p in asked)
    asked = probes(SMALL.with_(abilities={"single_fact": 1}, updates=0.0))
    assert not any(p.stale for p in asked)


def test_a_bare_answer_has_its_question_as_evidence():
    asked = probes(SMALL.with_(abilities={"single_fact": 1}, updates=0.0, ellipsis=1.0))
    assert all(len(p.evidence) == 2 for p in asked)
    for p in asked:
        question, answer = (int(turn[1:]) for turn in p.evidence)
        assert answer == question + 1


def test_noise_is_as_frequent_as_wished():
    quiet, loud = (
        [e.text for e in generate(CHAT.with_(typos=share, turns=400))[0] if isinstance(e, Turn)]
        for share in (0.0, 0.5)
    )
    assert quiet != loud
    switched = CHAT.with_(code_switching=0.5, turns=400)
    texts = [e.text for e in generate(switched)[0] if isinstance(e, Turn)]
    mixed = mean(not text.isascii() for text in texts)
    assert 0.1 < mixed < 0.5


def test_a_mixed_dialogue_has_both_languages():
    data = dataset(SMALL.with_(language="mixed"))
    chinese = [
        sum("\u4e00" <= c <= "\u9fff" for c in t.text) > 4 for t in data.conversations[0].turns()
    ]
    assert 0.3 < mean(chinese) < 0.7
    assert {p.meta["language"] for p in data.conversations[0].probes()} == {"en", "zh"}


def test_the_plan_grows_with_the_questions_not_with_the_dialogue():
    short, long = (
        Generated(SMALL.with_(turns=turns, sessions=turns // 20), 0).plan
        for turns in (4000, 400_000)
    )
    assert len(long.slots) <= 1.2 * len(short.slots)


def test_names_never_run_out():
    crowd = SMALL.with_(users=400, sessions=400, turns=1600, probes=15)
    names = [person.name for person in Generated(crowd, 0).people.values()]
    assert len(names) > 3200  # more than there are pairs of given and family name
    assert len(set(names)) == len(names)


def test_a_long_conversation_is_written_as_it_is_read():
    data = ml.load("synthetic", conversations=1, turns=50_020, sessions=2501, probes=15)
    events = data.conversations[0].events
    assert isinstance(events, Generated)
    assert sum(isinstance(e, Turn) for e in events) == 50_020


def test_too_many_questions_are_refused_with_a_remedy():
    crowded = SMALL.with_(turns=32, sessions=2, probes=16, timing="end", set_size=12)
    with pytest.raises(DataError, match="more turns, or fewer probes"):
        probes(crowded.with_(abilities={"aggregation": 1}))


def test_world_ledger_and_transcript_are_tables():
    talk = generate(SMALL)[0]
    ledger, transcript = talk.ledger(), talk.transcript()
    assert len(ledger) == sum(1 for _ in talk.rows())
    assert set(ledger["authority"]) == {0.5, 1.0}
    turns = {e.id: e.text for e in talk if isinstance(e, Turn)}
    assert list(transcript["text"]) == list(turns.values())
    assert (transcript["states"] != "").sum() == ledger["turn"].nunique()
    said = zip(ledger["turn"], ledger["value"], strict=True)
    assert all(value.lower() in turns[turn].lower() for turn, value in said)
    assert list(transcript.index) == list(turns)
    assert list(talk.world().index) == list(talk.people)


def test_a_spec_made_in_python_is_loaded():
    data = ml.load("synthetic", spec=SMALL, conversations=1)
    assert data.conversations[0].events == tuple(generate(SMALL)[0])
    assert repr(generate(SMALL)[0]) == "<en1: 160 turns, 30 probes>"
    with pytest.raises(ConfigError, match="one of them"):
        ml.load("synthetic", spec=SMALL, profile="chat")


def test_only_a_spec_can_be_generated():
    with pytest.raises(ConfigError, match="DialogueSpec"):
        generate("chat")


def test_the_dials_of_a_run_come_back_from_its_spec(tmp_path):
    results = ml.evaluate(
        {"bm25": "BM25()"},
        {"name": "synthetic", "conversations": 1, "turns": 120, "sessions": 6, "probes": 15,
         "abilities": {"update": 1.0, "emotion": 2.0}},
        ["Recall(k=5)"], out=tmp_path,
    )  # fmt: skip
    again = ml.Results.load(results.path)
    assert again.dataset.conversations == results.dataset.conversations
    assert json.loads((results.path / "manifest.json").read_text())["dataset"]["name"]
