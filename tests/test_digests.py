"""Whatever can change a record changes the hash; an old run is never taken for a new one."""

import importlib
import sys

import pytest

import memlab as ml
from memlab.digests import slug
from memlab.fingerprint import content
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.types import Conversation, Dataset, Probe, Turn, utc

NOW = utc("2024-01-01")
TURNS = [Turn(id=f"t{i}", text=f"turn {i}", time=NOW, user="c") for i in range(8)]
DATA = Dataset(
    "toy",
    (Conversation("c", (*TURNS, Probe(id="p", text="?", time=NOW, user="c", evidence=("t3",)))),),
)

HELPER = "EXTRA = {extra}\n"
BASE = """
import helper
from memlab.history import TurnMemory


class Base(TurnMemory):
    limit = {limit}

    def shown(self):
        return self.limit + helper.EXTRA
"""
MEMORY = """
from base_memory import Base
from memlab.naming import strategy


@strategy
class Mine(Base):
    def read(self, query, budget):
        rows = list(self.history.newest(query.user))[: self.shown()]
        return self.history.pack(((row, 0.0) for row in rows), budget)
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(limit=1, extra=0):
        (tmp_path / "helper.py").write_text(HELPER.format(extra=extra))
        (tmp_path / "base_memory.py").write_text(BASE.format(limit=limit))
        (tmp_path / "my_memory.py").write_text(MEMORY)
        for name in ("helper", "base_memory", "my_memory"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()

    yield write
    for name in ("helper", "base_memory", "my_memory"):
        sys.modules.pop(name, None)


def run(memory, out):
    results = ml.evaluate({"m": memory}, DATA, ["Recall()"], out=out)
    return results.path.name, len(results.records[0].ranked)


def test_a_changed_file_base_class_or_helper_is_another_run(project, tmp_path):
    seen = []
    for settings in ({}, {"limit": 2}, {"limit": 2, "extra": 3}, {}):
        project(**settings)
        seen.append(run("my_memory:Mine()", tmp_path / "out"))
    assert [shown for _, shown in seen] == [1, 2, 5, 1]
    assert len({name for name, _ in seen}) == 3
    assert seen[0] == seen[3]


def made(limit):
    @strategy
    class Local(TurnMemory):
        def read(self, query, budget):
            rows = list(self.history.newest(query.user))[:limit]
            return self.history.pack(((row, 0.0) for row in rows), budget)

    return Local()


def test_closures_are_told_apart(tmp_path):
    assert [run(made(n), tmp_path)[1] for n in (1, 4, 1)] == [1, 4, 1]
    assert content(made(1)) == content(made(1)) != content(made(2))


class Plain:
    """A duck-typed memory with a parameter and no repr."""

    def __init__(self, limit):
        self.limit = limit
        self.turns = []

    def reset(self):
        self.turns = []

    def write(self, turn):
        self.turns.append(turn)

    def read(self, query, budget):
        return [ml.Item.of(t) for t in self.turns[: self.limit] if t.user == query.user]


def test_plain_objects_are_told_apart_by_their_attributes(tmp_path):
    assert [run(Plain(n), tmp_path)[1] for n in (1, 5)] == [1, 5]


class Client:
    """A live object that is no component."""

    def __init__(self, n):
        self.n = n


@strategy
class Holds(TurnMemory):
    client: object = None

    def read(self, query, budget):
        rows = list(self.history.newest(query.user))[: self.client.n]
        return self.history.pack(((row, 0.0) for row in rows), budget)


def test_live_objects_as_parameters_are_told_apart(tmp_path):
    assert [run(Holds(client=Client(n)), tmp_path)[1] for n in (1, 5)] == [1, 5]


NOTEBOOK = """
import sys
import memlab as ml
from memlab.types import *
sys.path.insert(0, {tests!r})
from test_digests import DATA

LIMIT = {constant}

def shown():
    return {helper}

@ml.strategy
class Cell(ml.TurnMemory):
    def read(self, query, budget):
        rows = list(self.history.newest(query.user))[: {body} + shown() + LIMIT]
        return self.history.pack(((row, 0.0) for row in rows), budget)

results = ml.evaluate({{"m": Cell()}}, DATA, ["Recall()"], out=sys.argv[1])
print(results.path.name, len(results.records[0].ranked))
"""


def test_a_class_without_a_file_is_hashed_by_its_code(tmp_path):
    import subprocess
    from pathlib import Path

    seen = []
    for body, helper, constant in ((1, 0, 0), (2, 0, 0), (1, 2, 0), (1, 0, 4), (1, 0, 0)):
        code = NOTEBOOK.format(
            tests=str(Path(__file__).parent), body=body, helper=helper, constant=constant
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
        )
        name, shown = done.stdout.split()
        seen.append((name, int(shown)))
    assert [shown for _, shown in seen] == [1, 2, 3, 5, 1]
    assert len({name for name, _ in seen}) == 4
    assert seen[0] == seen[-1]


def test_the_order_of_strategies_is_part_of_the_run(tmp_path):
    strategies = {"a": "Window()", "b": "NoMemory()"}
    first = ml.evaluate(strategies, DATA, [], out=tmp_path)
    second = ml.evaluate(dict(reversed(strategies.items())), DATA, [], out=tmp_path)
    labels = [[label for label, _ in results.groups] for results in (first, second)]
    assert labels == [["a", "b"], ["b", "a"]]


def test_names_of_folders():
    assert slug("实验 1") != slug("实验 2")
