"""The base of wrappers: abilities are passed on, and only those that are there."""

from datetime import timedelta

import pytest

from memlab.errors import ConfigError
from memlab.history import TurnMemory
from memlab.naming import providers, strategy
from memlab.parsing import parse
from memlab.run import Run
from memlab.runner import evaluate
from memlab.strategies import BM25, BatchWriter, CachedRetriever, Reranker, Vector, Window
from memlab.types import Conversation, Dataset, Forget, Item, Probe, Query, Turn, utc

START = utc("2024-01-01T09:00")
OPTIONAL = ("forget", "held", "save", "load")
NAMES = ("BatchWriter", "CachedRetriever", "Reranker", "ContextCompressor")


def turn(number, text="tea", **more):
    return Turn(id=f"t{number}", text=text, time=START + timedelta(minutes=number), **more)


@strategy
class Bare:
    """Three methods and nothing else."""

    def reset(self):
        self.turns = []

    def write(self, turn):
        self.turns.append(turn)

    def read(self, query, budget):
        return [] if budget == 0 else [Item.of(turn) for turn in self.turns[:1]]


@strategy
class Working(TurnMemory):
    """Notes what the run asks of it."""

    def reset(self):
        super().reset()
        self.called = []

    def read(self, query, budget):
        return []

    def attach(self, run):
        super().attach(run)
        self.called.append("attach")

    def maintain(self, now):
        self.called.append("maintain")

    def flush(self):
        self.called.append("flush")

    def stats(self):
        return {"inner": 1}


@pytest.mark.parametrize("name", NAMES)
def test_an_ability_is_there_if_the_memory_inside_has_it(name):
    full, bare = parse(f"{name}(inner=BM25())"), parse(f"{name}()")
    bare.inner = Bare()
    assert [m for m in OPTIONAL if not hasattr(full, m)] == []
    assert [m for m in OPTIONAL if hasattr(bare, m)] == []
    assert providers(bare, "forget") == []
    with pytest.raises(AttributeError, match=r"no attribute 'forget', because .*Bare\(\) has none"):
        bare.forget([], "")
    with pytest.raises(AttributeError, match=r"'_calls'; reset\(\) comes before"):
        list(full.together([Item("tea", ("t0",))]))


def test_scores_are_passed_on_by_those_that_keep_the_ranking():
    for name in ("BatchWriter", "CachedRetriever"):
        assert hasattr(parse(f"{name}(inner=BM25())"), "scores")
        assert not hasattr(parse(f"{name}(inner=Window())"), "scores")
    assert not hasattr(Reranker(), "scores")


@pytest.mark.parametrize("name", NAMES)
def test_what_the_run_asks_reaches_the_memory_inside_once(name):
    memory = parse(f"{name}()")
    memory.inner = Working()
    memory.reset()
    for part in providers(memory, "attach"):
        part.attach(Run())
    for part in providers(memory, "maintain"):
        part.maintain(START)
    for part in providers(memory, "flush"):
        part.flush()
    assert memory.inner.called == ["attach", "maintain", "flush"]
    assert memory.stats()["inner"] == 1


@pytest.mark.parametrize("name", NAMES)
def test_it_is_of_the_kind_of_the_memory_inside(name):
    assert parse(f"{name}(inner=Vector())").taxonomy == Vector.taxonomy
    assert parse(f"{name}(inner=Window())").taxonomy == Window.taxonomy


@pytest.mark.parametrize("name", NAMES)
def test_a_memory_of_three_methods_can_be_wrapped(name):
    memory = parse(f"{name}()")
    memory.inner = Bare()
    memory.reset()
    memory.write(turn(0))
    assert [i.sources for i in memory.read(Query("tea", START), None)] == [("t0",)]
    assert memory.read(Query("tea", START), 0) == []
    with pytest.raises(ConfigError, match=r"inner=3; expected an object with reset\(\)"):
        type(memory)(inner=3).reset()


@pytest.mark.parametrize("name", NAMES)
def test_a_deletion_that_goes_nowhere_is_counted(name):
    memory = parse(f"{name}()")
    memory.inner = Bare()
    events = (turn(0), Forget(turn_ids=("t0",), user="", time=START + timedelta(hours=1)))
    probe = Probe(id="p", text="tea", time=START + timedelta(hours=2), evidence=("t0",))
    data = Dataset("own", (Conversation("c", (*events, probe)),))
    made = evaluate({"wrapped": memory, "inner": Bare()}, data, ["Recall()"])
    ignored = {f["strategy"]: f.get("forget_ignored") for f in made.facts}
    assert ignored == {"wrapped": 1, "inner": 1}
    assert "error" not in {key for facts in made.facts for key in facts}


@pytest.mark.parametrize("name", NAMES)
def test_forgetting_what_was_never_said_is_no_fault(name):
    memory = parse(f"{name}()")
    memory.reset()
    memory.write(turn(0, "tea?", role="assistant", meta={"call": "c"}))
    memory.forget(["never"], "")
    memory.forget(["t0"], "somebody else")
    assert [i.sources for i in memory.read(Query("tea", START), None)] == [("t0",)]
    memory.forget(["t0"], "")
    assert memory.read(Query("tea", START), None) == []


def test_wrappers_stack():
    memory = CachedRetriever(inner=Reranker(inner=BatchWriter(inner=BM25(), size=4)))
    memory.reset()
    for number in range(6):
        memory.write(turn(number))
    assert len(memory.read(Query("tea", START), None)) == 6
    memory.forget(["t5"], "")
    assert len(memory.read(Query("tea", START), None)) == 5
    assert {"reads", "hits", "batches"} <= set(memory.stats())
