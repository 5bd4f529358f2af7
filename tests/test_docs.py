"""The README says what is true: commands, keys, names, links."""

import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import memlab
from memlab.config import PARAMETERS
from memlab.contract import CHECKS
from memlab.parsing import parse
from memlab.registry import DATASETS, METRICS, MODELS, STRATEGIES
from memlab.runner import evaluate

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
EXPERIMENTS = sorted((ROOT / "experiments").glob("*.toml"))


def test_the_two_commands_are_those_of_ci():
    commands = re.findall(r"^pip install .*$", README, re.MULTILINE)
    assert len(commands) == 2
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert all(f"'{command}'" in script for command in commands)


def test_the_keys_of_a_file_are_the_parameters_of_evaluate():
    assert tuple(inspect.signature(evaluate).parameters) == PARAMETERS


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda p: p.stem)
def test_every_experiment_is_readable(path):
    config = tomllib.loads(path.read_text("utf-8"))
    assert set(config) <= set(PARAMETERS)
    chosen = config["strategies"].values()
    strategies = [
        one for each in chosen for one in (each.values() if isinstance(each, dict) else [each])
    ]
    for spelt in [*config["metrics"], *strategies]:
        assert repr(parse(spelt))


@pytest.mark.parametrize("name", sorted({**STRATEGIES, **METRICS, **MODELS, **DATASETS}))
def test_everything_registered_is_named(name):
    assert name in README


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "datasets/README.md"])
def test_links_lead_somewhere(document):
    path = ROOT / document
    for link in re.findall(r"\]\(([^)#:]+)\)", path.read_text("utf-8")):
        assert (path.parent / link).exists(), link


def test_public_names_exist_and_have_docstrings():
    for name in memlab.__all__:
        assert inspect.getdoc(getattr(memlab, name)), name
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        memlab.evalute  # noqa: B018
    assert set(memlab.__all__) <= set(dir(memlab))


def test_the_strategy_of_the_readme_runs_as_it_stands(tmp_path):
    (code,) = re.findall(r"```python\n(import memlab.*?)```", README, re.DOTALL)
    (tmp_path / "newest.py").write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, "newest.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("passed  ") == len(CHECKS) - 1
    assert re.search(r"^newest +0\.\d+ ±", done.stdout, re.MULTILINE)
