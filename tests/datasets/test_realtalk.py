"""The loader on a chat written in the published schema that has every defect."""

import copy
import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from memlab.checks import dataset_faults
from memlab.datasets.realtalk import load
from memlab.errors import ConfigError, DataError
from memlab.evidence import audit
from memlab.types import SessionEnd, Turn


def turn(place, speaker, text, time, **extra):
    return {
        "clean_text": text,
        "speaker": speaker,
        "date_time": time,
        "dia_id": place,
        "img_file": [],
        "img_url": [],
        **extra,
    }


def ask(question, evidence, category=1, answer="yes"):
    return {"question": question, "answer": answer, "evidence": evidence, "category": category}


def chat():
    return {
        "name": {"speaker_1": "Fahim Khan", "speaker_2": "Muhhamed"},
        "session_1": [
            turn("D1:1", "Fahim Khan", "Hey!", "29.12.2023, 22:42:04"),
            turn("D1:2", "Muhhamed", "Hi.", "29.12.2023, 22:43:00"),
            turn("D1:5", "Muhamed", "Look!", "29.12.2023, 22:43:00", blip_caption="a red kayak"),
        ],
        "session_1_date_time": "29.12.2023, 22:42:04",
        "events_session_1": {"Fahim Khan": ["He says hello"], "Muhhamed": [], "date": ""},
        "session_2": [
            turn("D1:6", "Fahim Khan", "", "30.12.2023, 08:00:01", blip_caption="a dog"),
            turn("D2:1", "Fahim Khan", "I ran.", "30.12.2023, 08:01:00"),
            turn("D2:2", "Muhhamed", "Great.", "30.12.2023, 08:02:00"),
            turn("D2:4", "Fahim Khan", "Bye.", "30.12.2023, 08:03:00"),
        ],
        "session_2_date_time": "30.12.2023, 08:00:01",
        "events_session_2": {"Fahim Khan": ["He ran"]},
        "qa": [
            ask("When did Fahim Khan run?", ["D2:1"], 2, "30 December 2023"),
            ask("What did Fahim and Muhammad say?", ["D1:1-D1:5"]),
            ask("Two in one?", ["D2:1. D2:2", "D1:2;D1:5"], 3),
            ask("One is gone?", ["D2:1. D2:3"]),
            ask("All gone?", ["D1:3", "D9:9"]),
            ask("Does Muhammad cite?", ["D2:2"], 3, "D2:2"),
            ask("How many?", ["D1:1"], 1, 3),
            ask("How many?", [], 2),
        ],
    }


@pytest.fixture
def folder(tmp_path):
    def made(*chats):
        for number, one in enumerate(chats, 1):
            path = tmp_path / f"Chat_{number}_Fahim_Muhhamed.json"
            path.write_text(json.dumps(one), encoding="utf-8")
        return tmp_path

    return made


def kinds(data):
    found = Counter(d.kind for d in data.defects)
    assert found.pop("unknown file") == len(data)
    return found


def changed(**changes):
    return {k: v for k, v in (chat() | changes).items() if v is not ...}


def probes(data):
    return list(data.conversations[0].probes())


BASE = {
    "speaker spelt differently": 1,
    "name differs from the questions": 1,
    "missing numbers": 1,
    "empty event entry": 1,
    "range of ids": 1,
    "several ids in one string": 3,
    "id of no turn": 3,
    "answer is an evidence id": 1,
    "number as answer": 1,
    "repeated question": 1,
    "no evidence": 1,
}


def test_events_in_order(folder):
    data = load(folder(chat()))
    (talk,) = data.conversations
    assert dataset_faults(data) == []
    assert audit(data).dangling == 0
    shape = [e.id if isinstance(e, Turn) else type(e).__name__ for e in talk.events]
    assert shape == [
        *["D1:1", "D1:2", "D1:5", "SessionEnd", "D1:6", "D2:1", "D2:2", "D2:4", "SessionEnd"],
        *["Probe"] * 8,
    ]
    turns = list(talk.turns())
    assert turns[0].time == datetime(2023, 12, 29, 22, 42, 4, tzinfo=UTC)
    assert not any(t.imputed for t in turns)
    # Turns stay in the session list that holds them; `dia_id` counts days.
    assert [t.session for t in turns] == ["1"] * 3 + ["2"] * 4
    assert [e.session for e in talk.events if isinstance(e, SessionEnd)] == ["1", "2"]
    assert [t.role for t in turns[:3]] == ["user", "assistant", "assistant"]
    assert [t.speaker for t in turns[:3]] == ["Fahim Khan", "Muhhamed", "Muhamed"]
    assert {t.user for t in turns} == {talk.id} == {"Chat_1_Fahim_Muhhamed"}
    assert talk.meta == {"language": "en", "speakers": ["Fahim Khan", "Muhhamed"]}
    assert {p.time for p in talk.probes()} == {datetime(2023, 12, 30, 8, 4, tzinfo=UTC)}


