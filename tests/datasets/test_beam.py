"""The loader on small folders in BEAM's shape that have every defect."""

import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from memlab.checks import dataset_faults
from memlab.content import dataset_digest
from memlab.datasets import jsonl
from memlab.datasets.beam import ANSWERS, load
from memlab.errors import ConfigError, DataError
from memlab.evidence import audit
from memlab.types import Probe, SessionEnd, Turn


def pair(number, said, reply="Sure.", **extra):
    return [
        {"role": "user", "id": number, "question_type": "main_question", "content": said, **extra},
        {"role": "assistant", "id": number + 1, "content": reply},
    ]


def chat():
    return [
        {
            "batch_number": 1,
            "time_anchor": None,
            "turns": [
                pair(0, "I plan 5 runs. ->-> 1,1", time_anchor="March-15-2024", index="1,1"),
                [*pair(2, "I like tea. ->->  1,N/A "), *pair(4, "a ->-> b", "Ok ->-> 1,2")],
            ],
        },
        {"batch_number": 2, "turns": [pair(6, "Now 7 runs.", time_anchor="April-5-2024")]},
    ]


def questions():
    both = {"difficulty": "easy", "rubric": ["LLM response should state: 7"]}
    return {
        "abstention": [{"question": "Why?", "ideal_response": "No information.", **both}],
        "contradiction_resolution": [
            {
                "question": "Did I?",
                "ideal_answer": "You said both.",
                "source_chat_ids": {"first_statement": [2], "second_statement": [2]},
            }
        ],
        "event_ordering": [{"question": "Order?", "answer": "1) 2)", "source_chat_ids": [0, [6]]}],
        "information_extraction": [
            {"question": "What drink?", "answer": "tea", "source_chat_ids": [2, 3, 99]}
        ],
        "instruction_following": [
            {"question": "How?", "expected_compliance": "Steps.", "source_chat_ids": [4]}
        ],
        "knowledge_update": [
            {
                "question": "How many runs?",
                "answer": 7,
                "source_chat_ids": {"original_info": [0], "updated_info": [6]},
                **both,
            },
            {"question": "Why?", "answer": "x", "source_chat_ids": {"updated_info": []}},
        ],
        "summarization": [
            {"question": "Sum up.", "ideal_summary": "Runs.", "source_chat_ids": [1, 7]}
        ],
    }


@pytest.fixture
def tier(tmp_path):
    def made(chats=None, asked=None, deep=False):
        for name, batches in (chats or {"1": chat()}).items():
            folder = tmp_path / "100K" / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "chat.json").write_text(json.dumps(batches), encoding="utf-8")
            inner = folder / "probing_questions" if deep else folder
            inner.mkdir(exist_ok=True)
            text = json.dumps(questions() if asked is None else asked)
            (inner / "probing_questions.json").write_text(text, encoding="utf-8")
        return tmp_path / "100K"

    return made


def kinds(data):
    found = Counter(d.kind for d in data.defects)
    del found["unknown file"]
    return found


def probes(data):
    return {p.id.partition("/")[2]: p for p in data.conversations[0].probes()}


def test_events_in_order(tier):
    talk = load(tier()).conversations[0]
    assert (talk.id, talk.meta) == ("beam-100K-1", {"language": "en"})
    shape = [e.id if isinstance(e, Turn) else type(e).__name__ for e in talk.events]
    assert shape == [*"012345", "SessionEnd", *"67", "SessionEnd", *["Probe"] * 8]
    assert [e.session for e in talk.events if isinstance(e, SessionEnd)] == ["1", "2"]
    turns = list(talk.turns())
    assert turns[5].time == datetime(2024, 3, 15, 0, 5, tzinfo=UTC)
    assert turns[7].time == datetime(2024, 4, 5, 0, 1, tzinfo=UTC)
    assert {p.time for p in talk.probes()} == {datetime(2024, 4, 5, 0, 2, tzinfo=UTC)}
    assert [(t.role, t.speaker) for t in turns[:2]] == [("user", "user"), ("assistant",) * 2]
    assert {(t.user, t.imputed, len(t.meta)) for t in turns} == {("beam-100K-1", True, 0)}


