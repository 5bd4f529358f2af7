"""The files behind a strategy decide its hash: all that it imports, none that it does not."""

import importlib
import subprocess
import sys

import pytest

from memlab.fingerprint import fingerprint

FILES = {
    "kit/__init__.py": "",
    "kit/consts.py": "import re\nWORDS = frozenset({'the', 'a'})\nPAT = re.compile('a+')\n",
    "kit/deep.py": "from . import deeper\n",
    "kit/deeper.py": "N = 1\n",
    "kit/late.py": "N = 1\n",
    "kit/named.py": "N = 1\n",
    "kit/unused.py": "N = 1\n",
    "kit/sub/part/far.py": "from ...up import N\n",
    "kit/up.py": "N = 1\n",
    "tool.py": "LIMIT = 1\ndef clean(t):\n    return t.strip()\n",
    "kit/memory.py": """
import importlib

import numpy as np
import tool
from memlab.history import TurnMemory
from memlab.naming import strategy

from .consts import PAT, WORDS
from kit import deep
from kit.sub.part import far

MEMO = {}
CALLS = 0
LOADED = None
LIMIT = 3


def remember(text):
    global CALLS, LOADED
    CALLS += 1
    LOADED = LOADED or {text}
    return MEMO.setdefault(text, len(text))


def cached(function):
    kept = {}

    def inner(text):
        if text not in kept:
            kept[text] = function(text)
        return kept[text]

    return inner


@cached
def size(text):
    return len(text)


@strategy
class Mine(TurnMemory):
    turns: int = 3
    seen = {}

    def write(self, turn):
        self.seen[turn] = remember(turn) + size(turn) + CALLS + LIMIT + tool.LIMIT
        return [w for w in tool.clean(turn).split() if w in WORDS or PAT.match(w) or LOADED]

    def read(self, query, budget):
        from kit.late import N

        return [N, importlib.import_module("kit.named").N, np.zeros(1)]
""",
}
NAMES = ("kit", "tool")


def forget():
    for name in [n for n in sys.modules if n.partition(".")[0] in NAMES]:
        del sys.modules[name]
    importlib.invalidate_caches()


def write(folder, **changed):
    for name, text in {**FILES, **changed}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def loaded():
    forget()
    return importlib.import_module("kit.memory").Mine()


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    write(tmp_path)
    yield tmp_path
    forget()


def edited(folder, name, old, new):
    text = FILES[name]
    assert old in text
    (folder / name).write_text(text.replace(old, new), "utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("kit/memory.py", "turns: int = 3", "turns: int = 4"),
        ("kit/memory.py", "MEMO = {}", "MEMO = {'a': 2}"),
        ("kit/consts.py", "'the'", "'of'"),
        ("kit/consts.py", "a+", "b+"),
        ("kit/__init__.py", "", "import os"),
        ("kit/deep.py", "from . import deeper", "from .deeper import N"),
        ("kit/deeper.py", "1", "2"),
        ("kit/late.py", "1", "2"),
        ("kit/up.py", "1", "2"),
        ("kit/named.py", "1", "2"),
        ("tool.py", "strip", "lower"),
    ],
)
def test_a_file_that_is_imported_counts(project, name, old, new):
    before = fingerprint([loaded()])
    assert fingerprint([loaded()]) == before
    edited(project, name, old, new)
    assert fingerprint([loaded()]) != before


def test_nothing_is_imported_to_find_the_files(project):
    fingerprint([loaded()])
    assert not {"kit.late", "kit.named"} & set(sys.modules)


def test_a_file_that_is_not_imported_does_not_count(project):
    before = fingerprint([loaded()])
    edited(project, "kit/unused.py", "1", "2")
    assert fingerprint([loaded()]) == before


def test_what_fills_during_a_run_does_not_count(project):
    memory = loaded()
    before = fingerprint([memory])
    memory.write("some text")
    module = sys.modules["kit.memory"]
    assert (module.CALLS, module.MEMO, module.Mine.seen) == (1, {"some text": 9}, {"some text": 23})
    assert fingerprint([memory]) == before


