"""Counts of the real file, as published with it."""

from collections import Counter

import pytest

from memlab.content import dataset_digest
from memlab.datasets import jsonl
from memlab.datasets.locomo import load

DEFECTS = {
    "no evidence": 4,
    "several ids in one string": 4,
    "stray colon": 1,
    "zero-padded id": 1,
    "cut-off id": 1,
    "id of no turn": 2,
    "repeated id": 1,
    "date without session": 16,
    "adversarial question with an answer": 2,
    "integer answer": 6,
    "repeated question": 12,
}


@pytest.fixture(scope="module", params=["raw", "repaired", "audited"])
def data(request, locomo_file):
    return load(locomo_file, labels=request.param)


def probes(data):
    return {p.id: p for c in data for p in c.probes()}


def test_sizes(data):
    turns = [t for c in data for t in c.turns()]
    assert (len(data), len(turns), len(probes(data))) == (10, 5882, 1986)
    assert sum(len({t.session for t in c.turns()}) for c in data) == 272
    assert Counter(p.category for p in probes(data).values()) == {
        "multi-hop": 282,
        "temporal": 321,
        "open-domain": 96,
        "single-hop": 841,
        "adversarial": 446,
    }
    assert sum("caption" in t.meta for t in turns) == 1226
    assert sum("query" in t.meta for t in turns) == 888


def test_every_defect_is_counted(data):
    counted = Counter(d.kind for d in data.defects)
    corrected = counted.pop("corrected evidence", 0)
    assert counted == DEFECTS
    assert corrected == (96 if data.card["labels"] == "audited" else 0)


def test_places_of_the_malformed(data):
    places = {
        d.where: d.kind
        for d in data.defects
        if DEFECTS.get(d.kind, 99) <= 4 and d.kind != "adversarial question with an answer"
    }
    assert places == {
        **dict.fromkeys(("conv-26#30", "conv-26#46", "conv-50#39", "conv-50#42"), "no evidence"),
        **dict.fromkeys(
            ("conv-26#37", "conv-49#31", "conv-49#38", "conv-49#46"), "several ids in one string"
        ),
        "conv-43#18": "stray colon",
        "conv-50#69": "zero-padded id",
        "conv-42#88": "cut-off id",
        "conv-42#58": "id of no turn",
        "conv-47#38": "id of no turn",
        "conv-50#5": "repeated id",
    }


def test_evidence_is_turns_unless_raw(data):
    unknown = 0
    for conversation in data:
        turns = {t.id for t in conversation.turns()}
        unknown += sum(e not in turns for p in conversation.probes() for e in p.evidence)
    # Raw: four joined strings, a cut-off, a stray colon, a zero-padded, two of no turn.
    assert unknown == (9 if data.card["labels"] == "raw" else 0)


def test_sha256_is_known_and_answers_are_text(data):
    assert data.sha256 == data.card["sha256"]
    for probe in probes(data).values():
        assert all(isinstance(a, str) for a in probe.answers)
        assert probe.answerable == (probe.category != "adversarial") == bool(probe.answers)
        assert ("distractor" in probe.meta) == (probe.category == "adversarial")


def test_evidence_by_labels(locomo_file):
    raw, repaired, audited = (
        probes(load(locomo_file, labels=x)) for x in ("raw", "repaired", "audited")
    )
    assert raw["conv-26#37"].evidence == ("D8:6; D9:17",)
    assert repaired["conv-26#37"].evidence == ("D8:6", "D9:17")
    assert raw["conv-50#5"].evidence.count("D4:5") == 2
    assert repaired["conv-50#5"].evidence.count("D4:5") == 1
    assert repaired["conv-50#69"].evidence[-1:] != ("D30:05",)
    assert (repaired["conv-26#1"].evidence, audited["conv-26#1"].evidence) == (
        ("D1:12",),
        ("D1:14",),
    )
    assert repaired["conv-47#11"].evidence
    assert audited["conv-47#11"].evidence == ()
    assert "distance" not in audited["conv-47#11"].meta
    assert sum("audit" in p.meta for p in audited.values()) == 156
    assert sum(len(p.evidence) for p in raw.values()) == 2815


def test_captions_never_remove_a_turn(locomo_file):
    ids = [
        [t.id for c in load(locomo_file, images=x) for t in c.turns()]
        for x in ("text", "caption", "text+caption")
    ]
    assert ids[0] == ids[1] == ids[2]


def test_round_trip_through_jsonl(locomo_file, tmp_path):
    data = load(locomo_file).take(1)
    jsonl.dump(data, tmp_path / "one.jsonl")
    again = jsonl.load(tmp_path / "one.jsonl")
    assert again.conversations == data.conversations
    assert dataset_digest(again) == dataset_digest(data)
