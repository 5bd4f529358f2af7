"""Counts of the real files: five conversations of the 100K tier."""

from collections import Counter

import pytest

from memlab.checks import dataset_faults
from memlab.datasets import jsonl
from memlab.datasets.beam import load


@pytest.fixture(scope="module")
def folder(data):
    path = data / "beam" / "100K"
    if not path.is_dir():
        pytest.skip("BEAM is not at hand")
    return path


@pytest.fixture(scope="module")
def beam(folder):
    return load(folder)


def probes(beam):
    return {p.id: p for c in beam for p in c.probes()}


def test_sizes(beam):
    assert [c.id for c in beam] == [f"beam-100K-{n}" for n in range(1, 6)]
    assert [len(list(c.turns())) for c in beam] == [188, 200, 194, 212, 238]
    assert [len({t.session for t in c.turns()}) for c in beam] == [3] * 5
    assert Counter(p.category for p in probes(beam).values()) == dict.fromkeys(
        (
            *("abstention", "contradiction_resolution", "event_ordering"),
            *("information_extraction", "instruction_following", "knowledge_update"),
            *("multi_session_reasoning", "preference_following", "summarization"),
            "temporal_reasoning",
        ),
        10,
    )
    assert dataset_faults(beam) == []


def test_every_defect_is_counted(beam):
    # Nothing is reported or dropped: all files are known, all 305 cited ids exist.
    assert beam.defect_counts() == {
        "repaired": {
            "generator marker (user)": 426,
            "generator marker (assistant)": 44,
            "repeated id": 6,
            "nested list": 1,
        }
    }
    assert "->->" not in "".join(t.text for c in beam for t in c.turns())
    markers = [d for d in beam.defects if d.kind.startswith("generator")]
    assert Counter(d.where.split()[0] for d in markers) == {
        "beam-100K-1": 79,
        "beam-100K-2": 83,
        "beam-100K-3": 78,
        "beam-100K-4": 84,
        "beam-100K-5": 146,
    }
    assert {d.where.split()[0] for d in markers if "assistant" in d.kind} == {"beam-100K-5"}
    assert sum(d.found.endswith("N/A") for d in markers) == 1


def test_places_of_the_malformed(beam):
    assert {d.where: d.found for d in beam.defects if d.kind == "repeated id"} == {
        "beam-100K-1/contradiction_resolution#1": "66",
        "beam-100K-1/event_ordering#1": "118",
        "beam-100K-3/event_ordering#1": "82 164",
        "beam-100K-4/contradiction_resolution#0": "58",
        "beam-100K-4/contradiction_resolution#1": "134",
        "beam-100K-5/temporal_reasoning#0": "84",
    }
    (nested,) = (d for d in beam.defects if d.kind == "nested list")
    assert nested.where == "beam-100K-4/event_ordering#1"
    assert nested.found.endswith("[136, 138]]")


def test_evidence(beam):
    roles = {(c.id, t.id): t.role for c in beam for t in c.turns()}
    asked = probes(beam).values()
    # 305 cited ids, 7 of them repeats.
    assert sum(len(p.evidence) for p in asked) == 298
    assert {p.category for p in asked if not p.evidence} == {"abstention"}
    assistant = Counter(
        p.category for p in asked if any(roles[p.user, e] == "assistant" for e in p.evidence)
    )
    assert assistant == {
        "summarization": 10,
        "information_extraction": 5,
        "multi_session_reasoning": 2,
    }
    assert sum(bool(p.answers) for p in asked) == 50
    assert sum("ideal" in p.meta for p in asked) == 50
    assert all(p.meta["rubric"] and p.meta["difficulty"] for p in asked)


def test_times(beam):
    starts = [c.turns() for c in beam]
    assert [next(t).time.date().isoformat() for t in starts] == [
        *("2024-03-15", "2024-03-15", "2024-03-15", "2024-03-03", "2024-01-10"),
    ]


def test_current_updates(folder, beam):
    current = probes(load(folder, updates="current"))
    before = probes(beam)
    changed = {k for k in before if before[k].evidence != current[k].evidence}
    assert {before[k].category for k in changed} == {"knowledge_update"}
    # In these ten questions old and new are told in different messages.
    assert len(changed) == 10
    assert all(
        set(current[k].evidence) | set(current[k].stale) == set(before[k].evidence) for k in changed
    )


def test_one_conversation_and_the_round_trip(folder, beam, tmp_path):
    one = load(folder / "3")
    assert one.conversations == (beam.conversations[2],)
    jsonl.dump(one, tmp_path / "one.jsonl")
    assert jsonl.load(tmp_path / "one.jsonl").conversations == one.conversations
