"""The board from files to verdicts: measured, kept, stale, to come, and not at hand."""

import json

import pytest

import memlab as ml
from memlab.board.board import Board
from memlab.board.shown import counts, full
from memlab.cli import main
from memlab.errors import ConfigError, Faults

HELD = """
id = "H01"
claim = "BM25 beats two turns."
needs = ["BM25", "Window"]

[[workloads]]
name = "sample"
why = "Questions on old turns."

[workloads.experiment]
budget = 200
dataset = { name = "quickstart" }

[workloads.experiment.strategies]
"last 2" = "Window(turns=2)"
bm25 = "BM25()"

[[workloads.checks]]
metric = "Recall()"
strategy = "bm25"
baseline = "last 2"
expect = "greater"

[[workloads.checks]]
metric = "Leak()"
strategy = "*"
expect = "always"
value = 0
"""
COMING = HELD.replace("H01", "H02").replace('["BM25", "Window"]', '["Telepathy", "Window"]')
COMING = COMING.replace("BM25()", "Telepathy()")
ELSEWHERE = HELD.replace("H01", "H03").replace(
    '{ name = "quickstart" }', '{ name = "locomo", path = "nowhere/locomo10.json" }'
)
PARTLY = (
    HELD.replace("H01", "H04")
    + """
[[workloads]]
name = "to come"
why = "What is deleted softly."
needs = ["Lifecycle"]

[workloads.experiment]
dataset = { name = "quickstart" }
strategies = { soft = "Lifecycle()" }

[[workloads.checks]]
metric = "Residue()"
strategy = "soft"
expect = "always"
value = 0
"""
)
REFUTED = HELD.replace("H01", "H05").replace('expect = "greater"', 'expect = "less"')


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "experiments" / "hypotheses").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def files(project):
    def write(**texts):
        for name, text in texts.items():
            (project / "experiments" / "hypotheses" / f"{name}.toml").write_text(text, "utf-8")

    return write


def board(*ids, **given):
    return ml.hypotheses(*ids, **given)


def verdicts(made):
    return {line.claim.id: line.verdict for line in made}


def test_a_board_before_and_after_it_is_measured(project, files):
    files(H01=HELD, H02=COMING, H03=ELSEWHERE, H04=PARTLY, H05=REFUTED)
    before = board()
    assert verdicts(before) == {
        "H01": "not run yet",
        "H02": "not measurable yet",
        "H03": "not run yet",
        "H04": "not run yet",
        "H05": "not run yet",
    }
    made = board(run=True)
    assert verdicts(made) == {
        "H01": "held",
        "H02": "not measurable yet",
        "H03": "not measured here",
        "H04": "held",
        "H05": "refuted",
    }
    assert made["H02"].why == ("memlab has no Telepathy yet",)
    assert made["H03"].why == ("not measured here: sample: data not at hand: locomo",)
    assert made["H04"].why == ("to come: memlab has no Lifecycle yet",)
    assert "H04  held, in part" in repr(made)
    again = board()
    assert verdicts(again)["H01"] == "held"
    assert repr(again).splitlines()[0] == repr(made).splitlines()[0]
    # What was found is what compare says of the same run.
    check = made["H01"].entry.workloads[0].checks[0]
    run = ml.Results.load(project / "results" / "hypotheses" / made["H01"].entry.workloads[0].run)
    table = run.compare("last 2", metrics=["Recall()"]).table
    assert check.effect == pytest.approx(table["difference"][0], abs=1e-5)
    assert (check.low, check.high) == (
        pytest.approx(table["low"][0], abs=1e-5),
        pytest.approx(table["high"][0], abs=1e-5),
    )
    assert check.p == pytest.approx(table["p"][0], abs=1e-5)
    assert (check.n, check.clusters) == (table["n"][0], table["clusters"][0])


def test_runs_are_read_again_and_verdicts_have_equal_bytes(project, files):
    files(H01=HELD)
    board(run=True)
    kept = project / "results" / "hypotheses.json"
    (run,) = (project / "results" / "hypotheses").iterdir()
    first, made = kept.read_bytes(), (run / "manifest.json").stat().st_mtime_ns
    board(run=True)
    assert kept.read_bytes() == first
    assert (run / "manifest.json").stat().st_mtime_ns == made


