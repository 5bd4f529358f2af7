"""The vector cache: several processes, damaged files, reopening."""

from __future__ import annotations

import multiprocessing
import pickle
import sqlite3
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memlab.encoding.embedding import Entry, encode
from memlab.errors import ConfigError
from memlab.models.cache import CHUNK, FILE, VectorCache, default_path
from memlab.models.hashing import Hashing


def entry(number, size=4):
    return Entry(np.arange(number, number + size, dtype=np.float32), number, number % 7, True)


def entries(start, count):
    return {f"{n:064x}": entry(n) for n in range(start, start + count)}


@pytest.fixture
def cache(tmp_path):
    cache = VectorCache(tmp_path / "deep" / FILE)
    yield cache
    cache.close()


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for key, (vector, *rest) in expected.items():
        assert (found[key].vector == vector).all()
        assert found[key].vector.dtype == np.float32
        assert list(found[key][1:]) == rest


def test_what_was_put_is_found_by_another_object_also_beyond_one_query(cache):
    kept = entries(0, 2 * CHUNK + 1)
    cache.put(kept)
    again = VectorCache(cache.path)
    assert_same(again.get([*kept, "unknown"]), kept)
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
    assert_same(second, first)
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
    assert_same(cache.get(list(entries(0, 370))), entries(0, 370))  # the ranges overlap by 10
    assert cache.stats()["recovered"] == 0


def put_when_all_are_ready(folders, start, ready):
    for folder in folders:
        cache = VectorCache(folder / FILE)
        ready.wait()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # whose turn it is to recover is open
            for n in range(start, start + 15, 5):
                cache.put(entries(n, 5))
            recovered = cache.stats()["recovered"]
        cache.close()
        (folder / f"recovered-{start}").write_text(str(recovered))


STARTS = {
    "no file": None,
    "empty": b"",
    "no database": b"garbage" * 1000,
    "zeros": b"\0" * 8192,
    "only a header": b"SQLite format 3\0",
}


@pytest.mark.parametrize("name", STARTS)
def test_processes_that_start_together_make_or_replace_the_file_once(tmp_path, name):
    # Without the lock some of these starts failed: "database is locked" on the change to
    # write-ahead logging, and good new files were moved aside by those who came late.
    folders = [tmp_path / str(n) for n in range(8)]
    for folder in folders:
        folder.mkdir()
        if STARTS[name] is not None:
            (folder / FILE).write_bytes(STARTS[name])
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Barrier(4)
    args = [(folders, n * 20, ready) for n in range(4)]
    jobs = [spawn.Process(target=put_when_all_are_ready, args=a) for a in args]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert [job.exitcode for job in jobs] == [0] * 4
    expected = {key: e for n in range(4) for key, e in entries(n * 20, 15).items()}
    damaged = STARTS[name] not in (None, b"")
    for folder in folders:
        cache = VectorCache(folder / FILE)
        assert_same(cache.get(list(expected)), expected)
        cache.close()
        assert sum(int(p.read_text()) for p in folder.glob("recovered-*")) == damaged
        assert (folder / f"{FILE}.damaged").exists() == damaged


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
    assert_same(copy.get(list(entries(0, 3))), entries(0, 3))
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
    assert cache.path.with_name(f"{FILE}.damaged").is_file()
    cache.put(entries(0, 400))
    assert_same(cache.get(keys), entries(0, 400))


def test_a_damaged_file_takes_what_is_put(cache):
    cache.path.parent.mkdir()
    cache.path.write_bytes(b"not a database at all" * 100)
    with pytest.warns(RuntimeWarning, match="begun anew"):
        cache.put(entries(0, 3))
    assert_same(cache.get(list(entries(0, 3))), entries(0, 3))


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
    assert_same(cache.get(list(entries(0, 2))), entries(0, 2))
    assert cache.stats()["recovered"] == 0


