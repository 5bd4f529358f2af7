"""`memlab report`: what it prints, and its exit codes."""

import json

import pytest

from memlab.cli import main
from memlab.runner import evaluate


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a run."""
    out = tmp_path_factory.mktemp("results")
    strategies = {"last 10": "Window(turns=10)", "bm25": "BM25()"}
    return evaluate(strategies, "quickstart", ["MRR()"], out=out, name="toy").path


def test_a_page_from_the_command_line(folder, tmp_path, capsys, plain):
    path = tmp_path / "report.html"
    arguments = ["report", str(folder), "-o", str(path), "--baseline", "last 10", "--title", "我的"]
    assert main([*arguments, "--metrics", "Recall(k=3)", "MRR()", "--failures", "20"]) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == str(path)
    assert "20 of " in printed.err
    text = path.read_text("utf-8")
    assert "Recall(k=3)" in text
    assert "<title>我的</title>" in text


def test_its_json(folder, tmp_path, capsys):
    path = tmp_path / "report.md"
    assert main(["report", str(folder), "-o", str(path), "--json", "--by", "category", "user"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"path", "size", "failures", "failures_found", "left_out"}
    assert (told["path"], told["size"]) == (str(path), path.stat().st_size)
    assert told["left_out"] == ["no comparison: no baseline was named (--baseline NAME)"]
    assert "## By user" in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-o", "report.doc"], "'report.doc'"),
        (["-o", "report.html", "--baseline", "bm52"], "did you mean 'bm25'"),
        (["-o", "report.html", "--by", "nothing"], "no record has a field"),
        (["-o", "report.html", "--metrics", "Recal()"], "Recall"),
    ],
)
def test_bad_usage_exits_2_and_writes_nothing(folder, tmp_path, monkeypatch, capsys, more, message):
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(folder), *more]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_run_on_which_all_failed_exits_3_and_is_reported(tmp_path, monkeypatch, capsys):
    (tmp_path / "broken_reader.py").write_text(
        "from memlab.strategies import NoMemory\n"
        "class Broken(NoMemory):\n"
        "    def read(self, query, budget):\n"
        "        raise RuntimeError('out of luck')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    run = evaluate(
        {"broken": "broken_reader:Broken()"}, "quickstart", ["MRR()"], out=tmp_path, name="broken"
    )
    path = tmp_path / "report.md"
    assert main(["report", str(run.path), "-o", str(path)]) == 3
    assert "out of luck" in path.read_text("utf-8")