def test_runs_of_other_code_that_find_the_same_leave_the_verdicts_alone(
    project, files, monkeypatch
):
    files(H01=HELD)
    board(run=True)
    kept = project / "results" / "hypotheses.json"
    first = kept.read_bytes()
    monkeypatch.setattr("memlab.spec.package_digest", lambda: "other code")
    made = board(run=True)["H01"]
    assert len(list((project / "results" / "hypotheses").iterdir())) == 2
    assert kept.read_bytes() == first
    assert made.renewed
    files(H01=HELD.replace("budget = 200", "budget = 150"))
    board(run=True)
    assert kept.read_bytes() != first


def test_a_changed_file_makes_its_verdict_stale(files):
    files(H01=HELD)
    board(run=True)
    files(H01=HELD.replace("BM25 beats two turns", "BM25 is better than two turns"))
    assert not board()["H01"].stale
    files(H01=HELD.replace("budget = 200", "budget = 150"))
    made = board()
    assert made["H01"].stale
    assert "H01  held (stale)" in repr(made)
    assert counts(made).endswith("1 of them stale: their files have changed, --run measures again")


def test_what_can_be_measured_since_makes_a_verdict_stale(files, monkeypatch):
    files(H04=PARTLY)
    board(run=True)
    assert not board()["H04"].stale
    monkeypatch.setattr("memlab.board.measuring.absent", lambda needs: ())
    assert board()["H04"].stale


def test_a_colon_in_the_name_of_a_workload_makes_no_verdict_stale(project, files):
    away = ELSEWHERE.replace("H03", "H01").partition("[[workloads]]")[2]
    away = away.replace('name = "sample"', 'name = "old: turns"')
    files(H01=f"{HELD}\n[[workloads]]{away}")
    made = board(run=True)["H01"]
    assert made.entry.away == ("old: turns: data not at hand: locomo",)
    assert (made.verdict, made.stale, board()["H01"].stale) == ("held", False, False)


def test_a_full_verdict_is_kept_where_data_are_missing(project, files):
    data = project / "data.jsonl"
    data.write_text(
        '{"type":"turn","conversation":"c","id":"t","time":"2024-01-01T09:00","text":"tea"}\n'
        '{"type":"probe","conversation":"c","id":"p","time":"2024-01-01T10:00","text":"tea?",'
        '"evidence":["t"]}\n'
    )
    text = HELD.replace('name = "quickstart"', 'name = "jsonl", path = "data.jsonl"')
    files(H01=text)
    made = board(run=True)["H01"]
    assert made.verdict == "descriptive", "one conversation only"
    data.unlink()
    later = board(run=True)["H01"]
    assert later.entry == made.entry
    assert later.why == ("not measured here: sample: data not at hand: jsonl",)
    assert not later.renewed
    assert main(["hypotheses", "--run"]) == 3, "nothing was measured now"


def test_a_strategy_that_fails_is_told_and_decides_nothing(project, files, monkeypatch):
    (project / "broken_memory.py").write_text(
        "from memlab.strategies import NoMemory\n"
        "class Broken(NoMemory):\n"
        "    def read(self, query, budget):\n"
        "        raise RuntimeError('out of luck')\n"
    )
    monkeypatch.syspath_prepend(project)
    files(H01=HELD.replace('"BM25()"', '"broken_memory:Broken()"'))
    made = board(run=True)["H01"]
    assert made.verdict == "not measured here"
    assert "bm25 failed on 99 reads: RuntimeError: out of luck" in made.why[0]


def test_a_check_that_cannot_be_made_spares_the_others(files):
    files(H01=HELD, H05=REFUTED.replace('expect = "less"', 'expect = "less"\ntokens = 99999'))
    made = board(run=True)
    assert made["H01"].verdict == "held"
    assert made["H05"].verdict == "not separated"
    assert made["H05"].entry.workloads[0].checks[0].verdict == "no values"
    files(H05=REFUTED.replace('expect = "less"', 'expect = "less"\nwhere = { mood = 1 }'))
    assert "no record has a field 'mood'" in board("H05", run=True)["H05"].why[0]


def test_faults_of_experiments_are_told_before_any_is_run(project, files):
    files(
        H01=HELD,
        H05=REFUTED.replace('name = "quickstart"', 'name = "quickstart", language = "en"'),
    )
    with pytest.raises(Faults, match=r"H05, sample: .*has no option 'language'"):
        board(run=True)
    assert not (project / "results").exists()


