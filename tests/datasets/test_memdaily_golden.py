"""Counts of the real files: the first third of each published file."""

from collections import Counter

import pytest

from memlab.checks import dataset_faults
from memlab.datasets import jsonl
from memlab.datasets.memdaily import load


@pytest.fixture(scope="module")
def folder(data):
    path = data / "memdaily"
    if not path.is_dir():
        pytest.skip("MemDaily is not at hand")
    return path


@pytest.fixture(scope="module")
def memdaily(folder):
    return load(folder)


def probes(memdaily):
    return [p for c in memdaily for p in c.probes()]


def test_sizes(memdaily):
    # 1,012 records with 8,968 messages, less 7 failed ones with 88.
    turns = [t for c in memdaily for t in c.turns()]
    assert (len(memdaily), len(turns), len(probes(memdaily))) == (1005, 8880, 1005)
    assert Counter(p.category for p in probes(memdaily)) == {
        "simple": 169,
        "conditional": 169,
        "comparative": 168,
        "aggregative": 161,
        "post-processing": 169,
        "noisy": 169,
    }
    # Six files of 34 for events and people (3 failed), four of 17 for items and places (there are
    # none of the comparative and aggregative type), 4 x 67 + 2 x 100 mixed (4 failed).
    assert Counter(c.meta["subject"] for c in memdaily) == {
        "events": 204,
        "hybrid": 464,
        "items": 68,
        "places": 68,
        "roles": 201,
    }
    assert {t.meta["place"] != "" for t in turns} == {True}
    assert dataset_faults(memdaily) == []


def test_every_defect_is_counted(memdaily):
    # 386 doubled full stops in all, 4 of them in dropped records; 51 repeated questions in all,
    # 5 of them the failed text [ERRORQ] again.
    assert memdaily.defect_counts() == {
        "reported": {"doubled full stop": 382, "equal choices": 5, "repeated question": 46},
        "repaired": {"messages not in time order": 69, "question before the last message": 6},
        "dropped": {"failed generation": 7},
    }


def test_places_of_the_defects(memdaily):
    def where(kind):
        return [d.where for d in memdaily.defects if d.kind == kind]

    hybrid, roles = "04_aggregative_hybrid", "04_aggregative_roles"
    assert where("failed generation") == [
        *(f"{hybrid}#{n}" for n in (30, 66, 82, 85)),
        *(f"{roles}#{n}" for n in (20, 23, 25)),
    ]
    repeated = Counter(w.partition("#")[0] for w in where("repeated question"))
    assert (repeated["05_post_processing_items"], repeated["05_post_processing_places"]) == (12, 9)
    assert (repeated[hybrid], repeated[roles]) == (0, 0)


def test_evidence_by_type(memdaily):
    sizes = {(p.category, p.meta["subject"] == "hybrid", len(p.evidence)) for p in probes(memdaily)}
    assert sizes == {
        *(("simple", False, n) for n in (1, 2)),
        *(("simple", True, n) for n in (2, 3)),
        *((k, False, 2) for k in ("conditional", "comparative", "post-processing", "noisy")),
        *((k, True, 4) for k in ("conditional", "comparative", "post-processing", "noisy")),
        *(("aggregative", False, 4), ("aggregative", True, 8)),
    }
    assert sum(len(p.evidence) for p in probes(memdaily)) == 3288


def test_answers_are_the_right_choices(memdaily):
    for probe in probes(memdaily):
        assert sorted(probe.meta["choices"]) == ["A", "B", "C", "D"]
        assert probe.answers == (probe.meta["choices"][probe.meta["ground_truth"]],)


def test_days_are_sessions(memdaily):
    days = Counter(len({t.session for t in c.turns()}) for c in memdaily)
    assert (min(days), max(days), sum(n * k for n, k in days.items())) == (1, 11, 5156)
    assert not any(t.imputed for c in memdaily for t in c.turns())


def test_kinds_one_file_and_the_round_trip(folder, memdaily, tmp_path):
    noisy = load(folder, kinds="noisy")
    assert noisy.conversations == tuple(c for c in memdaily if c.meta["kind"] == "noisy")
    one = load(folder / "06_noisy_items.json")
    assert one.sha256 == "56f737583f08da1167b4c84612d0057538a40efae0f394f6c70097c1778f5cea"
    jsonl.dump(one, tmp_path / "one.jsonl")
    assert jsonl.load(tmp_path / "one.jsonl").conversations == one.conversations