def test_questions(folder):
    data = load(folder(chat()))
    assert [p.evidence for p in probes(data)] == [
        ("D2:1",),
        ("D1:1", "D1:2", "D1:5"),
        ("D2:1", "D2:2", "D1:2", "D1:5"),
        ("D2:1",),
        (),
        ("D2:2",),
        ("D1:1",),
        (),
    ]
    assert [p.category for p in probes(data)[:3]] == ["temporal", "multi-hop", "open-domain"]
    assert [p.answers for p in probes(data)[4:]] == [("yes",), (), ("3",), ("yes",)]
    assert probes(data)[0].id == "Chat_1_Fahim_Muhhamed#0"
    # Seven turns; D2:1 is the fifth, so two follow it.
    assert probes(data)[0].meta == {"category_code": 2, "distance": 2}
    assert [p.meta.get("lost_evidence") for p in probes(data)] == [
        *[None] * 3,
        {"unknown": 1},
        {"unknown": 2},
        *[None] * 3,
    ]
    lost = sum(line.lost for line in audit(data).lines)
    assert (lost, sum(line.kept for line in audit(data).lines)) == (3, 11)


def test_every_defect_is_counted(folder):
    data = load(folder(chat()))
    assert kinds(data) == BASE
    told = {d.kind: d for d in data.defects}
    assert told["missing numbers"].found == "3: D1:3 D1:4 D2:3"  # 6 - 4 on day 1, 4 - 3 on day 2
    assert told["empty event entry"][1:3] == ("Chat_1_Fahim_Muhhamed events_session_1", "2 empty")
    assert told["speaker spelt differently"].found == "'Muhamed' for 'Muhhamed' on 1 turns"
    assert told["name differs from the questions"].found == (
        "'Muhhamed' in no question, 'Muhammad' in 2"
    )
    assert told["id of no turn"].action == told["answer is an evidence id"].action == "dropped"
    assert told["range of ids"].action == told["several ids in one string"].action == "repaired"


@pytest.mark.parametrize(
    ("images", "texts"),
    [
        ("text", ["Look!", ""]),
        ("caption", ["a red kayak", "a dog"]),
        ("text+caption", ["Look! [photo: a red kayak]", "[photo: a dog]"]),
    ],
)
def test_images(folder, images, texts):
    turns = list(load(folder(chat()), images=images).conversations[0].turns())
    assert [turns[2].text, turns[3].text] == texts
    assert turns[2].meta["caption"] == "a red kayak"
    assert turns[2].meta.get("words") == (None if images == "text" else "Look!")
    assert len(turns) == 7


def test_a_folder_and_a_file(folder):
    root = folder(*[chat()] * 10)
    data = load(root)
    assert [c.id.split("_")[1] for c in data] == [str(n) for n in range(1, 11)]
    one = load(root / "Chat_3_Fahim_Muhhamed.json")
    assert [c.id for c in one] == ["Chat_3_Fahim_Muhhamed"]
    assert kinds(data) == {kind: 10 * count for kind, count in BASE.items()}
    assert data.sha256 != one.sha256


LATER = "30.12.2023, 09:00:00"


def edited(change):
    one = copy.deepcopy(chat())
    change(one)
    return one


@pytest.mark.parametrize(
    ("change", "defects"),
    [
        (lambda c: c["session_1"][1].update(dia_id="D1:1"), {"repeated dia_id": 1}),
        (lambda c: c["session_1"][1].pop("dia_id"), {"turn without id": 1}),
        (lambda c: c["session_1"][1].pop("clean_text"), {"turn without text": 1}),
        (lambda c: c["session_1"][2].pop("clean_text"), {}),  # its caption remains
        (lambda c: c["session_1"][1].update(clean_text=" "), {"empty text": 1}),
        (lambda c: c["session_1"].insert(1, "x"), {"turn without text": 1}),
        (lambda c: c["session_1"][2].update(blip_caption=["a", 7]), {"unreadable caption": 1}),
        (lambda c: c["session_1"][2].update(blip_caption=["a", "b"]), {}),
        (lambda c: c["session_1"][1].update(speaker="Zoe"), {"unknown speaker": 1}),
        (lambda c: c["session_1"][1].update(speaker=None), {"turn without speaker": 1}),
        (lambda c: c["session_1"][1].update(date_time="30 Dec"), {"unreadable time": 1}),
        (lambda c: c["session_1"][1].update(date_time="31.02.2023, 01:00"), {"unreadable time": 1}),
        (lambda c: c["session_1"][1].pop("date_time"), {"unreadable time": 1}),
        (
            lambda c: c["session_1"][1].update(date_time="29.12.2023, 22:42:03"),
            {"time runs backwards": 1},
        ),
        (lambda c: c.update(session_2_date_time=LATER), {"session date differs": 1}),
        (lambda c: c.pop("session_2_date_time"), {"session date differs": 1}),
        (lambda c: c.update(session_3_date_time=LATER), {"date without session": 1}),
        (lambda c: c.update(session_3=[]), {"empty session": 1}),
        (lambda c: c.update(session_3="x"), {"unreadable session": 1}),
        (
            lambda c: c.update({k.replace("2", "0"): c.pop(k) for k in list(c) if "n_2" in k}),
            {"sessions out of order": 1},
        ),
        (lambda c: c.update(extra=1), {"unknown field": 1}),
        (lambda c: c.pop("name"), {"no names of two people": 1}),
        (lambda c: c.pop("qa"), {"no questions": 1}),
    ],
)  # fmt: skip
def test_odd_turns_are_reported(folder, change, defects):
    assert_reported(load(folder(edited(change))), defects)


