"""The committed sample uses every part of the format, and its labels hold."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.datasets import jsonl
from memlab.datasets.quickstart import load
from memlab.digests import file_digest
from memlab.errors import DataError
from memlab.judging.shingles import Reading
from memlab.reading.cards import card, sample
from memlab.text import has_cjk
from memlab.types import Forget, Probe, SessionEnd, Tick, Turn

DATA = load()


def met():
    """Yield each probe with its conversation and the turns before it."""
    for talk in DATA:
        before = []
        for event in talk.events:
            if isinstance(event, Turn):
                before.append(event)
            elif isinstance(event, Probe):
                yield talk, event, list(before)


def test_no_fault_and_canonical_form(tmp_path):
    path = sample("quickstart.jsonl")
    assert jsonl.check(path) == []
    jsonl.dump(jsonl.load(path), tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()


def test_card():
    assert DATA.sha256 == DATA.card["sha256"] == file_digest(sample("quickstart.jsonl"))
    assert (DATA.name, DATA.card["licence"]) == ("quickstart", "CC0-1.0")
    assert f"{sum(len(list(c.turns())) for c in DATA)} turns" in DATA.card["description"]
    assert f"{sum(len(list(c.probes())) for c in DATA)} probes" in DATA.card["description"]


def test_vectors_are_named_where_they_are():
    beside = Path(sample("quickstart.jsonl")).with_name("quickstart.minilm.npz")
    assert DATA.vectors == ((str(beside),) if beside.is_file() else ())


def test_size_and_languages():
    assert Counter(c.meta["language"] for c in DATA) == {"en": 5, "zh": 3}
    for talk in DATA:
        assert 24 <= len(list(talk.turns())) <= 40
        assert 6 <= len(list(talk.probes())) <= 15
        assert len({t.time.date() for t in talk.turns()}) >= 4
        chinese = sum(has_cjk(t.text) for t in talk.turns()) / len(list(talk.turns()))
        assert chinese == (talk.meta["language"] == "zh")


def test_every_event_type_and_category():
    kinds = Counter(type(e) for talk in DATA for e in talk.events)
    assert set(kinds) == {Turn, Probe, SessionEnd, Forget, Tick}
    categories = Counter(p.category for _, p, _ in met())
    named = "single-hop multi-hop temporal open-domain update abstention assistant preference"
    assert set(categories) == {*named.split(), "deletion", "isolation"}
    for language in ("en", "zh"):
        seen = {p.category for talk, p, _ in met() if talk.meta["language"] == language}
        assert seen == set(categories)
    roles = {t.role for talk in DATA for t in talk.turns()}
    assert roles == {"user", "assistant", "system", "tool"}
    assert any("🏃" in t.text for talk in DATA for t in talk.turns())


def test_tool_results_follow_their_calls():
    pairs = Counter(
        (talk.id, t.meta["call"]) for talk in DATA for t in talk.turns() if "call" in t.meta
    )
    assert set(pairs.values()) == {2}


def test_two_conversations_are_shared():
    shared = {talk.id for talk in DATA if len({t.user for t in talk.turns()}) == 2}
    assert shared == {"en-home", "zh-office"}
    for talk, probe, before in met():
        if probe.category == "isolation":
            owners = {t.id: t.user for t in before}
            assert probe.forbidden
            assert talk.id in shared
            assert probe.user not in {owners[t] for t in probe.forbidden}


def test_deletion_is_asked_before_and_after():
    for talk in (t for t in DATA if any(isinstance(e, Forget) for e in t.events)):
        gone = {t for e in talk.events if isinstance(e, Forget) for t in e.turn_ids}
        after = [p for p in talk.probes() if p.category == "deletion"]
        assert len(after) == 2
        assert all(set(p.forbidden) == gone and not p.answerable for p in after)
        kept = [t.text for t in talk.turns() if t.id not in gone]
        secrets = ("ramipril", "5 mg", "6618", "外婆")
        assert not any(secret in text for secret in secrets for text in kept)


def test_labels_fit_the_categories():
    for _, probe, before in met():
        roles = {t.id: t.role for t in before}
        where = probe.id
        assert probe.answerable == bool(probe.evidence) == bool(probe.answers), where
        if probe.category == "update":
            assert probe.stale, where
        if probe.category == "multi-hop":
            assert len(probe.evidence) >= 2, where
        if probe.category == "abstention":
            assert not probe.answerable, where
        if probe.category == "assistant":
            assert {roles[t] for t in probe.evidence} == {"assistant"}, where


def test_distance_counts_the_turns_since_the_evidence():
    for _, probe, before in met():
        places = [n for n, t in enumerate(before) if t.id in probe.evidence]
        expected = {"distance": len(before) - 1 - max(places)} if places else {}
        assert probe.meta == expected, probe.id


def test_probes_in_the_middle_and_at_the_end():
    for talk in DATA:
        total = len(list(talk.turns()))
        asked = [len(before) for owner, _, before in met() if owner is talk]
        assert min(asked) < 0.6 * total
        assert max(asked) == total


def test_answers_stand_in_the_evidence():
    answered = [(p, before) for _, p, before in met() if p.answers]
    absent = {
        p.id
        for p, before in answered
        if not any(
            Reading(t.text).holds(Reading(a))
            for t in before
            if t.id in p.evidence
            for a in p.answers
        )
    }
    # These three have to be worked out: 181 - 118, 2310 - 2200, 300 - 120.
    assert absent == {"en-trip/3", "en-trip/8", "zh-office/6"}


def test_a_window_of_ten_turns_misses_a_good_part():
    found = []
    for _, probe, before in met():
        if probe.evidence:
            window = [t.id for t in before if t.user == probe.user][-10:]
            found.append(sum(t in window for t in probe.evidence) / len(probe.evidence))
    assert 0.3 < sum(found) / len(found) < 0.5


def test_missing_sample(monkeypatch, tmp_path):
    monkeypatch.setattr("memlab.reading.cards.PLACES", (tmp_path,))
    with pytest.raises(DataError, match="missing from this installation"):
        load()


def test_cards_are_complete():
    for name in ("quickstart", "locomo"):
        wanted = {"title", "description", "source", "licence", "citation", "sha256", "language"}
        assert wanted <= set(card(name))
    assert replace(DATA, card={}) != DATA
