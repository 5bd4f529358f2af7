"""Counters of strategies in the tables of a run."""

import math

import memlab as ml
from memlab.counters import counted, totals
from memlab.naming import strategy
from memlab.strategies import NoMemory, Window


@strategy
class Counting(NoMemory):
    """Counts its reads, and every second of them as a hit."""

    touch: bool = False

    def reset(self):
        super().reset()
        self.reads = 0

    def read(self, query, budget):
        self.reads += 1
        return []

    def stats(self):
        return {"reads": self.reads, "hits": self.reads // 2, "lost": 0, "odd": float("nan")}


def run(**labels):
    return ml.evaluate(labels, "quickstart", ["Recall()"], budget=[50, 100])


def test_counters_are_added_up_over_conversations():
    results = run(counting=Counting(), window=Window(turns=2))
    table = results.counters().set_index("counter")
    # 99 probes at two budgets, in 8 conversations; half of the reads of each are hits.
    assert table.loc["reads", "total"] == 198
    assert table.loc["reads", "per_conversation"] == 198 / 8
    assert (table.loc["hits", "total"], table.loc["hits", "share"]) == (99, 0.5)
    assert math.isnan(table.loc["lost", "share"])
    assert "odd" not in table.index
    assert table["strategy"].unique().tolist() == ["counting"]
    assert "counted by 'counting': hits 99 (50.0%), reads 198" in repr(results)
    assert "counted by 'window'" not in repr(results)


def test_memories_that_learn_on_read_count_for_each_budget():
    results = run(counting=Counting(touch=True))
    assert [(one.budget, one.total("reads")) for one in counted(results)] == [(50, 99), (100, 99)]
    assert totals(counted(results), "counting", 100)["reads"] == 99
    assert totals(counted(results), "nobody", 100) == {}
    assert "counted by 'counting' at 100: " in repr(results)


def test_a_run_without_counters_has_an_empty_table():
    results = run(window=Window(turns=2))
    assert results.counters().columns.tolist() == [
        "strategy",
        "budget",
        "counter",
        "total",
        "per_conversation",
        "share",
    ]
    assert results.counters().empty