def test_the_state_of_a_damaged_file_is_that_of_the_new_one(cache):
    cache.path.parent.mkdir()
    cache.path.write_bytes(b"garbage" * 1000)
    with pytest.warns(RuntimeWarning, match="begun anew"):
        counts = cache.stats()
    assert (counts["rows"], counts["recovered"]) == (0, 1)
    cache.close()
    cache.path.unlink()
    assert cache.stats()["rows"] == 0


def test_random_damage_never_changes_a_vector_and_never_ends_a_run(cache):
    kept = entries(0, 300)
    whole, rng = checkpointed(cache, 300), np.random.default_rng(0)
    seen = {"damaged": 0, "recovered": 0}
    for _ in range(40):
        raw = np.frombuffer(whole, np.uint8).copy()
        # Behind the header of 100 bytes, whose flags can rightly say "do not write".
        at = rng.integers(100, len(raw), rng.integers(1, 40))
        raw[at] = rng.integers(0, 256, len(at))
        for path in cache.path.parent.glob(f"{FILE}*"):
            path.unlink()
        cache.path.write_bytes(raw.tobytes())
        again = VectorCache(cache.path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            found = again.get(list(kept))
            again.put(kept)
        assert_same(found, {key: kept[key] for key in found})
        counts = again.stats()
        again.close()
        seen = {name: seen[name] + (counts[name] > 0) for name in seen}
    assert min(seen.values()) > 0, seen


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
        "vector = zeroblob(16)",
        "nanoseconds = 'x'",
        "nanoseconds = nanoseconds + 1",
        "tokens = -1",
        "tokens = 1.5",
        "truncated = 0",
        "crc = crc + 1",
        "crc = 'x'",
        "dtype = CAST(x'ff3c' AS TEXT)",  # no UTF-8
    ],
)
def test_a_damaged_row_is_a_miss_and_is_replaced(cache, change):
    cache.put(entries(0, 2))
    first, second = entries(0, 2)
    cache._connection().execute(f"UPDATE vectors SET {change} WHERE key = ?", [first])
    assert list(cache.get([first, second])) == [second]
    assert cache.stats()["damaged"] == 1
    cache.put(entries(0, 1))
    assert_same(cache.get([first]), entries(0, 1))


def test_other_number_types_come_back_as_they_were(cache):
    half = Entry(np.array([0.5, 1.5], np.float16), 1, 2, False)
    cache.put({"a": half})
    found = cache.get(["a"])["a"]
    assert found.vector.dtype == np.float16
    assert found.vector.tolist() == [0.5, 1.5]


def test_a_file_that_cannot_be_used_is_a_typed_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigError, match="MEMLAB_CACHE"):
        VectorCache(tmp_path / "file" / FILE).get(["x"])
    with pytest.raises(ConfigError, match="cannot be used"):
        VectorCache(tmp_path).get(["x"])  # a folder


def test_a_database_of_something_else_is_left_alone(tmp_path):
    path = tmp_path / "other.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE vectors (id INTEGER)")
    other.commit()
    other.close()
    cache = VectorCache(path)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"database of something else.*MEMLAB_CACHE"):
        cache.get(["x"])
    cache.close()
    assert path.read_bytes() == before


def test_the_file_of_an_older_form_is_left_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMLAB_CACHE", str(tmp_path))
    (tmp_path / "vectors.sqlite").write_bytes(b"older")
    cache = VectorCache()
    assert cache.get(["x"]) == {}
    cache.close()
    assert (tmp_path / "vectors.sqlite").read_bytes() == b"older"


def test_a_lock_that_never_comes_free_is_a_typed_error(cache, monkeypatch):
    monkeypatch.setattr("memlab.models.cache.BUSY_SECONDS", 0.01)
    with cache._alone(), ThreadPoolExecutor(1) as pool:
        refused = pool.submit(cache.get, ["x"]).exception()
    assert isinstance(refused, ConfigError)
    assert "lock" in str(refused)


def test_the_environment_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMLAB_CACHE", str(tmp_path))
    assert default_path() == tmp_path / FILE
    monkeypatch.delenv("MEMLAB_CACHE")
    assert default_path().name == FILE
    assert "memlab" in str(default_path())
