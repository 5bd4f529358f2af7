"""Bundles: what is in them, equal bytes, data only under an open licence."""

import hashlib
import json
import shutil
import subprocess
import tomllib
import zipfile

import pytest

import memlab as ml
from memlab.datasets.jsonl import dump
from memlab.errors import ConfigError, Faults, RunError
from memlab.paper.contents import EXPLAINED, RUN
from memlab.results import Results
from memlab.types import Conversation, Dataset, Item, Probe, Turn


def own(tmp_path, licence="CC0-1.0", name="mine.jsonl"):
    """Return the path of a small data set file."""
    turn = Turn(id="t", text="I moved to Oslo.", time="2024-05-01")
    probe = Probe(id="p", text="Where?", time="2024-05-02", evidence=["t"], answers=["Oslo"])
    card = {"licence": licence} if licence else {}
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True, parents=True)
    dump(Dataset("mine", (Conversation("c", (turn, probe)),), card=card), path)
    return path


@ml.strategy
class Noting(ml.TurnMemory):
    """Return a fact, which is a derived text."""

    def read(self, query, budget):
        return [Item("Oslo it is.", ("t",), "fact")]


def read(archive):
    with zipfile.ZipFile(archive) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_the_archive_of_the_folder_where_you_are_has_its_name(made, tmp_path, monkeypatch):
    here = tmp_path / made.path.name
    shutil.copytree(made.path, here)
    monkeypatch.chdir(here)
    assert ml.bundle(".").name == f"{made.path.name}.zip"


def test_the_files_and_their_hashes(files, made, tmp_path):
    assert set(files) == {*RUN, *EXPLAINED, "SHA256SUMS"}
    for name in ("records.jsonl", "latency.json", "manifest.json", "summary.csv", "spec.toml"):
        assert files[name] == (made.path / name).read_bytes()  # this data set has no paths
    listed = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    held = {n: hashlib.sha256(v).hexdigest() for n, v in files.items() if n != "SHA256SUMS"}
    assert listed == held
    for name, value in files.items():
        (tmp_path / name).write_bytes(value)
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0


def test_the_same_run_gives_the_same_bytes(archive, made, tmp_path):
    again = ml.bundle(made.path, tmp_path / "again.zip")
    assert again.read_bytes() == archive.read_bytes()
    copy = shutil.copytree(made.path, tmp_path / "elsewhere" / made.path.name)
    assert ml.bundle(copy, tmp_path / "third.zip").read_bytes() == archive.read_bytes()


