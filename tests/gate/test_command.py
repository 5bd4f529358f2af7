"""`memlab check`: exit codes, JSON, JUnit, the summary of a CI step, saving."""

import json
import shutil
from xml.etree import ElementTree

import pytest

import memlab as ml
from memlab.cli import main
from memlab.strategies import Window


@pytest.fixture(scope="module")
def base(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("base") / "baseline"
    assert main(["check", str(folder), "--against", str(path), "--save"]) == 0
    return path


@pytest.fixture(scope="module")
def worse(data, strategies, tmp_path_factory):
    chosen = {**strategies, "bm25": Window(turns=1)}
    metrics = ["Recall(k=5)", "MRR()", "StaleHit()"]
    out = tmp_path_factory.mktemp("worse")
    return ml.evaluate(chosen, data, metrics, budget=[100, 400], name="toy", out=out).path


@pytest.fixture(autouse=True)
def no_summary(monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def check(run, base, *options):
    return main(["check", str(run), "--against", str(base), *options])


def test_unchanged_exits_0(folder, base, capsys):
    assert check(folder, base) == 0
    shown = capsys.readouterr().out
    assert "ok: nothing changed beyond the limits" in shown
    assert "the same, probe by probe: 12 contrasts of quality; a drop is found from" in shown
    assert "1.00  [1.00, 1.00]" in shown


def test_worse_exits_1_and_says_by_how_much(worse, base, capsys):
    assert check(worse, base, "--no-latency") == 1
    shown = capsys.readouterr().out
    assert "regression: " in shown.splitlines()[0]
    (line,) = [x for x in shown.splitlines() if x.startswith("regression  bm25      100     MRR()")]
    assert line.split()[6].startswith("-0.")
    assert "left out: times" in shown


def test_json(worse, base, capsys):
    assert check(worse, base, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["ok"]
    assert found["measured"]
    assert {one["verdict"] for one in found["contrasts"]} >= {"regression", "same"}
    bad = next(c for c in found["contrasts"] if (c["strategy"], c["measure"]) == ("bm25", "MRR()"))
    assert bad["change"] < -0.01 == -bad["limit"]
    assert bad["low"] <= bad["change"] <= bad["high"]
    assert bad["adjusted"] <= found["alpha"] == 0.01
    assert bad["detectable"] > 0
    assert (bad["clusters"], bad["n"] > 200) == (20, True)


def test_junit_has_a_case_for_each_contrast(worse, base, tmp_path, capsys):
    file = tmp_path / "reports" / "gate.xml"
    assert check(worse, base, "--json", "--junit", str(file)) == 1
    found = json.loads(capsys.readouterr().out)
    (suite,) = ElementTree.parse(file).getroot().findall("testsuite")
    assert int(suite.get("tests")) == len(suite.findall("testcase")) == len(found["contrasts"])
    bad = sum(one["verdict"] == "regression" for one in found["contrasts"])
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure")) == bad > 0


def test_the_summary_of_a_step_is_appended_to(worse, base, tmp_path, monkeypatch, capsys):
    file = tmp_path / "summary.md"
    file.write_text("before\n", "utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    assert check(worse, base) == 1
    told = file.read_text("utf-8")
    assert told.startswith("before\n### toy-")
    assert "**regression: " in told
    assert "| regression | bm25 | 100 | MRR() |" in told
    assert capsys.readouterr().out.splitlines()[0].endswith(told.split("**")[1])


def test_not_comparable_exits_2(data, strategies, base, tmp_path, capsys):
    metrics = ["Recall(k=5)", "MRR()", "StaleHit()"]
    chosen = {"bm25": strategies["bm25"]}
    other = ml.evaluate(chosen, data.take(3), metrics, budget=[100, 400], out=tmp_path)
    assert check(other.path, base) == 2
    told = capsys.readouterr().err
    assert "they differ in data: " in told
    assert "make a new baseline: memlab check RUN --against BASE --save" in told


@pytest.mark.parametrize(
    "options",
    [
        ["--max-drop", "MRR()"],
        ["--max-drop", "MRR=0.1"],
        ["--alpha", "2"],
        ["--metrics", "Recal()"],
    ],
)
def test_bad_usage_exits_2(folder, base, options, capsys):
    assert check(folder, base, *options) == 2
    assert "memlab: " in capsys.readouterr().err


def test_contradicting_options_are_refused(folder, base, capsys):
    with pytest.raises(SystemExit) as stopped:
        check(folder, base, "--no-latency", "--no-quality")
    assert stopped.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


def test_every_read_failed_exits_3_and_makes_no_baseline(data, base, tmp_path, capsys):
    from memlab.naming import strategy

    @strategy
    class Never(Window):
        def read(self, query, budget):
            raise ValueError("never")

    metrics, chosen = ["Recall(k=5)", "MRR()", "StaleHit()"], {"bm25": Never(), "window": Never()}
    never = ml.evaluate(chosen, data, metrics, budget=[100, 400], name="toy", out=tmp_path).path
    assert check(never, base) == 3
    assert "nothing was measured" in capsys.readouterr().out
    assert check(never, tmp_path / "new", "--save") == 3
    assert not (tmp_path / "new").exists()


def test_no_baseline_exits_4_with_the_line_that_makes_one(folder, tmp_path, capsys):
    gone = tmp_path / "gone"
    assert check(folder, gone) == 4
    line = capsys.readouterr().err.partition("make one: ")[2].strip()
    assert line == f"memlab check RUN --against {gone} --save"
    assert main(line.replace("RUN", str(folder)).split()[1:]) == 0
    assert check(folder, gone) == 0


def test_a_run_can_be_the_baseline(folder, worse):
    assert check(folder, folder) == 0
    assert check(worse, folder) == 1


def test_limits_and_metrics_can_be_given(worse, base):
    assert check(worse, base, "--no-latency", "--max-drop", "0.99") == 0
    assert check(worse, base, "--no-latency", "--max-drop", "0.99", "MRR()=0.02") == 1
    assert check(worse, base, "--no-latency", "--metrics", "StaleHit()") in (0, 1)


def test_a_broken_run_folder_exits_2(folder, base, tmp_path, capsys):
    shutil.copytree(folder, tmp_path / "run")
    (tmp_path / "run" / "records.jsonl").write_text("{", "utf-8")
    assert check(tmp_path / "run", base) == 2
    assert "run its spec.toml again" in capsys.readouterr().err


def test_save_tells_what_it_wrote(folder, tmp_path, capsys):
    assert check(folder, tmp_path / "b", "--save", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["bytes"]) == {"values.tsv", "times.tsv", "manifest.json"}
    for name, size in told["bytes"].items():
        assert (tmp_path / "b" / name).stat().st_size == size


@pytest.mark.parametrize("way", ["--junit", "GITHUB_STEP_SUMMARY"])
def test_a_file_that_cannot_be_written_exits_2(folder, base, tmp_path, monkeypatch, capsys, way):
    (tmp_path / "file").write_text("", encoding="utf-8")
    wrong = str(tmp_path / "file" / "out")  # below a file
    if way == "--junit":
        assert check(folder, base, way, wrong) == 2
    else:
        monkeypatch.setenv(way, wrong)
        assert check(folder, base) == 2
    told = capsys.readouterr().err
    assert "cannot be written" in told
    assert "this should not have happened" not in told
