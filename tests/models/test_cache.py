"""The vector cache: several processes, damaged files, reopening."""

from __future__ import annotations

import multiprocessing
import pickle
import sqlite3
import threading
import warnings

import numpy as np
import pytest

from memlab.embedding import Entry, encode
from memlab.errors import ConfigError
from memlab.models.cache import CHUNK, VectorCache, default_path
from memlab.models.hashing import Hashing


def entry(number, size=4):
    return Entry(np.arange(number, number + size, dtype=np.float32), number, number % 7, True)


def entries(start, count):
    return {f"{n:064x}": entry(n) for n in range(start, start + count)}


@pytest.fixture
def cache(tmp_path):
    cache = VectorCache(tmp_path / "deep" / "vectors.sqlite")
    yield cache
    cache.close()


def same(found, expected):
    assert found.keys() == expected.keys()
    for key, (vector, *rest) in expected.items():
        assert (found[key].vector == vector).all()
        assert found[key].vector.dtype == np.float32
        assert list(found[key][1:]) == rest


def test_what_was_put_is_found_by_another_object_also_beyond_one_query(cache):
    kept = entries(0, 2 * CHUNK + 1)
    cache.put(kept)
    again = VectorCache(cache.path)
    same(again.get([*kept, "unknown"]), kept)
    counts = again.stats()
    again.close()
    assert (counts["hits"], counts["misses"], counts["rows"]) == (len(kept), 1, len(kept))
    assert counts["bytes"] > 0


def test_nothing_asked_nothing_found(cache):
    cache.put({})
    assert cache.get([]) == {}
    assert cache.stats()["rows"] == 0


def test_a_second_run_encodes_nothing(cache):
    class Counting(Hashing):
        calls = 0

        def encode(self, texts, role):
            Counting.calls += 1
            return super().encode(texts, role)

    texts = ["I moved to Oslo", "我叫张三"]
    first = encode(Counting(), texts, "document", cache)
    second = encode(Counting(), texts, "document", cache)
    assert Counting.calls == 1
    same(second, first)
    assert b"Oslo" not in cache.path.read_bytes()


def put_many(path, start, count):
    cache = VectorCache(path)
    for n in range(start, start + count, 5):
        cache.put(entries(n, 5))
        cache.get([f"{n:064x}"])
    cache.close()


def test_four_processes_that_write_at_once_lose_nothing(cache):
    spawn = multiprocessing.get_context("spawn")
    jobs = [spawn.Process(target=put_many, args=(cache.path, n * 90, 100)) for n in range(4)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert [job.exitcode for job in jobs] == [0, 0, 0, 0]
    same(cache.get(list(entries(0, 370))), entries(0, 370))  # the ranges overlap by 10
    assert cache.stats()["recovered"] == 0


def test_threads_have_a_connection_each(cache):
    def work(start):
        cache.put(entries(start, 50))
        cache.close()

    threads = [threading.Thread(target=work, args=(n * 50,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.stats()["rows"] == 200


def test_a_pickled_cache_opens_the_same_file(cache):
    cache.put(entries(0, 3))
    copy = pickle.loads(pickle.dumps(cache))
    same(copy.get(list(entries(0, 3))), entries(0, 3))
    copy.close()


def checkpointed(cache, count):
    cache.put(entries(0, count))
    cache._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    cache.close()
    return cache.path.read_bytes()


DAMAGE = {
    "not a database": lambda whole: b"this was never a database, whatever its name says" * 40,
    "cut in the middle": lambda whole: whole[: len(whole) // 2 + 100],
    "pages overwritten": lambda whole: whole[:4096] + b"\xff" * (len(whole) - 4096),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_is_moved_aside_and_begun_anew(cache, kind):
    whole = checkpointed(cache, 400)
    cache.path.write_bytes(DAMAGE[kind](whole))
    keys = list(entries(0, 400))
    with pytest.warns(RuntimeWarning, match=r"was damaged .*begun anew") as seen:
        assert cache.get(keys) == {}
    assert len(seen) == 1
    assert cache.stats()["recovered"] == 1
    assert cache.path.with_name("vectors.sqlite.damaged").is_file()
    cache.put(entries(0, 400))
    same(cache.get(keys), entries(0, 400))


def test_a_damaged_file_takes_what_is_put(cache):
    cache.path.parent.mkdir()
    cache.path.write_bytes(b"not a database at all" * 100)
    with pytest.warns(RuntimeWarning, match="begun anew"):
        cache.put(entries(0, 3))
    same(cache.get(list(entries(0, 3))), entries(0, 3))


def test_an_empty_file_is_a_new_cache(cache):
    cache.path.parent.mkdir()
    cache.path.write_bytes(b"")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.get(["x"]) == {}


def test_a_file_replaced_by_another_process_is_not_moved_again(cache, tmp_path):
    whole = checkpointed(cache, 400)
    cache.path.write_bytes(DAMAGE["pages overwritten"](whole))
    cache._connection()  # open on the damaged file
    fresh = VectorCache(tmp_path / "fresh.sqlite")
    fresh.put(entries(0, 2))
    fresh.close()
    fresh.path.replace(cache.path)
    assert cache.get(list(entries(0, 2))) == {}
    same(cache.get(list(entries(0, 2))), entries(0, 2))
    assert cache.stats()["recovered"] == 0


@pytest.mark.parametrize(
    "change",
    [
        "vector = substr(vector, 1, 7)",
        "vector = x''",
        "dimension = 5",
        "dimension = 0",
        "dtype = '<i4'",
        "dtype = '|O'",
        "vector = x'0000c07f0000c07f0000c07f0000c07f'",  # NaN
        "vector = 'text'",
    ],
)
def test_a_damaged_row_is_a_miss_and_is_replaced(cache, change):
    cache.put(entries(0, 2))
    first, second = entries(0, 2)
    cache._connection().execute(f"UPDATE vectors SET {change} WHERE key = ?", [first])
    assert list(cache.get([first, second])) == [second]
    assert cache.stats()["damaged"] == 1
    cache.put(entries(0, 1))
    same(cache.get([first]), entries(0, 1))


def test_other_number_types_come_back_as_they_were(cache):
    half = Entry(np.array([0.5, 1.5], np.float16), 1, 2, False)
    cache.put({"a": half})
    found = cache.get(["a"])["a"]
    assert found.vector.dtype == np.float16
    assert found.vector.tolist() == [0.5, 1.5]


def test_a_file_that_cannot_be_used_is_a_typed_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigError, match="MEMLAB_CACHE"):
        VectorCache(tmp_path / "file" / "vectors.sqlite").get(["x"])
    with pytest.raises(ConfigError, match="cannot be used"):
        VectorCache(tmp_path).get(["x"])  # a folder


def test_a_database_of_something_else_is_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE vectors (id INTEGER)")
    other.commit()
    other.close()
    cache = VectorCache(path)
    with pytest.raises(ConfigError, match="cannot be used"):
        cache.get(["x"])
    cache.close()
    assert path.is_file()


def test_the_environment_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMLAB_CACHE", str(tmp_path))
    assert default_path() == tmp_path / "vectors.sqlite"
    monkeypatch.delenv("MEMLAB_CACHE")
    assert default_path().name == "vectors.sqlite"
    assert "memlab" in str(default_path())
