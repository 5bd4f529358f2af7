"""What goes into a budget: stop, skip, the best set, the most different."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.history import TurnMemory
from memlab.naming import component, strategy
from memlab.parsing import parse
from memlab.protocols import Encoded, chooses
from memlab.run import Run
from memlab.runner import evaluate
from memlab.spec import load
from memlab.strategies import BM25, BudgetSelector, FullHistory, Reranker
from memlab.strategies.budget_selector import knapsack
from memlab.types import Query, Turn, utc

NOW = utc("2024-05-08")


class Characters:
    """A token a character, so that lengths are those of the texts."""

    name = "characters"

    def count(self, text):
        return len(text)

    def truncate(self, text, tokens):
        return text[:tokens]


@strategy
class Scored(TurnMemory):
    """Returns turns in the order written, with these scores."""

    scored: tuple[float, ...] = ()

    def read(self, query, budget):
        rows = self.history.rows(query.user)
        scores = self.scored or (0.0,) * len(rows)
        return self.history.pack(zip(rows, scores, strict=False), budget)


def filled(memory, *texts, **more):
    memory.reset()
    memory.attach(Run(Characters()))
    for number, text in enumerate(texts):
        memory.write(Turn(id=f"t{number}", text=text, time=NOW, user="u", **more))
    return memory


def ask(memory, budget, text="?"):
    return [item.sources[0] for item in memory.read(Query(text, NOW, "u"), budget)]


def lengths(fill, budget, *sizes, scored=()):
    texts = [f"{number}" * size for number, size in enumerate(sizes)]
    return ask(filled(BudgetSelector(inner=Scored(scored=scored), fill=fill), *texts), budget)


def test_what_does_not_fit_is_passed_over():
    assert lengths("stop", 4000, 3900, 200, 50) == ["t0"]
    assert lengths("skip", 4000, 3900, 200, 50) == ["t0", "t2"]
    assert lengths("skip", 49, 3900, 200, 50) == []


def test_a_knapsack_takes_the_best_set_in_the_order_of_its_scores():
    # Of 6 tokens: the first alone is worth 3, the two others 2 + 2.
    scored = (3.0, 2.0, 2.0)
    assert lengths("knapsack", 6, 5, 3, 3, scored=scored) == ["t1", "t2"]
    assert lengths("skip", 6, 5, 3, 3, scored=scored) == ["t0"]
    # By rank, where all scores are 0: 3/3 against 2/3 + 1/3, and equal sets begin with the best.
    assert lengths("knapsack", 6, 6, 3, 3) == ["t0"]
    assert lengths("knapsack", 6, 6, 3, 3, scored=(0.9, -0.1, -0.2)) == ["t0"]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=9), st.integers(0, 30))
def test_no_set_is_worth_more_than_the_knapsack(pairs, limit):
    values, sizes = [float(value) for value, _ in pairs], [size for _, size in pairs]
    chosen = knapsack(values, sizes, limit)
    assert chosen == sorted(set(chosen))
    assert sum(sizes[n] for n in chosen) <= limit
    numbers = range(len(pairs))
    sets = (some for many in range(len(pairs) + 1) for some in combinations(numbers, many))
    best = max(sum(values[n] for n in s) for s in sets if sum(sizes[n] for n in s) <= limit)
    assert sum(values[n] for n in chosen) == best


def test_a_knapsack_of_many_tokens_keeps_its_limit():
    sizes = [70_001, 50_000, 49_999, 20_000]
    values = [3.0, 2.0, 2.0, 1.0]
    # In steps of 3 they take 23,334, 16,667, 16,667 and 6,667. 0 and 1 are 120,001 tokens and
    # 40,001 steps: they need 40,003, and at 40,000 steps 0 and 3 are the best that is seen.
    assert knapsack(values, sizes, 120_009) == [0, 1]
    assert knapsack(values, sizes, 120_002) == [0, 3]
    with pytest.raises(ContractError, match=r"values -1"):
        knapsack([-1.0], [1], 1)


def test_the_most_different_come_first():
    texts = ["green tea in may", "green tea in may too", "rain over oslo"]
    # With 1, .9, .5 of the score and half of it for likeness: first 0; then .45 - 3/4 / 2 (of the
    # terms green, tea, may, too three are shared) = .075 against .25.
    memory = BudgetSelector(inner=Scored(scored=(1.0, 0.9, 0.5)), fill="mmr")
    assert ask(filled(memory, *texts), None) == ["t0", "t2", "t1"]
    assert ask(filled(memory, *texts), 36) == ["t0", "t2"]
    by_score = BudgetSelector(inner=Scored(scored=(1.0, 0.9, 0.5)), fill="mmr", trade=1.0)
    assert ask(filled(by_score, *texts), 36) == ["t0", "t1"]


@component
class ByLetter:
    """Embeds a text by its first letter: a or not."""

    precompute = False

    def identity(self):
        return {"name": "by letter"}

    def encode(self, texts, role):
        rows = [[1.0, 0.0] if text.startswith("a") else [0.0, 1.0] for text in texts]
        return Encoded(np.array(rows, dtype=np.float32), (1,) * len(rows), (False,) * len(rows))


def test_likeness_by_vectors():
    memory = BudgetSelector(inner=Scored(scored=(3.0, 2.0, 1.0)), fill="mmr", embedder=ByLetter())
    assert ask(filled(memory, "a one", "a two", "b three"), None) == ["t0", "t2", "t1"]


def test_a_run_needs_no_embedder():
    strategies = {
        "words": BudgetSelector(fill="mmr"),
        "vectors": "BudgetSelector(embedder=Hashing())",
    }
    results = evaluate(strategies, load("quickstart").take(1), ["Recall()"], budget=100)
    assert [record.error for record in results.records if record.error] == []
    assert [name.partition("(")[0] for name in results.manifest["resolved"]["models"]] == [
        "Hashing"
    ]


def test_what_is_beyond_a_hundred_hits_comes_behind_them():
    memory = filled(BudgetSelector(inner=FullHistory(), fill="skip"), *["x"] * 150)
    assert len(ask(memory, None)) == 100
    assert len(ask(memory, 149)) == 149
    memory.read(Query("?", NOW, "u"), 60)
    assert memory.stats()["hits left out"] == 40


def test_a_call_and_its_result_are_chosen_together():
    memory = filled(BudgetSelector(inner=FullHistory(), fill="skip"), "tea")
    for number, role in enumerate(("assistant", "tool")):
        turn = Turn(id=f"c{number}", text="x" * 4, time=NOW, user="u", role=role, meta={"call": 1})
        memory.write(turn)
    assert ask(memory, 8) == ["c0", "c1"]
    assert ask(memory, 7) == ["t0"]


def test_it_says_that_it_chooses():
    assert not chooses(BudgetSelector(fill="stop"))
    assert not chooses(BM25())
    assert chooses(Reranker(inner=BudgetSelector()))
    assert repr(parse("BudgetSelector(fill='mmr', embedder=Hashing())")).endswith("Hashing())")


@pytest.mark.parametrize("fields", [{"fill": "all"}, {"trade": 2}, {"embedder": 1}, {"inner": 1}])
def test_wrong_fields_are_refused(fields):
    with pytest.raises(ConfigError):
        BudgetSelector(**fields).reset()