@pytest.mark.parametrize(
    ("asked", "defects"),
    [
        ("x", {"question without text": 1}),
        (ask(" ", []), {"question without text": 1}),
        (ask("New?", "D1:1"), {"evidence is no flat list": 1}),
        (ask("New?", [["D1:1"], "D1:2"]), {"evidence is no flat list": 1}),
        (ask("New?", ["D1:1", 7]), {"cut-off id": 1}),
        (ask("New?", None), {"no evidence": 1}),
        (ask("New?", ["D1:1"], "2"), {"category as text": 1}),
        (ask("New?", ["D1:1"], 9), {"unknown category": 1}),
        (ask("New?", ["D1:1"], True), {"unknown category": 1}),
        (ask("New?", ["D1:1"], 1, ["a", "b"]), {"several answers": 1}),
        (ask("New?", ["D1:1"], 1, [1]), {"unreadable answer": 1}),
        (ask("New?", ["D1:1"], 1, None), {"no answer": 1}),
        (ask("New?", ["D1:1"], 1, "D1:1, D1:2"), {"answer is an evidence id": 1}),
        (ask("New?", ["D1:1"], 1, "Battery D1:1 it is"), {}),
    ],
)
def test_odd_questions_are_reported(folder, asked, defects):
    assert_reported(load(folder(edited(lambda c: c["qa"].append(asked)))), defects)


def assert_reported(data, defects):
    """Compare the defects that a change adds, but for those that follow from lost turns."""
    added = kinds(data) - Counter(BASE)
    for kind in ("missing numbers", "id of no turn", "id in other text"):
        added.pop(kind, None)
    assert added == defects
    assert dataset_faults(data) == []
    assert audit(data).dangling == 0


def test_repaired_times_keep_the_order(folder):
    def change(one):
        one["session_1"][1]["date_time"] = "29.12.2023, 22:00:00"
        one["session_2"][0]["date_time"] = "?"

    turns = list(load(folder(edited(change))).conversations[0].turns())
    assert [t.imputed for t in turns] == [False, True, False, True, False, False, False]
    assert turns[1].time == turns[0].time
    assert turns[3].time == datetime(2023, 12, 30, 8, 0, 1, tzinfo=UTC)  # the session's date


def test_a_chat_without_any_time(folder):
    def change(one):
        for key in ("session_1", "session_2"):
            one.pop(f"{key}_date_time")
            for raw in one[key]:
                del raw["date_time"]

    data = load(folder(edited(change)))
    assert dataset_faults(data) == []
    assert all(t.imputed for t in data.conversations[0].turns())
    assert kinds(data)["unreadable time"] == 7


def test_the_second_of_equal_ids_gets_another(folder):
    data = load(folder(edited(lambda c: c["session_1"][1].update(dia_id="D1:1"))))
    assert [t.id for t in data.conversations[0].turns()][:3] == ["D1:1", "D1:1~2", "D1:5"]


@pytest.mark.parametrize("one", [[], "x", {}, {"session_1": [7]}, {"qa": []}])
def test_a_chat_without_turns_is_dropped(folder, one):
    data = load(folder(chat(), one))
    assert len(data) == 1
    told = [d for d in data.defects if d.kind in ("unreadable chat", "no readable turn")]
    assert [(d.where, d.action) for d in told] == [("Chat_2_Fahim_Muhhamed", "dropped")]
    with pytest.raises(DataError, match="no conversation that can be read"):
        load(folder(one) / "Chat_1_Fahim_Muhhamed.json")


def test_strict_lists_all(folder):
    with pytest.raises(DataError) as caught:
        load(folder(chat()), strict=True)
    assert str(caught.value).startswith("16 defects in ")  # 15 of BASE and the unknown file
    assert "range of ids at Chat_1_Fahim_Muhhamed#1: D1:1-D1:5 (repaired)" in str(caught.value)


def test_files_and_options_that_cannot_work(folder, tmp_path):
    with pytest.raises(DataError, match=r"has no Chat_\*\.json"):
        load(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path / "none.json")
    (tmp_path / "Chat_1.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match="broken JSON"):
        load(tmp_path)
    with pytest.raises(ConfigError, match="images='none'"):
        load(folder(chat()), images="none")
    with pytest.raises(ConfigError, match="strict='no'"):
        load(folder(chat()), strict="no")


def test_a_published_file_is_known(folder, monkeypatch):
    root = folder(changed())
    sha256 = load(root).defects[0].found.removeprefix("sha256 ")
    published = {"files": {"Chat_1_Fahim_Muhhamed.json": sha256}}
    monkeypatch.setattr("memlab.reading.sources.card", lambda _name: dict(published))
    assert "unknown file" not in {d.kind for d in load(root).defects}
