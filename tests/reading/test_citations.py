"""Evidence given as numbers, in every shape that published files have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.reading.citations import cited, distance, evidence
from memlab.reading.sources import Source

KNOWN = {str(n): n for n in range(10)}


@pytest.mark.parametrize(
    ("value", "turns", "faults"),
    [
        ([3, 1], ("3", "1"), []),
        ({"first": [2], "second": [0, 5]}, ("2", "0", "5"), []),
        ({"first": 2, "second": "5"}, ("2", "5"), []),
        (4, ("4",), []),
        ([3, 3, 1], ("3", "1"), [("repeated id", "3", "repaired")]),
        ({"a": [3], "b": [3]}, ("3",), [("repeated id", "3", "repaired")]),
        ([1, [2, 3]], ("1", "2", "3"), [("nested list", "[1, [2, 3]]", "repaired")]),
        ([{"a": [1]}], ("1",), [("nested list", "[{'a': [1]}]", "repaired")]),
        (["chat_id: 4, 5"], ("4", "5"), [("id in other text", "'chat_id: 4, 5'", "repaired")]),
        ([1, 99], ("1",), [("id of no turn", "99", "dropped")]),
        ([1, "chat 99"], ("1",), [("id of no turn", "'chat 99'", "dropped")]),
        ([1, None], ("1",), [("no id", "None", "dropped")]),
        ([1, 2.0, True], ("1",), [("no id", "2.0", "dropped"), ("no id", "True", "dropped")]),
        ([], (), [("no evidence", "[]", "reported")]),
        (None, (), [("no evidence", "None", "reported")]),
        ({"a": [], "b": None}, (), [("no evidence", "{'a': [], 'b': None}", "reported")]),
        ([99], (), [("id of no turn", "99", "dropped"), ("no evidence", "[99]", "reported")]),
    ],
)
def test_cited(value, turns, faults):
    assert cited(value, KNOWN) == (turns, faults)


def test_very_deep_lists():
    deep = [3]
    for _ in range(100_000):
        deep = [deep]
    assert cited(deep, KNOWN).evidence == ("3",)


def test_evidence_books_its_losses(tmp_path):
    source = Source("beam", tmp_path, strict=False)
    # Ten turns, 0 to 9: five follow turn 4.
    assert evidence(source, "q", [4, 77, 2, None], KNOWN) == (
        ("4", "2"),
        {"lost_evidence": {"unknown": 2}, "distance": 5},
    )
    assert [(d.kind, d.where) for d in source.defects] == [("id of no turn", "q"), ("no id", "q")]
    assert evidence(source, "q", [9], KNOWN) == (("9",), {"distance": 0})
    assert distance((), KNOWN) == {}


leaves = st.none() | st.booleans() | st.integers(-2, 12) | st.floats() | st.text(max_size=4)
values = st.recursive(
    leaves, lambda s: st.lists(s, max_size=4) | st.dictionaries(st.text(max_size=2), s, max_size=3)
)


@given(values)
def test_what_is_kept_exists_and_what_is_lost_is_told(value):
    turns, faults = cited(value, KNOWN)
    assert set(turns) <= set(KNOWN)
    assert len(set(turns)) == len(turns)
    dropped = sum(action == "dropped" for _, _, action in faults)
    assert turns or dropped or ("no evidence" in {kind for kind, _, _ in faults})