def test_markers_are_stripped_and_counted(tier):
    data = load(tier())
    assert [t.text for t in data.conversations[0].turns()] == [
        *("I plan 5 runs.", "Sure.", "I like tea.", "Sure."),
        *("a ->-> b", "Ok", "Now 7 runs.", "Sure."),
    ]
    found = [d for d in data.defects if d.kind.startswith("generator")]
    assert [(d.kind, d.where, d.found) for d in found] == [
        ("generator marker (user)", "beam-100K-1 message 0", "->-> 1,1"),
        ("generator marker (user)", "beam-100K-1 message 2", "->->  1,N/A"),
        ("generator marker (assistant)", "beam-100K-1 message 5", "->-> 1,2"),
    ]
    assert kinds(data)["arrow inside a text"] == 1


def test_questions(tier):
    data = load(tier())
    asked = probes(data)
    assert {k: p.evidence for k, p in asked.items()} == {
        "abstention#0": (),
        "contradiction_resolution#0": ("2",),
        "event_ordering#0": ("0", "6"),
        "information_extraction#0": ("2", "3"),
        "instruction_following#0": ("4",),
        "knowledge_update#0": ("0", "6"),
        "knowledge_update#1": (),
        "summarization#0": ("1", "7"),
    }
    assert {k: p.answers for k, p in asked.items() if p.answers} == {
        "event_ordering#0": ("1) 2)",),
        "information_extraction#0": ("tea",),
        "knowledge_update#0": ("7",),
        "knowledge_update#1": ("x",),
    }
    assert [k for k, p in asked.items() if not p.answerable] == ["abstention#0"]
    assert {p.category for p in asked.values()} <= set(ANSWERS)
    abstention, update = asked["abstention#0"], asked["knowledge_update#0"]
    assert abstention.meta == {
        "ideal": "No information.",
        "difficulty": "easy",
        "rubric": ("LLM response should state: 7",),
    }
    assert update.meta["parts"] == {"original_info": ("0",), "updated_info": ("6",)}
    # Eight turns, 0 to 7: one follows turn 6, four follow turn 3.
    assert (update.meta["distance"], asked["information_extraction#0"].meta["distance"]) == (1, 4)
    assert asked["information_extraction#0"].meta["lost_evidence"] == {"unknown": 1}


def test_defects_of_questions(tier):
    data = load(tier())
    assert kinds(data) == {
        "generator marker (user)": 2,
        "generator marker (assistant)": 1,
        "arrow inside a text": 1,
        "repeated id": 1,
        "nested list": 1,
        "id of no turn": 1,
        "number as answer": 1,
        "repeated question": 1,
        "no evidence": 1,
    }
    assert data.defect_counts()["dropped"] == {"id of no turn": 1}
    lines = {(line.category, line.role): line[3:] for line in audit(data).lines}
    assert lines["information_extraction", "assistant"] == (1, 0)
    assert lines["information_extraction", "unknown"] == (0, 1)


def test_updates_as_stale_turns(tier):
    data = load(tier(), updates="current")
    update = probes(data)["knowledge_update#0"]
    assert (update.evidence, update.stale, update.meta["distance"]) == (("6",), ("0",), 1)
    assert probes(data)["event_ordering#0"].stale == ()
    assert data.card["updates"] == "current"
    with pytest.raises(ConfigError, match="did you mean 'current'"):
        load(tier(), updates="curent")


def test_conversations_in_numeric_order(tier):
    path = tier({"10": chat(), "9": chat(), "extra": chat(), "1": chat()}, deep=True)
    data = load(path)
    assert [c.id for c in data] == ["beam-100K-1", "beam-100K-9", "beam-100K-10", "beam-100K-extra"]
    assert all(len(list(c.probes())) == 8 for c in data)
    alone = load(path / "9")
    assert alone.conversations == (data.conversations[1],)


def test_round_trip_and_the_same_twice(tier, tmp_path):
    data = load(tier(), updates="current")
    assert dataset_faults(data) == []
    jsonl.dump(data, tmp_path / "beam.jsonl")
    assert dataset_digest(jsonl.load(tmp_path / "beam.jsonl")) == dataset_digest(data)


def test_strict_lists_all(tier):
    with pytest.raises(DataError) as caught:
        load(tier(), strict=True)
    text = str(caught.value)
    assert text.startswith("12 defects in ")  # the ten of the questions test and two unknown files
    assert "generator marker (user) at beam-100K-1 message 0: ->-> 1,1 (repaired)" in text


def changed(change):
    one = chat()
    change(one)
    return {"1": one}


