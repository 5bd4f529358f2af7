"""The regression set, its committed baseline and its workflow are in step, and large enough."""

import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from memlab.cli import _parser, main
from memlab.gate.files import load
from memlab.naming import spell
from memlab.parsing import parse
from memlab.registry import STRATEGIES
from memlab.scoring import as_metric, definition

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "experiments" / "regression.toml"
BASE = ROOT / "results" / "baseline"
WORKFLOW = (ROOT / ".github" / "workflows" / "regression.yml").read_text("utf-8")


@pytest.fixture(scope="module")
def config():
    return tomllib.loads(CONFIG.read_text("utf-8"))


@pytest.fixture(scope="module")
def baseline():
    return load(BASE)


def test_the_baseline_is_that_of_the_file(config, baseline):
    assert list(baseline.metrics) == config["metrics"]
    assert list(baseline.groups) == [(label, config["budget"]) for label in config["strategies"]]
    spelt = {label: spell(parse(text)) for label, text in config["strategies"].items()}
    assert baseline.about["strategies"] == spelt
    given = [{key: str(value) for key, value in table.items()} for table in config["dataset"]]
    assert baseline.about["dataset"]["options"]["datasets"] == given
    assert baseline.about["jobs"] == 1


def test_the_definitions_are_those_of_today(baseline):
    today = {metric: definition(as_metric(metric)) for metric in baseline.metrics}
    assert baseline.about["definitions"] == today, "make a new baseline, see the file's head"


def test_it_is_large_enough(baseline):
    scored = next(v for column, v in baseline.values.items() if column.metric == "Recall(k=10)")
    talks = {probe.conversation for probe in baseline.probes}
    assert (scored == scored).sum() >= 6_000
    assert len(talks) >= 60
    assert {talk.partition("/")[0] for talk in talks} == {"synthetic-en", "synthetic-zh"}
    assert not baseline.failed
    assert not baseline.broken
    assert len(baseline.times) == len(talks) * len(baseline.groups)


def test_it_needs_no_model(config):
    for text in config["strategies"].values():
        names = set(re.findall(r"(\w+)\(", text))
        assert names <= set(STRATEGIES) | {"Hashing"}, text


def test_it_is_small():
    sizes = {path.name: path.stat().st_size for path in BASE.iterdir()}
    assert set(sizes) == {"values.tsv", "times.tsv", "manifest.json"}
    assert sum(sizes.values()) < 3_000_000


def test_the_commands_of_the_workflow_are_known():
    lines = [line.strip().removeprefix("- run: ") for line in WORKFLOW.splitlines()]
    told = [re.search(r"(?:python -m )?memlab (run|check) [^|)]*", line) for line in lines]
    commands = [found[0].removeprefix("python -m ") for found in told if found]
    assert len(commands) == 4
    for command in commands:
        options = _parser().parse_args(shlex.split(command)[1:])
        assert callable(options.call)
        if command.startswith("memlab run"):
            assert ROOT / options.config == CONFIG
    assert any("--against results/baseline --junit" in command for command in commands)


@pytest.mark.skipif(not os.environ.get("MEMLAB_FULL"), reason="two minutes: MEMLAB_FULL=1 asks")
def test_an_unchanged_run_passes(tmp_path):
    assert main(["run", str(CONFIG), "--out", str(tmp_path)]) == 0
    (run,) = tmp_path.iterdir()
    assert main(["check", str(run), "--against", str(BASE), "--latency-ratio", "5"]) == 0
