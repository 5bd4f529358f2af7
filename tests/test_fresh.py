"""A run made afresh: the finished one stays until the new one is complete."""

import pytest

import memlab as ml
from memlab.cli import main
from memlab.folder import Folder

STOPS = """
import os
from memlab.strategies import NoMemory

class Stops(NoMemory):
    def write(self, turn):
        if "STOP" in os.environ:
            raise KeyboardInterrupt
"""
CONFIG = """
name = "fresh"
metrics = ["MRR()"]
dataset = { name = "quickstart" }
strategies = { w = "Window()", s = "stops_when_told:Stops()" }
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "stops_when_told.py").write_text(STOPS)
    (tmp_path / "fresh.toml").write_text(CONFIG)
    monkeypatch.delenv("STOP", raising=False)
    return lambda *more: main(
        ["run", str(tmp_path / "fresh.toml"), "--out", str(tmp_path / "out"), *more]
    )


def held(tmp_path):
    (folder,) = (tmp_path / "out").iterdir()
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name != ".lock"}


def test_an_interrupted_fresh_run_leaves_the_finished_one(tmp_path, run, monkeypatch, capsys):
    assert run() == 0
    before = held(tmp_path)
    monkeypatch.setenv("STOP", "1")
    assert run("--fresh") == 130
    (folder,) = (tmp_path / "out").iterdir()
    told = f"memlab: interrupted; the finished run in {folder} stays as it was; run again"
    assert capsys.readouterr().err.splitlines()[-1] == told
    assert held(tmp_path) == before
    assert run() == 0
    assert "this run was finished before" in capsys.readouterr().err


def test_a_fresh_run_takes_the_place_of_the_finished_one(tmp_path, run):
    assert run() == 0
    before = held(tmp_path)
    (folder,) = (tmp_path / "out").iterdir()
    (folder / "anew").mkdir()  # as a killed process leaves it
    (folder / "anew" / "records.jsonl").write_text("torn")
    assert run("--fresh") == 0
    after = held(tmp_path)
    assert set(after) == set(before)
    assert after["records.jsonl"] == before["records.jsonl"]
    assert after["manifest.json"] != before["manifest.json"]
    assert ml.Results.load(folder).manifest["units"] == {"computed": 16, "resumed": 0}


def test_an_unfinished_run_is_begun_again(tmp_path, run, monkeypatch):
    monkeypatch.setenv("STOP", "1")
    assert run() == 130
    monkeypatch.delenv("STOP")
    assert run("--fresh") == 0
    (folder,) = (tmp_path / "out").iterdir()
    assert ml.Results.load(folder).manifest["units"] == {"computed": 16, "resumed": 0}


def test_files_that_fail_to_come_leave_the_others(tmp_path):
    folder = Folder(tmp_path)
    folder.write_text("manifest.json", "old")
    with pytest.raises(ValueError, match="no luck"), folder.anew() as made:  # noqa: PT012
        made.write_text("manifest.json", "new")
        raise ValueError("no luck")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [
        ("manifest.json", "old")
    ]
