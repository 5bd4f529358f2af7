"""The loader on a small file in LoCoMo's shape that has every defect."""

import copy
import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from memlab.content import dataset_digest
from memlab.datasets.locomo import load, mend
from memlab.errors import ConfigError, DataError
from memlab.types import Probe, SessionEnd, Turn


def turn(place, speaker, text, **extra):
    return {"speaker": speaker, "dia_id": place, "text": text, **extra}


def ask(question, evidence, category=4, **extra):
    extra = extra or {"answer": "yes"}
    return {"question": question, "evidence": evidence, "category": category, **extra}


def sample():
    image = {"blip_caption": "a photo of a red kayak", "query": "sea kayak", "img_url": ["u"]}
    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_1_date_time": "11:59 pm on 31 December, 2023",
            "session_1": [
                turn("D1:1", "Ada", "I bought a kayak."),
                turn("D1:2", "Bo", "Look at mine!", **image),
                turn("D1:3", "Ada", "It is lovely."),
            ],
            "session_2_date_time": "12:05 am on 2 January, 2024",
            "session_2": [turn("D2:1", "Bo", "Happy new year."), turn("D2:2", "Cy", "Hello.")],
            "session_10_date_time": "1:56 pm on 8 May, 2024",
            "session_10": [turn("D10:1", "Ada", "I sold it.")],
            "session_11_date_time": "1:56 pm on 9 May, 2024",
        },
        "qa": [
            ask("What did Ada buy?", ["D1:1"], answer="a kayak"),
            ask("Several?", ["D1:1; D1:3", "D2:1 D2:2"], 1),
            ask("Colon?", ["D:10:1"], 2),
            ask("Zero?", ["D10:01"], 2, answer=2023),
            ask("Cut?", ["D", "D1:2"]),
            ask("Dangling?", ["D9:99"]),
            ask("Twice?", ["D1:1", "D1:1"]),
            ask("Empty?", [], 3),
            ask("What did Ada buy?", ["D1:1"], answer="a kayak"),
            ask("What did Bo buy?", ["D1:1"], 5, adversarial_answer="a kayak"),
            ask("What did Bo sell?", ["D10:1"], 5, adversarial_answer="it", answer="nothing"),
            ask("Bracket?", ["(D1:2)"]),
        ],
    }


@pytest.fixture
def file(tmp_path):
    def made(samples=None, corrections=None):
        path = tmp_path / "locomo10.json"
        path.write_text(json.dumps([sample()] if samples is None else samples), encoding="utf-8")
        if corrections is not None:
            text = json.dumps({"corrections": corrections})
            (tmp_path / "corrections.json").write_text(text, encoding="utf-8")
        return path

    return made


def probe(data, number):
    return list(data.conversations[0].probes())[number]


def kinds(data):
    return Counter(d.kind for d in data.defects)


def test_events_in_order(file):
    talk = load(file()).conversations[0]
    shape = [type(e).__name__ if not isinstance(e, Turn) else e.id for e in talk.events]
    sessions = ["D1:1", "D1:2", "D1:3", "SessionEnd", "D2:1", "D2:2", "SessionEnd", "D10:1"]
    assert shape == [*sessions, "SessionEnd", *["Probe"] * 12]
    assert [e.session for e in talk.events if isinstance(e, SessionEnd)] == ["1", "2", "10"]
    first, second, third, *_ = talk.turns()
    assert first.time == datetime(2023, 12, 31, 23, 59, tzinfo=UTC)
    assert third.time == datetime(2024, 1, 1, 0, 1, tzinfo=UTC)  # 23:59 + 2 minutes
    assert (first.role, second.role, first.speaker, first.user) == (
        "user",
        "assistant",
        "Ada",
        "conv-1",
    )
    assert all(t.imputed for t in talk.turns())
    asked = [e for e in talk.events if isinstance(e, Probe)]
    assert {p.time for p in asked} == {datetime(2024, 5, 8, 13, 57, tzinfo=UTC)}
    assert asked[0].id == "conv-1#0"


