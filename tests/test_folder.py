"""A run folder survives torn lines, and finished runs have equal bytes."""

import json
from pathlib import Path

import pytest

from memlab.errors import RunError
from memlab.folder import Folder
from memlab.recording import record_from_json, record_to_json, written
from memlab.types import Record

RECORD = Record(
    strategy="s", conversation="c", probe="p", budget=None, category="single-hop",
    evidence=("t1",), ranked=("t1", "t2"), ranked_sessions=(0, 1), rejected=(1,), items=2,
    tokens=9, verdicts={"answer": 1.0, "chance": None}, dials={"distance": 3},
)  # fmt: skip
KEYS = [("s", "a"), ("s", "b"), ("s", "c")]


def unit(key, n=2):
    rows = [
        Record(strategy=key[0], conversation=key[1], probe=f"p{i}", budget=100) for i in range(n)
    ]
    texts = [{"strategy": key[0], "conversation": key[1], "probe": "p0", "items": []}]
    return written(key, rows, {"turns": 3}, {"read": {"100": [1, 2]}}, texts)


@pytest.fixture
def folder(tmp_path):
    made = Folder(tmp_path / "run")
    made.path.mkdir()
    return made


def test_records_come_back_and_defaults_are_left_out():
    assert record_from_json(json.loads(json.dumps(record_to_json(RECORD)))) == RECORD
    bare = Record(strategy="s", conversation="c", probe="p", budget=None)
    assert set(record_to_json(bare)) == {"strategy", "conversation", "probe", "budget"}


@pytest.mark.parametrize(("units_cut", "bytes_cut"), [(0, 1), (0, 60), (0, 120), (1, 1), (2, 1)])
def test_a_torn_end_costs_its_unit_and_no_other(folder, units_cut, bytes_cut):
    for key in KEYS:
        folder.append(unit(key))
    path = folder.path / "records.jsonl"
    size = len(path.read_bytes()) // len(KEYS)
    path.write_bytes(path.read_bytes()[: -(units_cut * size + bytes_cut)])
    kept = folder.recover()
    assert list(kept) == KEYS[: 2 - units_cut]
    assert kept == {key: unit(key) for key in kept}
    assert folder.dropped > 0
    for key in KEYS:
        if key not in kept:
            folder.append(unit(key))
    assert folder.recover() == {key: unit(key) for key in KEYS}
    assert folder.dropped == 0


def test_an_unclosed_unit_is_dropped(folder):
    folder.append(unit(KEYS[0]))
    with (folder.path / "records.jsonl").open("a") as file:
        file.write("\n".join(unit(KEYS[1]).rows) + "\n")
    assert list(folder.recover()) == KEYS[:1]
    assert folder.dropped == 2


def test_a_unit_without_its_latencies_is_done_again(folder):
    for key in KEYS[:2]:
        folder.append(unit(key))
    path = folder.path / "latency.jsonl"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    assert list(folder.recover()) == KEYS[:1]


def test_finished_files_do_not_depend_on_the_order_of_the_units(tmp_path):
    contents = []
    for name, order in (("one", KEYS), ("two", KEYS[::-1])):
        folder = Folder(tmp_path / name)
        folder.path.mkdir()
        for key in order:
            folder.append(unit(key))
        folder.finish(KEYS, folder.recover())
        folder.seal({})
        contents.append({f.name: f.read_bytes() for f in folder.path.iterdir()})
    assert contents[0] == contents[1]
    assert set(contents[0]) == {"records.jsonl", "texts.jsonl", "latency.json", "manifest.json"}


def test_a_kill_between_finishing_and_sealing_loses_nothing(folder):
    for key in KEYS:
        folder.append(unit(key))
    folder.finish(KEYS, folder.recover())
    assert not folder.complete
    assert list(folder.recover()) == KEYS


def test_a_second_writer_is_refused(folder):
    with (
        folder.lock(),
        pytest.raises(RunError, match="another process is writing"),
        Folder(folder.path).lock(),
    ):
        pytest.fail("two writers at once")


def test_reading_an_unfinished_run_says_what_to_do(folder):
    folder.write_text("spec.toml", "")
    with pytest.raises(RunError, match=r"run its spec\.toml again"):
        folder.read_json("manifest.json")


@pytest.mark.parametrize(
    ("made", "asked", "told"),
    [
        ([], "out/nope", "memlab run makes one"),
        (["a-1", "b-2"], "out/nope", "runs in out: a-1, b-2"),
        (["a-1", "b-2"], "out", "runs in out: a-1, b-2"),
        ([f"a-{i:02}" for i in range(12)], "out", "a-07, a-08, …"),
        ([f"a-{i:02}" for i in range(12)] + ["nopes"], "out/nope", "runs in out: nopes"),
    ],
)
def test_reading_what_is_no_run_lists_those_that_are_there(
    tmp_path, monkeypatch, made, asked, told
):
    monkeypatch.chdir(tmp_path)
    for name in made:
        run = Folder(Path("out") / name)
        run.path.mkdir(parents=True)
        for file in ("records.jsonl", "latency.json", "manifest.json"):
            run.write_json(file, {})
    (tmp_path / "out" / "baseline").mkdir(parents=True)
    Folder(tmp_path / "out" / "baseline").write_json("manifest.json", {})
    with pytest.raises(RunError) as found:
        Folder(Path(asked)).read_json("manifest.json")
    assert str(found.value).endswith(told)
    assert "; expected the folder of a finished run; " in str(found.value)


def test_clear_keeps_nothing(folder):
    folder.append(unit(KEYS[0]))
    folder.clear()
    assert folder.recover() == {}
