"""Writing a report: formats by name, faults at once, no file of others is touched."""

import os
import subprocess
import sys

import hostile
import pytest

import memlab as ml
from memlab.errors import DataError, Faults
from memlab.reporting.write import Report, report


@pytest.mark.parametrize("name", ["report.md", "report.tex"])
def test_tables_as_markdown_and_latex(run, tmp_path, name):
    made = report(run, tmp_path / name, "last 10", by=("category", "answerable"), title="100 %_a")
    text = (tmp_path / name).read_text("utf-8")
    assert (made.path, made.size) == (tmp_path / name, len(text.encode()))
    assert made.failures == made.failures_found == 0
    assert repr(made).splitlines()[0] == f"{tmp_path / name}: {made.size / 1000:.1f} kB"
    for row in run.summary().itertuples():
        assert f"{row[3]:.3f}" in text  # the first metric's mean
    if name.endswith("md"):
        assert "# 100 %\\_a" in text
        assert "## Compared with last 10" in text
        assert "## By category" in text
        assert "| --- |" in text
    else:
        assert r"100 \%\_a" in text
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 6
        assert text.count("{") == text.count("}")


@pytest.mark.parametrize(
    ("size", "told"),
    [(9, "0.1 kB"), (1_449, "1.4 kB"), (999_999, "1000.0 kB"), (1_060_000, "1.1 MB")],
)
def test_no_file_is_told_to_be_empty(tmp_path, size, told):
    assert repr(Report(tmp_path, size, 0, 0, ())) == f"{tmp_path}: {told}"


def test_hostile_names_stay_inside_markdown_and_latex(tmp_path):
    results = hostile.run()
    report(results, tmp_path / "report.md", hostile.LABELS[0])
    report(results, tmp_path / "report.tex", hostile.LABELS[0])
    markdown = (tmp_path / "report.md").read_text("utf-8")
    assert "<script" not in markdown.replace("\\<script", "")
    assert "<img" not in markdown.replace("\\<img", "")
    latex = (tmp_path / "report.tex").read_text("utf-8")
    escaped = latex
    for pair in (r"\{", r"\}", r"\%", r"\_", r"\&", r"\$", r"\#"):
        escaped = escaped.replace(pair, "")
    assert escaped.count("{") == escaped.count("}")
    lines = [line for line in escaped.splitlines() if not line.startswith("%")]
    assert not any("%" in line for line in lines)
    assert "\0" not in latex + markdown


def test_all_faults_are_told_before_anything_is_computed(run, tmp_path):
    with pytest.raises(Faults) as told:
        report(run, tmp_path / "gone" / "report.pdf", "last 11", by=("categry",), failures=-1)
    text = str(told.value)
    for part in (
        "'report.pdf'",
        "no folder",
        "did you mean 'last 10'",
        "'category'",
        "failures=-1",
    ):
        assert part in text
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_written_over_and_another_file_is_not(run, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("my notes")
    with pytest.raises(Faults, match="exists and is no report"):
        report(run, path)
    assert path.read_text() == "my notes"
    mine = tmp_path / "report.md"
    report(run, mine, title="first")
    report(run, mine, title="second")
    assert "second" in mine.read_text("utf-8")
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(Faults, match="is a folder"):
        report(run, tmp_path / "folder.md")


def test_a_disk_that_refuses_is_told_and_leaves_nothing(run, tmp_path, monkeypatch):
    def refuse(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", refuse)
    with pytest.raises(DataError, match="No space left"):
        report(run, tmp_path / "report.md")
    assert list(tmp_path.iterdir()) == []


def test_equal_runs_give_equal_bytes(tmp_path):
    run = ml.evaluate(
        {"a": "Window(turns=5)", "b": "BM25()"}, "quickstart", ["MRR()"], out=tmp_path, name="r"
    )
    made = ml.report(ml.Results.load(run.path), tmp_path / "one.html", "a", failures=40)
    assert made.failures == 40 < made.failures_found
    command = [sys.executable, "-m", "memlab", "report", str(run.path)]
    done = subprocess.run(
        [*command, "-o", "two.html", "--baseline", "a", "--failures", "40"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Shanghai", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "two.html").read_bytes() == (tmp_path / "one.html").read_bytes()
