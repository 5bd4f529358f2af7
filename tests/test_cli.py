"""The command line: exit codes, JSON on stdout, faults with their fix on stderr."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from memlab.cli import main

GOOD = """
name = "toy"
budget = 100
metrics = ["Recall(k=5)", "MRR()"]
[dataset]
name = "quickstart"
[strategies]
"last 3" = "Window(turns=3)"
bm25 = "BM25()"
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "experiments").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def config(project):
    def write(text=GOOD, **replaced):
        for old, new in replaced.items():
            assert f"{old} = " in text
            text = "\n".join(
                f"{old} = {new}" if line.startswith(f"{old} = ") else line
                for line in text.splitlines()
            )
        path = project / "experiments" / "toy.toml"
        path.write_text(text)
        return str(path)

    return write


def test_run_show_and_their_json(project, config, capsys):
    assert main(["run", config()]) == 0
    shown = capsys.readouterr().out
    assert "last 3" in shown
    (folder,) = (project / "results").iterdir()
    assert str(folder) in shown
    assert main(["show", str(folder), "--json", "--by", "category", "answerable"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert set(data) == {"run", "n", "excluded", "failed", "strategies", "by"}
    assert (data["run"], data["failed"]) == (folder.name, 0)
    scores = data["strategies"]["bm25"]
    assert set(scores["metrics"]["Recall(k=5)"]) == {"mean", "low", "high", "n"}
    assert set(scores["tokens"]) == {"written", "read"}
    assert set(scores["read_ms"]) == {"p50", "p95", "p99"}
    assert scores["metrics"]["MRR()"]["n"] == data["n"] - data["excluded"]
    assert set(data["by"]) == {"category", "answerable"}
    assert data["by"]["category"]["update"]["last 3"]["MRR()"]["n"] > 0
    assert main(["show", str(folder), "--metrics", "NDCG(k=3)", "--by", "category"]) == 0
    assert "NDCG(k=3)" in capsys.readouterr().out


def test_run_prints_json(config, capsys):
    assert main(["run", config(), "--json", "--jobs", "2"]) == 0
    assert "bm25" in json.loads(capsys.readouterr().out)["strategies"]


def test_out_and_fresh(project, config, capsys):
    assert main(["run", config(), "--out", "elsewhere"]) == 0
    (folder,) = (project / "elsewhere").iterdir()
    manifest = folder / "manifest.json"
    before = manifest.stat().st_mtime_ns
    assert main(["run", config(), "--out", "elsewhere"]) == 0
    assert manifest.stat().st_mtime_ns == before
    assert main(["run", config(), "--out", "elsewhere", "--fresh"]) == 0
    assert manifest.stat().st_mtime_ns > before


def test_the_expanded_spec_repeats_the_run(project, config, capsys):
    assert main(["run", config()]) == 0
    (folder,) = (project / "results").iterdir()
    spec = tomllib.loads((folder / "spec.toml").read_text())
    assert spec["strategies"] == {"last 3": "Window(turns=3)", "bm25": "BM25()"}
    assert main(["run", str(folder / "spec.toml"), "--out", "again"]) == 0
    (again,) = (project / "again").iterdir()
    assert (again / "records.jsonl").read_bytes() == (folder / "records.jsonl").read_bytes()


@pytest.mark.parametrize("kind", ["strategies", "metrics", "datasets", "models"])
def test_list(kind, capsys):
    assert main(["list", kind]) == 0
    assert capsys.readouterr().out.strip()
    assert main(["list", kind, "--json"]) == 0
    for row in json.loads(capsys.readouterr().out):
        assert row["about"].endswith((".", ":")) or row["about"]
        more = {
            "metrics": {"definition", "failed_read_scores", "higher_is_better"},
            "strategies": {"duration", "storage", "content", "access"},
        }
        assert set(row) == {"name", "about", "parameters"} | more.get(kind, set())


@pytest.mark.parametrize(
    ("replaced", "message"),
    [
        ({"bm25": '"BM52()"'}, "did you mean 'BM25'"),
        ({"bm25": '"BM25(k2=1)"'}, "no parameter 'k2'"),
        ({"budget": "-5"}, "budget -5"),
        ({"budget": '"lots"'}, "budget 'lots'"),
        ({"metrics": '["Recall(k=0)"]'}, "k=0"),
        ({"name": '"quickstar"'}, "did you mean 'quickstart'"),
    ],
)
def test_bad_configs_exit_2_with_the_fix_and_leave_nothing(
    project, config, replaced, message, capsys
):
    text = GOOD.replace('name = "toy"\n', "") if "name" in replaced else GOOD
    assert main(["run", config(text, **replaced)]) == 2
    assert message in capsys.readouterr().err
    assert not (project / "results").exists()


def test_all_faults_of_a_file_are_listed_at_once(config, capsys):
    text = GOOD.replace("budget = 100", 'budgte = 100\ntokenizer = "abc"\nseed = "x"')
    assert main(["run", config(text, bm25='"BM25(k9=1)"')]) == 2
    errors = capsys.readouterr().err
    for fault in ("did you mean 'budget'", "unknown tokenizer 'abc'", "seed='x'", "k9"):
        assert fault in errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "is not TOML"),
        ('[dataset]\nname = "quickstart"', "has no 'strategies'"),
        (GOOD.replace('"quickstart"', '"locomo"\npath = "gone.json"'), "gone.json"),
        (GOOD.replace('"quickstart"', '"quickstart"\nlanguage = "en"'), "has no option 'language'"),
        (GOOD.replace('"quickstart"', '"locomo"'), "was given no 'path'"),
    ],
)
def test_files_that_are_not_experiments(config, text, message, capsys):
    assert main(["run", config(text)]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_file_and_a_folder_that_is_no_run(project, capsys):
    assert main(["run", "nowhere.toml"]) == 2
    assert "cannot read" in capsys.readouterr().err
    assert main(["show", "experiments"]) == 2
    assert "folder of a finished run" in capsys.readouterr().err


def test_bad_usage_exits_2(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["run"])
    assert stopped.value.code == 2
    assert "config" in capsys.readouterr().err


def test_every_unit_failed_exits_3(project, config, monkeypatch, capsys):
    (project / "broken_memory.py").write_text(
        "from memlab.strategies import NoMemory\n"
        "class Broken(NoMemory):\n"
        "    def read(self, query, budget):\n"
        "        raise RuntimeError('out of luck')\n"
    )
    monkeypatch.syspath_prepend(project)
    text = GOOD.replace('"last 3" = "Window(turns=3)"\n', "")
    assert main(["run", config(text, bm25='"broken_memory:Broken()"')]) == 3
    assert "bm25 failed on 99 reads: RuntimeError: out of luck" in capsys.readouterr().err
    (folder,) = (project / "results").iterdir()
    assert main(["show", str(folder)]) == 3


def test_data_check(project, capsys):
    good = project / "good.jsonl"
    good.write_text(
        '{"type":"turn","conversation":"c","id":"t","text":"x","time":"2024-01-01T09:00"}\n'
    )
    bad = project / "bad.jsonl"
    bad.write_text('{"type":"turn","conversation":"c","id":"t","txt":"x","time":"soon"}\n{"a":\n')
    assert main(["data", "check", str(good)]) == 0
    assert main(["data", "check", str(bad)]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert any(":1: txt:" in line for line in lines)
    assert any(":1: time:" in line for line in lines)
    assert any(":2:" in line for line in lines)
    assert main(["data", "check", str(bad), "--json"]) == 2
    assert {"line", "field", "message"} <= set(json.loads(capsys.readouterr().out)[0])
    assert main(["data", "check", "nowhere.jsonl"]) == 2


def test_compare_prints_verdicts_and_refuses_what_cannot_be_compared(project, config, capsys):
    assert main(["run", config()]) == 0
    (folder,) = (project / "results").iterdir()
    capsys.readouterr()
    assert main(["compare", str(folder), "--baseline", "last 3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [(c["metric"], c["strategy"]) for c in data["contrasts"]] == [
        ("Recall(k=5)", "bm25"),
        ("MRR()", "bm25"),
    ]
    assert data["contrasts"][0]["verdict"] == "better"
    assert main(["compare", str(folder), "--baseline", "last 3", "--format", "latex"]) == 0
    assert capsys.readouterr().out.startswith("\\begin{tabular}")
    chosen = ["--by", "category", "--metrics", "Recall(k=1)", "--format", "markdown"]
    assert main(["compare", str(folder), "--baseline", "bm25", *chosen]) == 0
    assert "| Recall(k=1) | last 3 | bm25 | single-hop |" in capsys.readouterr().out
    assert main(["compare", str(folder), str(folder)]) == 0
    assert "identical" in capsys.readouterr().out
    assert main(["compare", str(folder), "--baseline", "last 4"]) == 2
    assert "did you mean 'last 3'" in capsys.readouterr().err
    assert main(["compare", str(folder)]) == 2
    for wrong in (["--tokens", "many"], ["--budget", "some"], ["--tokens", "1-2-3"]):
        assert main(["compare", str(folder), "--baseline", "bm25", *wrong]) == 2


UNLABELLED = (
    '{"type": "probe", "conversation": "c", "id": "p", "text": "When?", '
    '"time": "2024-01-02T00:00:00Z"}\n'
)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("", ("0", "the data hold no probe", "it has no probe")),
        (
            UNLABELLED,
            ("1", "no probe has what the metrics ask about", "none of its 1 probes has evid"),
        ),
    ],
)
def test_a_run_that_measures_nothing_exits_3_and_says_why(project, config, capsys, more, told):
    probes, why, checked = told
    lines = '{"type": "conversation", "conversation": "c"}\n'
    lines += '{"type": "turn", "conversation": "c", "id": "t", "text": "tea", '
    lines += '"time": "2024-01-01T00:00:00Z"}\n'
    (project / "own.jsonl").write_text(lines + more, "utf-8")
    data = 'name = "jsonl"\npath = "own.jsonl"'
    path = config(GOOD.replace('name = "quickstart"', data))
    assert main(["run", path]) == 3
    shown = capsys.readouterr()
    assert why in shown.err
    assert f"· {probes} probes in 1 conversation · budget 100 tokens (" in shown.out
    assert main(["data", "check", "own.jsonl"]) == 0
    assert f"own.jsonl: {checked}" in capsys.readouterr().err
    assert main(["data", "check", "own.jsonl", "--json"]) == 0
    shown = capsys.readouterr()
    assert (json.loads(shown.out), checked in shown.err) == ([], True)


def test_a_terminal_that_lacks_signs_gets_them_spelt(config):
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    path = config(GOOD.replace('bm25 = "', '"茶" = "'))
    done = subprocess.run(
        [sys.executable, "-m", "memlab", "run", path], capture_output=True, env=environment
    )
    assert done.returncode == 0
    told = done.stdout.decode("ascii")
    assert " | 99 probes in 8 conversations | budget 100 tokens" in told
    assert "\n\\u8336 " in told
    assert " +-0." in told
    assert "?" not in told


@pytest.mark.parametrize("name", ["实验", "thé d'été"])
def test_the_letters_of_a_name_stay_in_that_of_the_folder(project, config, name):
    assert main(["run", config(GOOD.replace('"toy"', f'"{name}"'))]) == 0
    (folder,) = (project / "results").iterdir()
    assert folder.name.startswith({"实验": "实验-"}.get(name, "thé-d-été-"))


@pytest.mark.parametrize("label", ["", " ", "\u3000"])
def test_a_label_without_a_sign_is_refused(config, capsys, label):
    assert main(["run", config(GOOD.replace('"last 3"', f'"{label}"'))]) == 2
    assert f"strategy label {label!r}; expected printable text" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", " "])
def test_a_run_without_a_name_is_refused(config, capsys, name):
    assert main(["run", config(GOOD.replace('"toy"', f'"{name}"'))]) == 2
    assert f"name={name!r}; expected text that is not blank" in capsys.readouterr().err


def test_a_config_in_another_encoding(config, capsys):
    path = config()
    Path(path).write_bytes('name = "茶"'.encode("gb18030"))
    assert main(["run", path]) == 2
    assert capsys.readouterr().err.endswith("; save it as UTF-8\n")


def test_compare_without_a_value_exits_3(project, config, capsys):
    assert main(["run", config()]) == 0
    (folder,) = (project / "results").iterdir()
    assert main(["compare", str(folder), "--baseline", "bm25", "--tokens", "0"]) == 3
    assert "no value for 'bm25': its smallest budget gave" in capsys.readouterr().out


def test_two_runs_that_differ_are_refused_with_exit_2(project, config, capsys):
    assert main(["run", config()]) == 0
    assert main(["run", config(budget="50")]) == 0
    first, second = (project / "results").iterdir()
    capsys.readouterr()
    assert main(["compare", str(first), str(second)]) == 2
    assert "budget: [" in capsys.readouterr().err
