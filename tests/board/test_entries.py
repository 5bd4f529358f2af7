"""Verdicts on claims, and the file that keeps them."""

import json

import pytest

from memlab.board.entries import (
    HELD,
    NOT_SEPARATED,
    REFUTED,
    Entry,
    Measured,
    read_entries,
    verdict,
    write_entries,
)
from memlab.board.evidence import AGAINST, DESCRIPTIVE, EXPECTED, NONE, OPEN, Outcome
from memlab.errors import DataError


def outcome(found):
    return Outcome("a − b: Recall()", "greater", 0.1, 0.0, 0.2, 90, 9, 0.01, found, True)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([EXPECTED, EXPECTED], HELD),
        ([EXPECTED, OPEN], NOT_SEPARATED),
        ([EXPECTED, AGAINST], REFUTED),
        ([OPEN, AGAINST, DESCRIPTIVE], REFUTED),
        ([EXPECTED, DESCRIPTIVE], DESCRIPTIVE),
        ([OPEN, DESCRIPTIVE], DESCRIPTIVE),
        ([EXPECTED, NONE], NOT_SEPARATED),
    ],
)
def test_verdicts(found, expected):
    assert verdict([outcome(one) for one in found]) == expected


def entry(name="H01", **changed):
    measured = (Measured("short talk", "h01-short-talk-12345678", (outcome(EXPECTED),)),)
    return Entry(name, "abc", "0.1.0", HELD, measured, **changed)


def test_entries_are_read_back(tmp_path):
    path = tmp_path / "deep" / "hypotheses.json"
    entries = {"H02": entry("H02", away=("x: data not at hand: locomo",)), "H01": entry()}
    write_entries(path, entries)
    assert read_entries(path) == entries
    first = path.read_bytes()
    write_entries(path, dict(reversed(entries.items())))
    assert path.read_bytes() == first, "the order of a dictionary does not show"
    assert list(json.loads(first)) == ["H01", "H02"]


def test_no_file_is_no_entries(tmp_path):
    assert read_entries(tmp_path / "none.json") == {}


@pytest.mark.parametrize("text", ["{", "[]", '{"H01": {}}', '{"H01": 3}'])
def test_a_broken_file_is_told(tmp_path, text):
    path = tmp_path / "hypotheses.json"
    path.write_text(text)
    with pytest.raises(DataError, match="expected verdicts that memlab wrote"):
        read_entries(path)
