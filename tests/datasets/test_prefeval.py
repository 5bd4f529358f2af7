"""The PrefEval loader on a small folder in the published layout."""

import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from memlab.checks import dataset_faults
from memlab.datasets.prefeval import load
from memlab.errors import ConfigError, DataError
from memlab.types import Turn


def item(preference="I avoid nuts.", question="What shall I cook?", explanation="Satay has nuts."):
    return {"preference": preference, "question": question, "explanation": explanation}


def talk(*words):
    roles = ("user", "assistant")
    messages = [{"role": roles[i % 2], "content": w} for i, w in enumerate(words)]
    return {"conversation_id": "x", "model": "m", "conversation": messages}


@pytest.fixture
def folder(tmp_path):
    def made(topics=None, other=None):
        root = tmp_path / "benchmark_dataset"
        (root / "explicit_preference").mkdir(parents=True)
        topics = topics or {"travel_hotel": [item("No lifts.")], "lifestyle_dietary": [item()]}
        for name, items in topics.items():
            path = root / "explicit_preference" / f"{name}.json"
            path.write_text(json.dumps(items), encoding="utf-8")
        other = [talk("a", "b", "c", "d"), talk("e", "f")] if other is None else other
        (root / "filtered_inter_turns.json").write_text(json.dumps(other), encoding="utf-8")
        return root

    return made


def test_the_preference_then_other_talk_then_the_question(folder):
    data = load(folder(), exchanges=3)
    assert dataset_faults(data) == []
    assert data.defects == ()
    assert [t.id for t in data] == ["lifestyle_dietary#0", "travel_hotel#0"]
    first = data.conversations[0]
    shape = [
        (e.id, e.role, e.text, e.session) if isinstance(e, Turn) else type(e).__name__
        for e in first.events
    ]
    assert shape == [
        ("preference", "user", "I avoid nuts.", "1"),
        "SessionEnd",
        ("other-1", "user", "a", "2"),
        ("other-2", "assistant", "b", "2"),
        ("other-3", "user", "c", "2"),
        ("other-4", "assistant", "d", "2"),
        "SessionEnd",
        ("other-5", "user", "e", "3"),
        ("other-6", "assistant", "f", "3"),
        "SessionEnd",
        "Probe",
    ]
    (probe,) = first.probes()
    assert (probe.text, probe.evidence) == ("What shall I cook?", ("preference",))
    assert probe.category == "lifestyle_dietary"
    assert probe.meta == {"distance": 6, "explanation": "Satay has nuts."}
    assert probe.time == datetime(2000, 1, 1, 0, 7, tzinfo=UTC)  # preference + 6 messages
    assert {t.user for t in first.turns()} == {first.id}
    assert all(t.imputed for t in first.turns())
    assert first.meta == {"language": "en", "topic": "lifestyle_dietary"}


def test_the_other_talk_is_a_prefix_that_may_be_cut_or_empty(folder):
    root = folder()
    one = [t.text for t in load(root, exchanges=1).conversations[0].turns()]
    assert one == ["I avoid nuts.", "a", "b"]
    none = load(root, exchanges=0).conversations[0]
    assert [t.text for t in none.turns()] == ["I avoid nuts."]
    assert load(root.parent, exchanges=1).sha256 == load(root, exchanges=1).sha256


def test_more_exchanges_than_there_are(folder):
    with pytest.raises(ConfigError, match="at most 3, all in"):
        load(folder(), exchanges=4)
    with pytest.raises(ConfigError, match="exchanges=-1"):
        load("anywhere", exchanges=-1)


def test_topics(folder):
    root = folder()
    assert [t.id for t in load(root, exchanges=1, topics=["travel_hotel"])] == ["travel_hotel#0"]
    with pytest.raises(ConfigError, match="did you mean 'travel_hotel'"):
        load(root, topics="travel_hotels")


def test_defects(folder):
    items = [
        item(),
        item(),
        item(preference=""),
        item(question=None),
        "no object",
        item("P", "Q \udc00", None),
    ]
    broken = talk("a", "b")
    broken["conversation"].insert(1, {"role": "user", "content": "twice the user"})
    broken["conversation"].append({"role": "user", "content": "no reply"})
    root = folder({"t": items}, [{"conversation": None}, broken, talk("c", "d")])
    data = load(root, exchanges=2)
    assert dataset_faults(data) == []
    assert Counter((d.kind, d.action) for d in data.defects) == {
        ("repeated question", "reported"): 1,
        ("no preference or question", "dropped"): 2,
        ("no object", "dropped"): 1,
        ("half a surrogate pair", "repaired"): 1,
        ("no explanation", "reported"): 1,
        ("talk without messages", "dropped"): 1,
        ("message out of turn", "dropped"): 1,
        ("message without reply", "dropped"): 1,
    }
    assert [t.id for t in data] == ["t#0", "t#1", "t#5"]
    assert [t.text for t in data.conversations[0].turns()][1:] == ["a", "b", "c", "d"]
    with pytest.raises(DataError, match="9 defects"):
        load(root, exchanges=2, strict=True)


def test_nothing_to_read(folder, tmp_path):
    with pytest.raises(DataError, match="has no topic"):
        load(tmp_path / "absent")
    with pytest.raises(DataError, match="no preference that can be used"):
        load(folder({"t": [{}]}), exchanges=1)