def test_the_lines(files):
    files(H01=HELD, H02=COMING)
    made = board(run=True)
    run = made["H01"].entry.workloads[0].run
    check = made["H01"].entry.workloads[0].checks[0]
    effect = f"+{check.effect:.3f} [+{check.low:.3f}, +{check.high:.3f}], n 82 in 8, as expected"
    rule = "0 of 56 break the rule; values from 0 to 0, n 56 in 2, as expected"
    assert repr(made) == (
        f"H01  held                BM25 beats two turns. | sample: {effect}; {rule} [{run}]\n"
        "H02  not measurable yet  BM25 beats two turns. | memlab has no Telepathy yet\n"
        "\n"
        "2 claims: 1 held, 1 not measurable yet"
    )
    assert full(made["H01"]) == (
        "H01  held\n"
        "  BM25 beats two turns.\n"
        "\n"
        "  sample: Questions on old turns.\n"
        "    bm25 − last 2: Recall()\n"
        f"      expected: greater; found: {effect}, p {check.p:.4f}\n"
        "    every strategy: Leak()\n"
        f"      expected: always 0; found: {rule}\n"
        f"    run: {run}"
    )
    assert full(made["H02"]).endswith(
        "    bm25 − last 2: Recall(), expected: greater\n"
        "    every strategy: Leak(), expected: always 0"
    )
    assert "BM25 beats two turns." in made._repr_html_()


def test_the_page(files):
    files(H01=HELD, H02=COMING.replace("BM25 beats two turns.", "A | B <b>wins</b>."))
    made = board(run=True)
    assert "A | B &lt;b&gt;wins&lt;/b&gt;." in made._repr_html_()
    page = made.to_markdown()
    assert "2 claims: 1 held, 1 not measurable yet." in page
    assert "| [H01](#h01) | held | BM25 beats two turns. |" in page
    assert r"| [H02](#h02) | not measurable yet | A \| B \<b\>wins\</b\>. |" in page
    assert "## H02\n\n**not measurable yet** · " in page
    assert "- memlab has no Telepathy yet" in page
    assert "| check | expected | found | p |" in page
    assert "| every strategy: Leak() | always 0 | 0 of 56 break the rule" in page


def test_the_command(project, files, capsys):
    files(H01=HELD, H02=COMING)
    assert main(["hypotheses"]) == 0
    assert "H01  not run yet" in capsys.readouterr().out
    assert main(["hypotheses", "H02", "--run"]) == 3
    assert main(["hypotheses", "--run", "--out", "elsewhere"]) == 0
    assert (project / "elsewhere" / "hypotheses.json").is_file()
    capsys.readouterr()
    assert main(["hypotheses", "--json", "--out", "elsewhere"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["id"], first["verdict"], first["stale"]) == ("H01", "held", False)
    (workload,) = first["workloads"]
    assert set(workload) == {"name", "why", "needs", "run", "checks"}
    assert workload["checks"][0]["verdict"] == "as expected"
    assert (second["verdict"], second["why"]) == (
        "not measurable yet",
        ["memlab has no Telepathy yet"],
    )
    assert second["workloads"][0]["run"] is None
    assert main(["hypotheses", "H01", "--out", "elsewhere"]) == 0
    assert "expected: greater; found: +" in capsys.readouterr().out
    assert main(["hypotheses", "--markdown", "--out", "elsewhere"]) == 0
    assert capsys.readouterr().out.startswith("# Hypotheses\n")
    assert main(["hypotheses", "--run", "--jobs", "0"]) == 2
    assert "jobs=0" in capsys.readouterr().err
    assert main(["hypotheses", "H9"]) == 2
    assert "no claim 'H9'" in capsys.readouterr().err


def test_no_repository_around(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["hypotheses"]) == 2
    told = capsys.readouterr().err
    assert "no claims in" in told
    assert "run it in a clone of memlab's repository, or name the folder: --files DIR" in told


def test_a_board_is_a_sequence(files):
    files(H01=HELD, H02=COMING)
    made = board()
    assert isinstance(made, Board)
    assert [line.claim.id for line in made] == ["H01", "H02"]
    assert made[1].claim.id == "H02"
    assert made["H02"].claim.id == "H02"
    with pytest.raises(ConfigError, match="did you mean 'H01'"):
        made["H1"]