@pytest.mark.parametrize(
    ("change", "kind", "turns"),
    [
        (lambda c: c.insert(1, "x"), "unreadable batch", 8),
        (lambda c: c[1].pop("turns"), "unreadable batch", 6),
        (lambda c: c[1]["turns"].append([7]), "unreadable message", 8),
        (lambda c: c[1]["turns"][0][1].pop("content"), "unreadable message", 7),
        (lambda c: c[1]["turns"][0][1].update(id=None), "unreadable message", 7),
        (lambda c: c[1]["turns"][0][1].update(id=0), "repeated message id", 8),
        (lambda c: c[1]["turns"][0][1].update(role="bot"), "unknown role", 8),
        (lambda c: c[1]["turns"][0][1].update(content="\ud800"), "half surrogate pair", 8),
        (lambda c: c[1]["turns"][0][1].update(content=" "), "empty message", 8),
        (lambda c: c[1]["turns"][0][0].pop("time_anchor"), "no time anchor", 8),
        (lambda c: c[0]["turns"][0][0].pop("time_anchor"), "no time anchor", 8),
        (lambda c: c[0].update(time_anchor="March-32-2024"), "unreadable time anchor", 8),
        (lambda c: c[0]["turns"][0][0].update(time_anchor=5), "unreadable time anchor", 8),
        (lambda c: c[1].update(time_anchor="March-1-2024"), "time anchor out of order", 8),
    ],
)
def test_odd_chats_lose_nothing_silently(tier, change, kind, turns):
    before = kinds(load(tier()))
    data = load(tier(changed(change)))
    assert (kinds(data) - before)[kind] == 1
    assert len(list(data.conversations[0].turns())) == turns
    assert dataset_faults(data) == []


def test_anchors_may_stand_anywhere_and_messages_outside_groups(tier):
    one = chat()
    one[1]["turns"] = pair(6, "Now 7 runs.")
    one[1]["time_anchor"] = "Apr 5, 2024"
    one[1]["turns"][1]["time_anchor"] = "April-05-2024"
    data = load(tier({"1": one}))
    assert data.conversations[0] == load(tier()).conversations[0]


def test_without_any_date(tier):
    one = changed(lambda c: [c[0]["turns"][0][0].pop("time_anchor"), c.pop()])
    data = load(tier(one))
    assert next(data.conversations[0].turns()).time == datetime(2000, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "kind", "number"),
    [
        ({"abstention": "x"}, "unreadable question", 0),
        ({"abstention": [{"question": " "}]}, "unreadable question", 0),
        ({"abstention": {"question": "Why?", "ideal_response": "None."}}, None, 1),
        ({"empathy": [{"question": "?", "answer": "a"}]}, "unknown ability", 1),
        ({"abstention": [{"question": "?"}]}, "no answer", 1),
        ({}, None, 0),
    ],
)
def test_odd_questions(tier, asked, kind, number):
    data = load(tier(asked=asked))
    assert kind is None or kinds(data)[kind] == 1
    assert len(list(data.conversations[0].probes())) == number


def test_missing_halves(tier):
    path = tier({"1": chat(), "2": chat(), "3": []})
    (path / "1" / "probing_questions.json").unlink()
    (path / "2" / "chat.json").unlink()
    data = load(path)
    assert [c.id for c in data] == ["beam-100K-1"]
    assert not any(isinstance(e, Probe) for e in data.conversations[0].events)
    dropped = [d.where for d in data.defects if d.kind == "conversation without turns"]
    assert dropped == ["beam-100K-2", "beam-100K-3"]
    assert kinds(data)["no questions"] == 1


def test_wrong_folders_and_files(tier, tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="the folder of a tier, such as 100K"):
        load(tmp_path / "none")
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path / "nowhere")
    with pytest.raises(DataError, match="expected a list of batches"):
        load(tier({"1": {"plan-1": []}}))
    with pytest.raises(DataError, match="an object of lists by ability"):
        load(tier(asked=[]))
    with pytest.raises(DataError, match=r"no conversation .*(?s:.)*without turns"):
        load(tier({"1": [{"plan-1": []}]}))
    (tier() / "1" / "chat.json").write_text("[" + "1" * 5000 + "]", encoding="utf-8")
    with pytest.raises(DataError, match="not readable JSON"):
        load(tmp_path / "100K")