def test_by_default_it_has_the_name_of_the_run(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ml.bundle(made).resolve() == tmp_path / f"{made.path.name}.zip"


def test_the_explanations(files, made):
    guide = files["README.md"].decode()
    assert f"memlab verify {made.path.name}.zip --rerun" in guide
    assert "| bm25 | 200 | 0.768" in guide
    assert "licence: CC0-1.0" in guide
    assert "| Recall(k=5) | fractional: distinct evidence" in files["definitions.md"].decode()
    card = json.loads(files["dataset.json"])
    assert card["sha256_of_content"] == made.manifest["resolved"]["data"]
    assert card["card"]["licence"] == "CC0-1.0"
    listed = files["packages.txt"].decode().splitlines()
    assert f"numpy=={made.manifest['packages']['numpy']}" in listed
    names = [line.partition("==")[0].lower().replace("_", "-") for line in listed]
    assert len(names) == len(set(names))
    assert all("==" in line or line.startswith("#") for line in listed)
    assert not any("+" in line or "/" in line for line in listed)


def test_paths_of_this_machine_are_left_at_home(tmp_path):
    path = own(tmp_path / "secret-folder")
    made = ml.evaluate(["BM25()"], {"name": "jsonl", "path": path}, ["MRR()"], out=tmp_path)
    assert "secret-folder" in (made.path / "spec.toml").read_text()
    held = read(ml.bundle(made, tmp_path / "a.zip"))
    assert not any(b"secret-folder" in value for value in held.values())
    assert tomllib.loads(held["spec.toml"].decode())["dataset"]["path"] == "data/mine.jsonl"
    assert f"(sha256 {hashlib.sha256(path.read_bytes()).hexdigest()})" in held["README.md"].decode()
    assert "data/mine.jsonl" not in held


def test_data_and_derived_texts_go_in_on_request(tmp_path):
    path = own(tmp_path)
    made = ml.evaluate(
        {"n": Noting()}, {"name": "jsonl", "path": path}, ["MRR()"], out=tmp_path / "runs"
    )
    held = read(ml.bundle(made, tmp_path / "a.zip", with_data=True))
    assert held["data/mine.jsonl"] == path.read_bytes()
    assert b"Oslo it is." in held["texts.jsonl"]
    assert "The data are in this bundle: `data/mine.jsonl`" in held["README.md"].decode()
    assert not any(b"Oslo" in v for v in read(ml.bundle(made, tmp_path / "b.zip")).values())


@pytest.mark.parametrize(
    ("licence", "told"),
    [
        ("CC-BY-NC-4.0", "CC-BY-NC-4.0"),
        ("none stated: for measurement only", "none stated"),
        ("", "not stated"),
    ],
)
def test_data_of_other_licences_stay_out(tmp_path, licence, told):
    table = {"name": "jsonl", "path": own(tmp_path, licence)}
    made = ml.evaluate(["BM25()"], table, ["MRR()"], out=tmp_path / "runs")
    with pytest.raises(Faults, match=f"the licence of 'jsonl' is {told}.*expected one of"):
        ml.bundle(made, tmp_path / "a.zip", with_data=True)
    assert not (tmp_path / "a.zip").exists()
    assert ml.verify(ml.bundle(made, tmp_path / "a.zip")).ok


def test_two_data_sets_with_files_of_one_name(tmp_path):
    one, two = own(tmp_path / "x"), own(tmp_path / "y")
    tables = [{"name": "jsonl", "path": p, "title": p.parent.name} for p in (one, two)]
    made = ml.evaluate(["BM25()"], tables, ["MRR()"], out=tmp_path / "runs")
    archive = ml.bundle(made, tmp_path / "a.zip", with_data=True)
    held = read(archive)
    assert held["data/1/path/mine.jsonl"] == one.read_bytes()
    assert held["data/2/path/mine.jsonl"] == two.read_bytes()
    assert ml.verify(archive, rerun=True).faults == ()


def test_data_made_in_python_have_no_file(tmp_path):
    turn = Turn(id="t", text="x", time="2024-05-01")
    probe = Probe(id="p", text="?", time="2024-05-02", evidence=["t"])
    data = Dataset("mine", (Conversation("c", (turn, probe)),))
    made = ml.evaluate(["BM25()"], data, ["MRR()"], out=tmp_path)
    with pytest.raises(ConfigError, match=r"made in Python.*jsonl\.dump"):
        ml.bundle(made, tmp_path / "a.zip", with_data=True)
    found = ml.verify(ml.bundle(made, tmp_path / "a.zip"), rerun=True)
    assert found.faults == ("not run again: the data were made in Python and cannot be loaded",)


def test_what_is_no_finished_run(made, tmp_path):
    in_memory = ml.evaluate(["NoMemory()"], "quickstart", ["MRR()"])
    with pytest.raises(ConfigError, match=r"lie in no folder.*evaluate"):
        ml.bundle(in_memory)
    broken = shutil.copytree(made.path, tmp_path / "broken")
    (broken / "summary.csv").unlink()
    with pytest.raises(RunError, match=r"broken lacks summary\.csv"):
        ml.bundle(broken, tmp_path / "a.zip")
    with pytest.raises(RunError, match=r"lacks spec\.toml, records\.jsonl"):
        ml.bundle(tmp_path)


def test_a_summary_that_does_not_follow_is_never_sent(made, tmp_path):
    broken = shutil.copytree(made.path, tmp_path / "broken")
    text = (broken / "summary.csv").read_text()
    (broken / "summary.csv").write_text(text.replace("0.768", "0.868", 1))
    with pytest.raises(Faults, match="does not pass its own check") as told:
        ml.bundle(broken, tmp_path / "a.zip")
    assert "Recall(k=5)" in told.value.faults[0]
    assert [p.name for p in tmp_path.iterdir()] == ["broken"]


def test_a_spec_whose_paths_were_changed_by_hand(tmp_path):
    table = {"name": "jsonl", "path": own(tmp_path)}
    made = ml.evaluate(["BM25()"], table, ["MRR()"], out=tmp_path / "runs")
    spec = made.path / "spec.toml"
    spec.write_text(spec.read_text().replace("path = ", "path   = "))
    with pytest.raises(ConfigError, match=r"spec\.toml has no line 'path = "):
        ml.bundle(Results.load(made.path), tmp_path / "a.zip")
