"""`memlab bench`: ratios, what counts as slower, the second look, the file, the command."""

import json
import math
import subprocess

import pytest

from memlab.cli import main
from memlab.commands import benching
from memlab.commands.benching import selection
from memlab.errors import RunError
from memlab.gate.benches import Benches, compared, table

MACHINE = {"cpu": "x", "Python": "3.11"}


def measured(**seconds):
    """What pytest-benchmark writes, with a reference of a millisecond."""
    return {
        "machine_info": {"cpu": {"brand_raw": "x"}, "machine": "y", "python_version": "3.11.7"},
        "benchmarks": [
            {
                "fullname": f"tests/benchmarks/test_a.py::{name}",
                "extra_info": {"reference ns": 1e6},
                "stats": {"min": value, "median": 9.0},
            }
            for name, value in seconds.items()
        ],
    }


def benches(**ratios):
    return Benches(MACHINE, ratios)


def test_the_fastest_round_over_the_reference():
    found = Benches.of(measured(one=0.002, two=0.0005))
    # 2 ms over the 1 ms of the reference, and .005.
    assert found.ratios == pytest.approx({"test_a.py::one": 2.005, "test_a.py::two": 0.505})
    assert found.machine == MACHINE


def test_a_benchmark_without_reference_is_refused():
    given = measured(one=1.0)
    given["benchmarks"][0]["extra_info"] = {}
    with pytest.raises(RunError, match="one has no reference"):
        Benches.of(given)


def test_what_counts_as_slower():
    before, now = benches(a=1, b=1, c=3, gone=1), benches(a=1.5, b=1.51, c=1.9, new=1)
    found = {one.name: one.verdict for one in compared(now, before, 1.5, whole=True)}
    assert found == {
        "a": "within limits",
        "b": "regression",
        "c": "improved",
        "gone": "vanished",
        "new": "not in the baseline",
    }
    assert "gone" not in {one.name for one in compared(now, before, 1.5, whole=False)}


def test_slower_while_others_had_the_processor_is_no_regression():
    busy, calm = (Benches(MACHINE, {"a": 2.0}, {"a": share}) for share in (0.3, 0.05))
    (one,) = compared(busy, benches(a=1), 1.5, whole=True)
    assert one.verdict == "slower, but disturbed"
    (one,) = compared(busy.better(calm), benches(a=1), 1.5, whole=True)
    assert one.verdict == "regression"  # seen twice, once undisturbed


def test_slower_ones_come_first():
    shown = table(compared(benches(a=1, b=9), benches(a=1, b=1, c=1), 1.5, whole=True))
    assert [line.split()[0] for line in shown.splitlines()[1:]] == [
        "regression",
        "vanished",
        "within",
    ]


def test_the_file_keeps_the_others_of_a_partial_run(tmp_path):
    path = tmp_path / "b.json"
    benches(a=1.23456, b=2).save(path)
    assert Benches.read(path).ratios == {"a": 1.235, "b": 2.0}
    benches(b=3).save(path, into=Benches.read(path))
    assert Benches.read(path).ratios == {"a": 1.235, "b": 3.0}
    assert json.loads(path.read_text("utf-8"))["machine"] == MACHINE


@pytest.mark.parametrize("text", ["{", "{}", "[]", '{"machine": {}, "ratios": {"a": "x"}}'])
def test_a_damaged_file_is_told(tmp_path, text):
    (tmp_path / "b.json").write_text(text, "utf-8")
    with pytest.raises(RunError, match="bench --save"):
        Benches.read(tmp_path / "b.json")


def test_another_machine_has_a_wider_limit():
    assert benches().limit(benches()) == 1.5
    assert benches().limit(Benches({**MACHINE, "Python": "3.13"}, {})) == 2.5


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """Stand in for the benchmarks: give what the next runs measure, and see what was asked."""
    planned, asked = [], []

    def run(root, chosen, tests=()):
        asked.append([*chosen, *tests])
        found = planned.pop(0)
        return (found, False) if isinstance(found, Benches) else (Benches(MACHINE, {}), found)

    monkeypatch.setattr(benching, "measured", run)
    monkeypatch.setattr(benching, "checkout", lambda: tmp_path)
    return planned, asked


