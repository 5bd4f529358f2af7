"""Files of shipped vectors."""

from __future__ import annotations

import numpy as np
import pytest

from memlab.encoding.embedding import cache_key, encode
from memlab.encoding.vectors import read_vectors, write_entries, write_vectors
from memlab.errors import DataError
from memlab.models.hashing import Hashing

TEXTS = {"document": ["I moved to Oslo", "我叫张三", ""], "query": ["我的名字是什么？"]}


def test_what_is_written_is_read_back_and_used_instead_of_the_model(tmp_path):
    path = tmp_path / "v.npz"
    assert write_vectors(path, Hashing(), TEXTS) == 4
    shipped = read_vectors(path)
    for role, texts in TEXTS.items():
        fresh = encode(Hashing(), texts, role)
        used = encode(Hashing(), texts, role, shipped=shipped)
        for text in texts:
            entry = shipped[cache_key(Hashing(), text, role)]
            assert used[text] is entry
            assert (entry.vector == fresh[text].vector).all()
            assert entry.vector.dtype == np.float32
            assert (entry.tokens, entry.truncated) == (fresh[text].tokens, False)
            assert entry.nanoseconds > 0


def test_equal_entries_give_equal_bytes_in_any_order(tmp_path):
    write_vectors(tmp_path / "a.npz", Hashing(), TEXTS)
    entries = read_vectors(tmp_path / "a.npz")
    write_entries(tmp_path / "b.npz", dict(reversed(entries.items())))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_an_empty_file_of_vectors_is_read_back(tmp_path):
    write_entries(tmp_path / "none.npz", {})
    assert read_vectors(tmp_path / "none.npz") == {}


def broken(path, **changes):
    write_vectors(path, Hashing(dimension=4), TEXTS)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    np.savez(path, **{**arrays, **changes})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tokens": np.zeros(3, np.int64)}, "one row per key"),
        ({"vectors": np.zeros(4, np.float32)}, "one row per key"),
        ({"keys": np.zeros((4, 16), np.uint8)}, "one row per key"),
        ({"vectors": np.full((4, 4), np.nan, np.float32)}, "NaN"),
        ({"vectors": np.array([object()] * 4)}, "cannot be read"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, changes, told):
    broken(tmp_path / "v.npz", **changes)
    with pytest.raises(DataError, match=told):
        read_vectors(tmp_path / "v.npz")


def test_a_missing_a_foreign_and_a_cut_file_are_refused(tmp_path):
    path = tmp_path / "v.npz"
    with pytest.raises(DataError, match="cannot be read"):
        read_vectors(path)
    path.write_bytes(b"not a zip file")
    with pytest.raises(DataError, match="cannot be read"):
        read_vectors(path)
    write_vectors(path, Hashing(), TEXTS)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DataError, match="cannot be read"):
        read_vectors(path)
    np.savez(path, keys=np.zeros((1, 32), np.uint8))
    with pytest.raises(DataError, match="vectors"):
        read_vectors(path)
