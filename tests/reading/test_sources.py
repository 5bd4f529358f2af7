"""What loaders of several files share."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError, DataError
from memlab.reading.sources import Source, free, name_of, printable, sessions, shown
from memlab.types import Conversation, Turn, utc

NOW = utc("2024-01-01")


def turn(name, session):
    return Turn(id=name, text="x", time=NOW, session=session)


def test_sessions_close_when_the_next_begins():
    events = sessions([turn("a", "1"), turn("b", "1"), turn("c", "2")])
    assert [getattr(e, "id", f"end {e.session}") for e in events] == [
        *("a", "b", "end 1"),
        *("c", "end 2"),
    ]
    assert sessions([]) == []


def test_files_are_hashed_in_reading_order(tmp_path):
    source = Source("beam", tmp_path, strict=False)
    for name, text in (("b.json", "[1]"), ("a.json", "[2]")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert source.read(tmp_path / name, name) == [int(text[1])]
    data = source.dataset([Conversation("c", (turn("a", "1"),))], tier="x")
    assert data.sha256 == hashlib.sha256(b"[1][2]").hexdigest()
    assert [(d.kind, d.where) for d in data.defects] == [
        ("unknown file", "b.json"),
        ("unknown file", "a.json"),
    ]
    assert data.card["tier"] == "x"
    assert "files" not in data.card


def test_a_known_file_is_no_defect(tmp_path):
    source = Source("beam", tmp_path, strict=True)
    (tmp_path / "a.json").write_bytes(b"{}")
    source.known["a.json"] = hashlib.sha256(b"{}").hexdigest()
    source.read(tmp_path / "a.json", "a.json")
    assert source.defects == []


def test_a_file_that_goes_away_is_a_typed_error(tmp_path):
    source = Source("beam", tmp_path, strict=False)
    (tmp_path / "a.json").write_bytes(b"{}")
    source.read(tmp_path / "a.json", "a.json")
    (tmp_path / "a.json").unlink()
    with pytest.raises(DataError, match="cannot be read"):
        source.dataset([Conversation("c", ())])


def test_strict_is_a_switch_and_empty_data_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="strict='yes'"):
        Source("beam", tmp_path, strict="yes")
    source = Source("beam", tmp_path, strict=False)
    source.note("odd", "here", ["x"], "dropped")
    with pytest.raises(DataError, match=r"no conversation .*\n  odd at here: \['x'\] \(dropped\)"):
        source.dataset([])


def test_ids_of_conversations_are_their_own(tmp_path):
    source = Source("beam", tmp_path, strict=False)
    assert [source.own(name, "w") for name in ("a", "a", "b", "a")] == ["a", "a~2", "b", "a~3"]
    assert [d.kind for d in source.defects] == ["repeated conversation id"] * 2


def test_answers_as_text(tmp_path):
    source = Source("beam", tmp_path, strict=False)
    said = ["yes", 3, True, None, 2.5, " ", ["x"], "a\ud800"]
    assert [source.words(x, "q") for x in said] == ["yes", "3", "", "", "", "", "", "a\ufffd"]
    assert [(d.kind, d.found) for d in source.defects] == [("number as answer", "3")]


@pytest.mark.parametrize(
    ("value", "name"),
    [(7, "7"), (" 7 ", "7"), (True, None), (None, None), (7.0, None), ("", None), ([7], None)],
)
def test_ids(value, name):
    assert name_of(value) == name


def test_values_too_large_to_show():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "a value of type list that is too large to show"
    assert shown(10**5000) == "a value of type int that is too large to show"
    assert shown("x" * 500) == "'" + "x" * 79


@given(st.text(st.characters()))
def test_printable_changes_half_pairs_alone(text):
    made = printable(text)
    assert made.encode().decode() == made
    if not any(0xD800 <= ord(ch) < 0xE000 for ch in text):
        assert made == text


@given(st.lists(st.sampled_from(["a", "a~2", "b"])))
def test_free_names_are_free(names):
    taken = set()
    for name in names:
        fresh = free(name, taken)
        assert fresh not in taken
        assert (fresh == name) == (name not in taken)
        taken.add(fresh)