def test_where_the_project_lies_does_not_count(project, tmp_path_factory, monkeypatch):
    before = fingerprint([loaded()])
    other = tmp_path_factory.mktemp("elsewhere")
    write(other)
    monkeypatch.setattr(sys, "path", [str(other), *(p for p in sys.path if p != str(project))])
    assert fingerprint([loaded()]) == before
    assert sys.modules["kit.memory"].__file__.startswith(str(other))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("kit/memory.py", "len(text)", "2 * len(text)"),
        ("kit/memory.py", "LIMIT = 3", "LIMIT = 4"),
        ("tool.py", "strip", "lower"),
        ("tool.py", "LIMIT = 1", "LIMIT = 2"),
        ("kit/memory.py", "MEMO = {}", "MEMO = {'a': 1}"),
        ("kit/deeper.py", "N = 1", "N = 2"),
    ],
)
@pytest.mark.parametrize("met", [True, False])
def test_a_file_edited_but_not_loaded_again_is_neither_version(project, name, old, new, met):
    before = fingerprint([loaded()])
    memory = loaded()
    if met:
        assert fingerprint([memory]) == before
    edited(project, name, old, new)
    between = fingerprint([memory])
    after = fingerprint([loaded()])
    assert len({before, between, after}) == 3


def test_what_is_changed_from_outside_counts(project):
    memory = loaded()
    before = fingerprint([memory])
    sys.modules["tool"].LIMIT = 5
    changed = fingerprint([memory])
    sys.modules["tool"].LIMIT = 1
    assert changed != before == fingerprint([memory])


INSTALLED = {
    "kit/__init__.py": "",
    "kit/memory.py": """
from kit.helper import clean
from memlab.history import TurnMemory
from memlab.naming import strategy

@strategy
class Mine(TurnMemory):
    def write(self, turn):
        return clean(turn)

    def read(self, query, budget):
        return []
""",
    "kit/helper.py": "from kit import other\n\ndef clean(t):\n    return t\n",
    "kit/other.py": "N = 1\n",
    "kit-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: kit\nVersion: 1.0\n",
}


def test_an_installed_package_counts_by_the_file_that_holds_it_and_its_version(
    tmp_path, monkeypatch
):
    site = tmp_path / "site-packages"
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name, text in INSTALLED.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)

    def told():
        memory = loaded()
        try:
            return fingerprint([memory])
        finally:
            forget()

    first = told()
    assert first == told()
    (site / "kit/other.py").write_text("N = 2\n")
    assert told() == first
    metadata = site / "kit-1.0.dist-info/METADATA"
    metadata.write_text(INSTALLED["kit-1.0.dist-info/METADATA"].replace("1.0", "1.1"))
    second = told()
    text = INSTALLED["kit/memory.py"]
    (site / "kit/memory.py").write_text(text.replace("return []", "return [1]"))
    assert len({first, second, told()}) == 3


SCRIPT = """
import sys
import memlab as ml
from memlab.fingerprint import fingerprint
from consts import WORDS

LIMIT = int(sys.argv[1])
MEMO = {}

def helper(text):
    return MEMO.setdefault(text, 1)

@ml.strategy
class Mine(ml.TurnMemory):
    def read(self, query, budget):
        return [helper("x")] * LIMIT + [w for w in WORDS]

before = fingerprint([Mine()])
Mine().read("x", 1)
assert MEMO and before == fingerprint([Mine()])
print(before)
"""


def test_a_script_counts_by_its_file_and_its_constants(tmp_path):
    def told(limit="1", script=SCRIPT, words="{'a', 'b', 'c'}", seed="0"):
        (tmp_path / "script.py").write_text(script)
        (tmp_path / "consts.py").write_text(f"WORDS = {words}\n")
        done = subprocess.run(
            [sys.executable, "-B", str(tmp_path / "script.py"), limit],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        )
        return done.stdout

    first = told()
    assert first == told() == told(seed="1")
    others = [
        told(limit="2"),
        told(words="{'a', 'b', 'd'}"),
        told(script=SCRIPT.replace("setdefault(text, 1)", "setdefault(text, 2)")),
    ]
    assert len({first, *others}) == 4