def test_repaired(file):
    data = load(file())
    evidence = [p.evidence for p in data.conversations[0].probes()]
    assert evidence == [
        ("D1:1",),
        ("D1:1", "D1:3", "D2:1", "D2:2"),
        ("D10:1",),
        ("D10:1",),
        ("D1:2",),
        (),
        ("D1:1",),
        (),
        ("D1:1",),
        ("D1:1",),
        ("D10:1",),
        ("D1:2",),
    ]
    assert kinds(data) == {
        "unknown file": 1,
        "date without session": 1,
        "unknown speaker": 1,
        "several ids in one string": 2,
        "stray colon": 1,
        "zero-padded id": 1,
        "integer answer": 1,
        "cut-off id": 1,
        "id of no turn": 1,
        "repeated id": 1,
        "no evidence": 1,
        "repeated question": 1,
        "adversarial question with an answer": 1,
        "id in other text": 1,
    }
    actions = {d.kind: d.action for d in data.defects}
    assert actions["stray colon"] == "repaired"
    assert actions["id of no turn"] == actions["cut-off id"] == "dropped"
    assert actions["no evidence"] == actions["unknown file"] == "reported"


def test_raw_keeps_the_strings(file):
    data = load(file(), labels="raw")
    assert probe(data, 1).evidence == ("D1:1; D1:3", "D2:1 D2:2")
    assert probe(data, 6).evidence == ("D1:1", "D1:1")
    assert probe(data, 7).evidence == ()
    assert {d.action for d in data.defects if d.kind == "stray colon"} == {"reported"}


def test_answers_and_dials(file):
    data = load(file())
    assert probe(data, 3).answers == ("2023",)
    assert (probe(data, 0).category, probe(data, 1).category) == ("single-hop", "multi-hop")
    # Six turns; D1:1 is followed by five, D10:1 by none; several: the last counts (D2:2).
    assert [probe(data, n).meta.get("distance") for n in (0, 2, 1, 7)] == [5, 0, 1, None]
    for number, distractor in ((9, "a kayak"), (10, "it")):
        wrong = probe(data, number)
        assert (wrong.answers, wrong.answerable, wrong.category) == ((), False, "adversarial")
        assert (wrong.meta["distractor"], wrong.meta["category_code"]) == (distractor, 5)


@pytest.mark.parametrize(
    ("images", "text", "words"),
    [
        ("text", "Look at mine!", None),
        ("caption", "a photo of a red kayak", "Look at mine!"),
        ("text+caption", "Look at mine! [photo: a photo of a red kayak]", "Look at mine!"),
    ],
)
def test_images(file, images, text, words):
    data = load(file(), images=images)
    shown = list(data.conversations[0].turns())
    assert len(shown) == 6
    assert (shown[1].text, shown[1].meta.get("words")) == (text, words)
    assert shown[1].meta["caption"] == "a photo of a red kayak"
    assert shown[1].meta["query"] == "sea kayak"
    assert shown[0].meta == {}


def correction(index=0, cited=("D1:1",), correct=("D1:3",), **other):
    return {
        "sample_id": "conv-1",
        "qa_index": index,
        "question": "What did Ada buy?",
        "cited_evidence": list(cited),
        "correct_evidence": list(correct),
        "kind": "WRONG_CITATION",
        **other,
    }


def test_audited(file):
    data = load(file(corrections=[correction(), correction(8, correct=())]), labels="audited")
    assert probe(data, 0).evidence == ("D1:3",)
    assert probe(data, 0).meta["audit"] == "WRONG_CITATION"
    assert probe(data, 8).evidence == ()
    assert kinds(data)["corrected evidence"] == 2
    assert dataset_digest(data) != dataset_digest(load(file()))


@pytest.mark.parametrize(
    "wrong",
    [
        correction(question="Other?"),
        correction(cited=["D1:2"]),
        correction(correct=["D7:7"]),
    ],
)
def test_correction_that_does_not_fit(file, wrong):
    data = load(file(corrections=[wrong]), labels="audited")
    assert probe(data, 0).evidence == ("D1:1",)
    assert kinds(data)["correction does not fit"] == 1


