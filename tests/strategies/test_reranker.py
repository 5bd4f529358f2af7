"""Ranking hits again, before the budget cuts."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.naming import component, strategy
from memlab.parsing import parse
from memlab.plan import plan
from memlab.prepare import identities
from memlab.run import Booking, Run
from memlab.strategies import BM25, FullHistory, Reranker, Window
from memlab.types import Item, Query, Turn, utc

START = utc("2024-01-01T09:00")


def turn(number, text="tea", **more):
    more = {"user": "u", "speaker": "Ann", **more}
    return Turn(id=f"t{number}", text=text, time=START + timedelta(minutes=number), **more)


def ask(memory, text="tea", budget=None):
    return memory.read(Query(text, START + timedelta(days=1), "u"), budget)


def ids(items):
    return [item.sources[0] for item in items]


def fresh(memory, *turns):
    memory.reset()
    memory.attach(Run())
    for one in turns:
        memory.write(one)
    return memory


@component
class Longest:
    """Scores a text by its length."""

    def score(self, query, texts):
        return np.array([float(len(text)) for text in texts])


@component
class Given:
    """Scores the texts in the order given, whatever they are."""

    scores: tuple[float, ...] = ()

    def score(self, query, texts):
        return np.array(self.scores)


SEEN = []


@component
class Reads:
    """A model that reads four tokens of each text."""

    def identity(self):
        return {"model": "reads", "revision": "7"}

    def score(self, query, texts):
        SEEN.append(tuple(texts))
        return np.zeros(len(texts))

    def tokens(self, query, texts):
        return [(4, len(text) > 30) for text in texts]


@strategy
class Facts(BM25):
    """Returns facts, of which one has no source."""

    def read(self, query, budget):
        facts = [Item("Ann likes tea.", ("t0", "t1"), "fact"), Item("Tea is hot.", (), "fact")]
        return [] if budget == 0 else facts


def test_hits_are_ranked_again_before_the_budget_cut():
    turns = [turn(n, text) for n, text in enumerate(["the longest of them all", "a b c", "tea"])]
    memory = fresh(Reranker(inner=Window(turns=9), scorer=Longest(), keep=0.0), *turns)
    assert ids(ask(memory)) == ["t0", "t1", "t2"]
    small = memory.run.count("the longest of them all")
    assert ids(ask(memory, budget=small)) == ["t0"]
    assert ids(ask(memory.inner, budget=small)) == ["t2", "t1"]


def test_both_scores_are_brought_to_one_scale():
    # BM25: t0 "tea" is best, t1 "tea x" second, t2 "tea x x x" last. With k1 = 1.5, b = 0.75 and
    # "1 january 2024 ann" before each, lengths 5, 6, 8, average 19/3: tf part 1 / (1 + .375 +
    # 1.125 · L / 6.333) = .4416, .4096, .3581, so first = 1, .617, 0. Second: 0, 1, .5.
    turns = [turn(n, "tea" + " x" * k) for n, k in enumerate((0, 1, 3))]
    memory = fresh(Reranker(scorer=Given(scores=(10.0, 30.0, 20.0)), keep=0.25), *turns)
    part = [1 / (1.375 + 1.125 * length * 3 / 19) for length in (5, 6, 8)]
    middle = (part[1] - part[2]) / (part[0] - part[2])
    items = ask(memory)
    assert ids(items) == ["t1", "t2", "t0"]
    expected = [0.25 * middle + 0.75, 0.75 * 0.5, 0.25]
    assert [item.score for item in items] == pytest.approx(expected, abs=2e-6)


def test_ranks_count_where_the_memory_inside_gives_no_scores():
    # A window scores everything 0: first = 1, .75, .5, .25, brought to 1, 2/3, 1/3, 0.
    scorer = Given(scores=(0.0, 0.0, 1.0, 0.0))
    memory = fresh(Reranker(inner=Window(), scorer=scorer), *map(turn, range(4)))
    items = ask(memory)
    assert ids(items) == ["t1", "t3", "t2", "t0"]
    assert [item.score for item in items] == pytest.approx([2 / 3, 0.5, 1 / 3, 0.0], abs=1e-6)


def test_what_is_below_the_depth_keeps_its_order_behind():
    turns = [turn(number, "x" * (4 - number)) for number in range(4)]
    memory = fresh(Reranker(inner=Window(), scorer=Longest(), depth=2, keep=0.0), *turns)
    # The window has t3, t2, t1, t0; of the first two the longer is t2.
    items = ask(memory)
    assert ids(items) == ["t2", "t3", "t1", "t0"]
    assert [item.score for item in items] == [1.0, 0.0, -1.0, -2.0]


@given(st.integers(0, 2000), st.integers(0, 2000), st.sampled_from([1, 3, 50, 300]))
def test_a_larger_budget_never_returns_less(one, other, depth):
    turns = [turn(n, f"tea {'x ' * (n * 7 % 5)}") for n in range(150)]
    memory = fresh(Reranker(scorer=Longest(), depth=depth), *turns)
    less, more = (ask(memory, budget=b) for b in sorted((one, other)))
    assert more[: len(less)] == less
    assert memory.tokens_in(less) <= min(one, other)


def test_it_returns_as_much_as_the_memory_inside():
    turns = [turn(n) for n in range(150)]
    memory = fresh(Reranker(inner=FullHistory(), scorer=Longest()), *turns)
    assert len(ask(memory)) == 100
    assert len(ask(memory, budget=10_000)) == 150
    assert len({item.sources for item in ask(memory, budget=10_000)}) == 150
    budget = 120 * memory.run.count("tea")
    assert len(ask(memory, budget=budget)) == 120


def test_keeping_the_first_score_alone_changes_nothing():
    turns = [turn(n, f"tea {'x ' * n}") for n in range(60)]
    memory = fresh(Reranker(scorer=Longest(), keep=1.0), *turns)
    for budget in (20, 200, None):
        assert ids(ask(memory, budget=budget)) == ids(ask(memory.inner, budget=budget))


@pytest.mark.parametrize("form", ["text", "dated"])
def test_the_scorer_sees_who_said_it_and_when(form, tmp_path):
    memory = fresh(Reranker(scorer=Reads(), form=form), turn(0, "tea"), turn(1, "茶 tea"))
    dated = [("1 January 2024 Ann: tea"), ("2024年1月1日 Ann: 茶 tea")]
    wanted = {"text": ["tea", "茶 tea"], "dated": dated}[form]
    again = fresh(Reranker(scorer=Reads(), form=form))
    memory.save(tmp_path)
    again.load(tmp_path)
    assert "茶" not in (tmp_path / "headers.jsonl").read_text("utf-8")
    for one in (memory, again):
        SEEN.clear()
        ask(one)
        assert sorted(SEEN[0]) == sorted(wanted)


def test_a_call_and_its_result_are_one_hit():
    call = turn(0, "tea?", meta={"call": "c"}, role="assistant")
    result = turn(1, "tea is 3 euros", role="tool", meta={"call": "c"})
    memory = fresh(Reranker(scorer=Reads(), form="text"), call, result, turn(2, "tea and more tea"))
    SEEN.clear()
    assert ids(ask(memory))[:3] in (["t0", "t1", "t2"], ["t2", "t0", "t1"])
    assert set(SEEN[0]) == {"tea?\ntea is 3 euros", "tea and more tea"}
    memory.forget(["t2"], "u")
    size = memory.run.count("tea?") + memory.run.count("tea is 3 euros")
    assert ids(ask(memory, budget=size)) == ["t0", "t1"]
    assert ask(memory, budget=size - 1) == []


def test_derived_items_are_scored_by_their_words():
    memory = fresh(Reranker(inner=Facts(), scorer=Longest(), keep=0.0), turn(0), turn(1))
    assert [item.text for item in ask(memory)] == ["Ann likes tea.", "Tea is hot."]
    assert replace(ask(memory)[0], score=0.0) == Item("Ann likes tea.", ("t0", "t1"), "fact")


def test_what_a_model_reads_is_booked_once_for_each_read():
    memory = fresh(Reranker(scorer=Reads()), turn(0, "tea"), turn(1, "tea " * 20))
    SEEN.clear()
    for count, budget in enumerate((10, None), 1):
        ask(memory, budget=budget)
        booked = memory.run.booked
        assert (booked.texts, booked.tokens, booked.truncated) == (2 * count, 8 * count, count)
    assert len(SEEN) == 1  # asked again for the same texts, it need not read them again
    ask(memory, "hot tea")
    assert len(SEEN) == 2
    features = fresh(Reranker(), turn(0))
    ask(features)
    assert features.run.booked == Booking()


def test_the_model_is_part_of_what_names_a_run():
    spec = plan({"r": Reranker(scorer=Reads()), "f": Reranker()}, "quickstart", ["MRR()"])
    assert list(identities(spec).values()) == [{"model": "reads", "revision": "7"}]


def test_explain_shows_both_scores():
    memory = fresh(Reranker(scorer=Longest()), turn(0, "tea x x"), turn(1, "tea"))
    table = memory.explain(Query("tea", START, "u"))
    assert list(table.columns) == ["turn", "score", "first", "second", "rank before"]
    assert table["score"].tolist() == [0.5, 0.5]
    assert set(zip(table["turn"], table["rank before"], strict=True)) == {("t1", 1), ("t0", 2)}
    assert fresh(Reranker()).explain(Query("tea", START, "u")).empty


@pytest.mark.parametrize("scores", [(np.nan,), (np.inf,), (1.0, 2.0), ()])
def test_scores_that_cannot_be_used_are_an_error(scores):
    memory = fresh(Reranker(scorer=Given(scores=scores)), turn(0))
    with pytest.raises(ContractError, match="expected 1 finite scores"):
        ask(memory)


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ("Reranker(depth=0)", "depth=0"),
        ("Reranker(keep=2)", "keep=2"),
        ("Reranker(form='verse')", "unknown text form 'verse'"),
        ("Reranker(scorer=1)", r"scorer=1; expected an object with score\(\)"),
    ],
)
def test_faults_are_told(memory, message):
    with pytest.raises(ConfigError, match=message):
        parse(memory).reset()