def bench(path, *options):
    return main(["bench", "--against", str(path), *options])


def test_exit_codes(runs, tmp_path, capsys):
    planned, asked = runs
    path = tmp_path / "b.json"
    assert bench(path) == 4
    assert "memlab bench --save" in capsys.readouterr().err
    planned[:] = [benches(a=9, b=1), benches(a=1, b=2)]
    assert bench(path, "--save") == 0
    assert Benches.read(path).ratios == {"a": 1, "b": 1}  # the better of two runs
    planned[:] = [benches(a=1.1, b=1), benches(a=4, b=1), benches(a=1.2)]
    assert bench(path) == 0
    assert bench(path) == 0  # a slowdown must be seen twice
    planned[:] = [benches(a=4, b=1), benches(a=3)]
    capsys.readouterr()
    assert bench(path, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    slow = next(one for one in found["benchmarks"] if one["name"] == "a")
    assert slow == {"name": "a", "verdict": "regression", "baseline": 1.0, "run": 3, "change": 3.0}
    assert asked[0] == ["-k", "not 100000"]
    assert asked[-1] == ["tests/benchmarks/a"]
    planned[:] = [True, benches(), benches(a=1)]
    assert bench(path) == 1  # a benchmark failed
    assert bench(path) == 3  # nothing was measured
    assert bench(path) == 1  # b vanished
    assert "vanished" in capsys.readouterr().out
    planned[:] = [benches(a=1), benches(a=1.4), benches(a=1.4)]
    assert bench(path, "a") == 0  # some were asked for, so b is not missed
    assert bench(path, "a", "--latency-ratio", "1.3") == 1
    assert bench(path, "--latency-ratio", "0.5") == 2


def test_a_number_that_is_not_there_is_null(runs, tmp_path, capsys):
    planned, _ = runs
    planned[:] = [benches(a=1), benches(a=1), benches(a=1, new=2)]
    assert bench(tmp_path / "b.json", "--save") == 0
    assert "had the processor" not in capsys.readouterr().err
    assert bench(tmp_path / "b.json", "--json") == 0
    (new,) = [x for x in json.loads(capsys.readouterr().out)["benchmarks"] if x["name"] == "new"]
    assert (new["baseline"], new["change"], math.isnan(new["run"])) == (None, None, False)


def test_a_disturbed_baseline_is_told(runs, tmp_path, capsys):
    planned, _ = runs
    planned[:] = [Benches(MACHINE, {"a": 1.0}, {"a": 0.5})] * 2
    assert bench(tmp_path / "b.json", "--save") == 0
    assert "during 1 of them; better save again" in capsys.readouterr().err


def test_the_longest_streams_must_be_named():
    assert selection(None) == "not 100000"  # and so not 1000000 either
    assert selection("read") == "(read) and not 1000000"
    assert selection("stream and 1000000") == "stream and 1000000"


def test_a_real_benchmark(tmp_path, capfd):
    path = tmp_path / "b.json"
    assert bench(path, "timing_alone", "--save") == 0
    assert list(Benches.read(path).ratios) == ["test_harness_bench.py::test_timing_alone"]
    assert "1 benchmarks saved" in capfd.readouterr().err


@pytest.mark.parametrize(("ended", "code"), [(5, 2), (4, 2), (1, 1)])
def test_when_pytest_measures_nothing(monkeypatch, tmp_path, capsys, ended, code):
    benches(a=1).save(tmp_path / "b.json")
    done = subprocess.CompletedProcess([], ended)
    monkeypatch.setattr(benching.subprocess, "run", lambda *a, **k: done)
    assert bench(tmp_path / "b.json", "no_such_benchmark") == code
    assert ("--collect-only" in capsys.readouterr().err) == (code == 2)


def test_elsewhere_it_says_what_it_needs(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(benching, "__file__", str(tmp_path / "a" / "b" / "c.py"))
    assert main(["bench"]) == 2
    assert "a checkout of its repository" in capsys.readouterr().err


def test_without_its_extra_the_clone_is_named_first(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["bench"]) == 2
    told = 'run in a clone: pip install -e ".[dev]" (else: pip install "memlab[dev]")\n'
    assert capsys.readouterr().err.endswith(told)
