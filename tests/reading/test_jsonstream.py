"""Records come one by one, whatever the chunk; what is broken is told early."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import DataError
from memlab.reading.jsonstream import JsonRecords, read_piece

RECORDS = [
    {"a": "ü, ]} \\", "b": [1, {"c": None}]},
    {},
    {"猫": "😀" * 9},
    [],
    "x",
    12.5,
    True,
]


def written(tmp_path, text):
    path = tmp_path / "records.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("chunk", [1, 2, 7, 64, 1 << 20])
@pytest.mark.parametrize("shape", [{}, {"indent": 2}, {"ensure_ascii": False}])
def test_records_at_any_chunk(tmp_path, chunk, shape):
    path = written(tmp_path, " \n" + json.dumps(RECORDS, **shape) + "\n")
    records = JsonRecords(path, chunk)
    pieces = list(records)
    assert [p.value for p in pieces] == RECORDS
    assert records.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    for piece in pieces:
        assert read_piece(path, piece.offset, piece.length, piece.sha256) == piece.value


@given(
    st.lists(st.dictionaries(st.text(max_size=3), st.text() | st.integers() | st.floats(-9, 9))),
    st.integers(1, 40),
)
def test_any_list_of_objects(tmp_path_factory, records, chunk):
    path = tmp_path_factory.mktemp("stream") / "r.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    assert [p.value for p in JsonRecords(path, chunk)] == records


def test_one_object_and_an_empty_list(tmp_path):
    assert [p.value for p in JsonRecords(written(tmp_path, '{"a": 1}\n'))] == [{"a": 1}]
    assert list(JsonRecords(written(tmp_path, " [ ] "))) == []


def test_stopping_early_still_hashes_the_whole_file(tmp_path):
    path = written(tmp_path, json.dumps([{"n": n} for n in range(1000)]))
    records = JsonRecords(path, 16)
    walk = iter(records)
    assert next(walk).value == {"n": 0}
    walk.close()
    assert records.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with ''"),
        ("12", "begins with '1'"),
        ('{"a": 1} {"b": 2}', "goes on with '{'"),
        ("[1, 2", "has '' after record 1"),
        ("[1 2]", "has '2' after record 0"),
        ("[1, ]", "broken in record 1"),
        ('[{"a": 1}, {"b": ', "broken in record 1: Expecting value"),
        ('[{"a": "x', "broken in record 0: Unterminated string"),
        ('[{"a" 1}' + " " * 99, "broken in record 0: Expecting ':'"),
        (b'[{"a": "\xff"}]', "expected JSON; save it as UTF-8"),
        (b'[{"a": "\xc3', "is not UTF-8"),
        ("[" + "9" * 5000 + "]", "cannot be read in record 0: Exceeds"),
        ("[" * 100_000, "cannot be read in record 0"),
    ],
)
def test_broken_files(tmp_path, text, message):
    with pytest.raises(DataError) as caught:
        list(JsonRecords(written(tmp_path, text), 8))
    assert message in str(caught.value)


def test_a_broken_record_is_told_without_reading_on(tmp_path):
    path = written(tmp_path, '[{"a" 1}' + " " * 1_000_000 + "]")
    with path.open("rb") as file:
        from memlab.reading.jsonstream import _Reader

        reader = _Reader(file, path, 64)
        with pytest.raises(DataError, match="Expecting ':'"):
            list(reader.records())
        assert file.tell() == 64


def test_a_file_that_is_gone_or_has_changed(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        list(JsonRecords(tmp_path / "none.json"))
    path = written(tmp_path, "[1234]")
    (piece,) = JsonRecords(path)
    path.write_text("[1235]", encoding="utf-8")
    with pytest.raises(DataError, match="has changed since it was loaded"):
        read_piece(path, *piece[1:])
    path.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        read_piece(path, *piece[1:])
