"""The baseline in a folder: what was saved comes back, and nothing else is taken for it."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memlab.errors import ConfigError, RunError
from memlab.gate.files import TIMES, VALUES, BaselineMissing, load, save
from memlab.gate.snapshot import Read, Snapshot
from memlab.results import Results

LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=8)
NUMBERS = st.one_of(st.just(float("nan")), st.floats(allow_nan=False, allow_infinity=False))


def same(one, two):
    assert one.about == two.about
    assert list(one.probes) == list(two.probes)
    assert list(one.values) == list(two.values)
    for column, values in one.values.items():
        assert np.array_equal(values, two.values[column], equal_nan=True)
    assert (one.failed, one.broken) == (two.failed, two.broken)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(LABELS, LABELS, st.sampled_from([None, 0, 400]), st.lists(NUMBERS, min_size=1, max_size=4))
def test_any_labels_and_numbers_come_back(tmp_path, snapshot, label, talk, budget, values):
    given = snapshot(
        {(label, budget, "MRR()"): values, (f"{label}2", budget, "MRR()"): values},
        [talk] * len(values),
        failed={Read(label, budget, talk, "p1"): "Error: bad\n\ttext"},
        broken={(label, talk): "Error"},
        times={(label, talk): {"reference": 12.5, "write": 3.0}},
    )
    save(given, tmp_path / "base")
    back = load(tmp_path / "base")
    same(back, given)
    assert back.times == given.times


def test_a_run_and_the_baseline_made_of_it_are_the_same(folder, tmp_path):
    run = Snapshot.of(Results.load(folder))
    sizes = save(run, tmp_path / "base")
    assert set(sizes) == {VALUES, TIMES, "manifest.json"}
    same(load(tmp_path / "base"), run)
    same(load(folder), run)


def test_equal_runs_give_equal_bytes(run, tmp_path):
    for name in ("one", "two"):
        save(Snapshot.of(run), tmp_path / name)
    for file in (VALUES, TIMES, "manifest.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_saving_again_replaces(run, snapshot, tmp_path):
    save(Snapshot.of(run), tmp_path)
    save(snapshot({("s", 1, "MRR()"): [1.0]}, ["a"]), tmp_path)
    assert list(load(tmp_path).groups) == [("s", 1)]


def test_metrics_can_be_chosen(run, folder, tmp_path):
    save(Snapshot.of(run), tmp_path)
    assert list(load(tmp_path, ["MRR()"]).metrics) == ["MRR()"]
    assert list(load(folder, ["NDCG(k=3)"]).metrics) == ["NDCG(k=3)"]  # a run has its records
    with pytest.raises(ConfigError, match="no values of NDCG"):
        load(tmp_path, ["NDCG(k=3)"])


def test_nothing_there(tmp_path):
    with pytest.raises(BaselineMissing, match=f"check RUN --against {tmp_path}/gone --save"):
        load(tmp_path / "gone")
    with pytest.raises(BaselineMissing):
        load(tmp_path)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (VALUES, lambda text: text.replace("\t1\t", "\t0\t", 1), "not those that were saved"),
        (TIMES, lambda text: text + "x", "not those that were saved"),
        ("manifest.json", lambda text: text[:-20], "JSONDecodeError"),
        ("manifest.json", lambda text: text.replace('"baseline": 1', '"baseline": 9'), "9, not 1"),
        ("manifest.json", lambda text: '{"name": "x"}', "not the records"),
    ],
)
def test_damage_is_told(run, tmp_path, file, change, message):
    save(Snapshot.of(run), tmp_path)
    path = tmp_path / file
    changed = change(path.read_text("utf-8"))
    assert changed != path.read_text("utf-8")
    path.write_text(changed, "utf-8")
    with pytest.raises(RunError, match=message):
        load(tmp_path)


def test_a_missing_table_is_told(run, tmp_path):
    save(Snapshot.of(run), tmp_path)
    (tmp_path / TIMES).unlink()
    with pytest.raises(RunError, match="No such file"):
        load(tmp_path)


def test_a_run_is_not_written_over(folder, run):
    before = json.loads((folder / "manifest.json").read_text("utf-8"))
    with pytest.raises(ConfigError, match="folder of a run"):
        save(Snapshot.of(run), folder)
    assert json.loads((folder / "manifest.json").read_text("utf-8")) == before
