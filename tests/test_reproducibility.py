"""The same config gives the same records on any day, in any process, for any job count."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

CONFIG = """
name = "same"
budget = [60, "none"]
metrics = ["Recall(k=5)"]
[dataset]
name = "quickstart"
[strategies]
random = "Random()"
window = "Window(exchanges=3)"
bm25 = "BM25()"
vector = "Vector(embedder=Hashing())"
hybrid = "Hybrid(legs=(BM25(), Vector(embedder=MiniLM())), fusion='rrf')"
oracle = "Oracle()"
"""


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return records(tmp_path_factory.mktemp("expected"))


def records(path, *flags, before=(), **environment):
    (path / "same.toml").write_text(CONFIG)
    done = subprocess.run(
        [*before, sys.executable, "-m", "memlab", "run", "same.toml", "--out", "out", *flags],
        cwd=path, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (folder,) = (path / "out").iterdir()
    return (folder / "records.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("flags", "settings"),
    [
        ((), {"PYTHONHASHSEED": "0"}),
        ((), {"PYTHONHASHSEED": "4711"}),
        (("--jobs", "2"), {"PYTHONHASHSEED": "1"}),
        ((), {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "TZ": "America/Los_Angeles"}),
    ],
)
def test_records_are_byte_identical(tmp_path, expected, flags, settings):
    assert records(tmp_path, *flags, **settings) == expected


@pytest.mark.parametrize("date", ["1999-12-31 23:59:59", "2035-06-01 08:00:00"])
def test_records_do_not_depend_on_the_system_date(tmp_path, expected, date):
    if shutil.which("faketime") is None:
        pytest.skip("faketime, which gives a process another date, is not installed")
    assert records(tmp_path, before=("faketime", date)) == expected


FORBIDDEN = {
    "now", "utcnow", "today", "time", "time_ns", "seed", "rand", "randn", "shuffle", "choice",
    "hash",
}  # fmt: skip
ALLOWED = {("naming.py", "hash")}


def test_the_package_asks_no_clock_and_no_global_randomness():
    found = []
    for path in sorted((ROOT / "memlab").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            root, _, name = called.rpartition(".")
            module = root in (
                "time",
                "datetime",
                "datetime.datetime",
                "random",
                "np.random",
                "date",
            )
            bare = root == "" and name == "hash"
            if name in FORBIDDEN and (module or bare) and (path.name, name) not in ALLOWED:
                found.append(f"{path.name}:{node.lineno}: {called}")
    assert found == []