def test_correction_of_no_question(file):
    data = load(file(corrections=[correction(sample_id="conv-2")]), labels="audited")
    assert kinds(data)["correction without question"] == 1


def test_bad_corrections(file, tmp_path):
    with pytest.raises(DataError, match=r"corrections\.json cannot be read"):
        load(file(), labels="audited")
    with pytest.raises(DataError, match="correction 0 has None as 'kind'; expected text"):
        load(file(corrections=[{**correction(), "kind": None}]), labels="audited")
    with pytest.raises(DataError, match="elsewhere"):
        load(file(), labels="audited", corrections=tmp_path / "elsewhere.json")


def test_strict_lists_all(file):
    with pytest.raises(DataError) as caught:
        load(file(), strict=True)
    text = str(caught.value)
    assert text.startswith("15 defects in ")  # the sum of the counts in test_repaired
    assert text.count("\n") == 15
    assert "stray colon at conv-1#2: D:10:1 (repaired)" in text


def test_overlapping_sessions_are_put_in_order(file):
    one = sample()
    one["conversation"]["session_2_date_time"] = "12:00 am on 1 January, 2024"
    data = load(file([one]))
    times = [e.time for e in data.conversations[0].events]
    assert times == sorted(times)
    assert kinds(data)["session out of order"] == 1


def broken(change):
    one = copy.deepcopy(sample())
    change(one)
    return [one]


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([], "a list of LoCoMo samples, not empty"),
        ({"qa": []}, "a list of LoCoMo samples"),
        (["x"], "a sample has None as 'sample_id'; expected text"),
        (broken(lambda s: s.pop("qa")), "conv-1 has None as 'qa'; expected a list"),
        (broken(lambda s: s["conversation"].pop("speaker_b")), "speaker_b"),
        (broken(lambda s: s["conversation"].pop("session_2_date_time")), "conv-1 session_2"),
        (broken(lambda s: s["conversation"].update(session_2_date_time="May")), "the date 'May'"),
        (
            broken(
                lambda s: s["conversation"].update(session_2_date_time="1:00 pm on 31 June, 2023")
            ),
            "31 June",
        ),
        (
            broken(lambda s: s["conversation"]["session_2"][0].pop("text")),
            "D2:1 has None as 'text'",
        ),
        (broken(lambda s: s["conversation"]["session_2"][0].update(dia_id="D1:1")), "'D1:1' twice"),
        (broken(lambda s: s["qa"][0].update(category=9)), "conv-1#0 has category 9"),
        (broken(lambda s: s["qa"][0].update(category=True)), "category"),
        (broken(lambda s: s["qa"][0].pop("answer")), "conv-1#0 has None as 'answer'"),
        (broken(lambda s: s["qa"][0].update(evidence=[1])), "a list of dia_id strings"),
        (broken(lambda s: s.update(conversation={"speaker_a": "A", "speaker_b": "B"})), "no turn"),
    ],
)
def test_wrong_shape(file, samples, message):
    with pytest.raises(DataError) as caught:
        load(file(samples))
    assert message in str(caught.value)


def test_unreadable_files(tmp_path):
    with pytest.raises(DataError, match="cannot be read: No such file"):
        load(tmp_path / "none.json")
    with pytest.raises(DataError, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "torn.json").write_text('[\n{"a": 1,\n', encoding="utf-8")
    with pytest.raises(DataError, match="broken JSON at line 3, column 1"):
        load(tmp_path / "torn.json")
    (tmp_path / "latin.json").write_bytes(b'["\xe9"]')
    with pytest.raises(DataError, match="not readable JSON"):
        load(tmp_path / "latin.json")


def test_unknown_options(file):
    with pytest.raises(ConfigError, match="did you mean 'repaired'"):
        load(file(), labels="repared")
    with pytest.raises(ConfigError, match="images='none'"):
        load(file(), images="none")


def test_mend_leaves_good_evidence_alone():
    assert mend(["D1:2", "D1:1"], {"D1:1": 0, "D1:2": 0}) == (("D1:2", "D1:1"), [])
