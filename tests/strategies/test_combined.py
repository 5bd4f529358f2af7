"""Several memories in one budget."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.run import Run
from memlab.strategies import BM25, Combined, ContextCompressor, Dedup, NoMemory, Window
from memlab.taxonomy import tags_of
from memlab.types import Item, Query, Turn, utc

START = utc("2024-05-08")


class Characters:
    name = "characters"

    def count(self, text):
        return len(text)

    def truncate(self, text, tokens):
        return text[:tokens]


@strategy
class Some(TurnMemory):
    """Returns the turns whose text begins with a letter, oldest first."""

    letter: str = "a"

    def read(self, query, budget):
        rows = [r for r in self.history.rows(query.user) if self.history[r].text[0] == self.letter]
        return self.history.pack(((row, 0.0) for row in rows), budget)


@strategy
class Fact(Some):
    """Returns one text that nobody said."""

    def read(self, query, budget):
        return [] if budget == 0 else [Item("tea!", ("t0",), "fact")]


def filled(memory, *texts):
    memory.reset()
    memory.attach(Run(Characters()))
    for number, text in enumerate(texts):
        memory.write(said(number, text))
    return memory


def said(number, text, **more):
    time = START + timedelta(minutes=number)
    return Turn(id=f"t{number}", text=text, time=time, user="u", **more)


def ask(memory, budget=None, text="tea"):
    items = memory.read(Query(text, START + timedelta(days=1), "u"), budget)
    return [item.text for item in items]


A = ["a1", "a2", "a3", "a4", "a5", "a6"]
B = ["b1", "b2", "b3", "b4", "b5", "b6"]


def two(shares):
    return Combined(members=(Some(letter="a"), Some(letter="b")), shares=shares)


def test_the_budget_is_shared():
    # Tokens over share, this item included: a 2/3, b 2/1; so a 2/3, 4/3, then both 2, a before b.
    memory = filled(two((3, 1)), *A, *B)
    assert ask(memory, 16) == ["a1", "a2", "a3", "b1", "a4", "a5", "a6", "b2"]
    assert ask(memory, 8) == ["a1", "a2", "a3", "b1"]
    assert ask(filled(two(None), *A, *B), 8) == ["a1", "b1", "a2", "b2"]


def test_what_a_member_leaves_goes_to_the_others():
    assert ask(filled(two((3, 1)), "a1", *B), 10) == ["a1", "b1", "b2", "b3", "b4"]
    assert ask(filled(two((3, 1)), *A), 10) == A[:5]


@given(
    st.lists(st.sampled_from(["a", "b", "aa", "bb", "bbbbb", "aaaaaaaa"]), max_size=14),
    st.tuples(st.floats(0.1, 9), st.floats(0.1, 9)),
    st.integers(0, 40),
)
def test_shares_hold_until_a_member_has_no_more(texts, shares, budget):
    memory = filled(two(shares), *texts)
    found = ask(memory, budget)
    assert sum(map(len, found)) <= budget
    assert ask(memory, budget + 7)[: len(found)] == found
    used = {letter: sum(len(t) for t in found if t[0] == letter) for letter in "ab"}
    told = {letter: sum(len(t) for t in texts if t[0] == letter) for letter in "ab"}
    for (one, share), (other, its) in (
        (("a", shares[0]), ("b", shares[1])),
        (("b", shares[1]), ("a", shares[0])),
    ):
        # Nobody is ahead by more than what the other's next item would cost.
        if used[other] < told[other]:
            assert used[one] / share <= (used[other] + 8) / its + 1e-9


def test_a_turn_comes_once_and_the_second_member_pays_nothing():
    members = (Window(turns=3), BM25(), Dedup(inner=BM25()))
    memory = filled(Combined(members=members), "tea one", "x", "tea two", "tea one")
    # Window t3 t2 t1, BM25 tea: all; Dedup gives t0 and t3 as one, whose text t3 has said.
    found = memory.read(Query("tea", START + timedelta(days=1), "u"), None)
    assert sorted(item.sources for item in found) == [("t0",), ("t1",), ("t2",), ("t3",)]


def test_sentences_of_a_turn_that_another_gave_whole_are_passed_over():
    texts = ["Tea is hot. Rain is wet. Snow is cold."]
    memory = filled(Combined(members=(ContextCompressor(), Window())), *texts)
    assert len(ask(memory)) == 3  # the compressor was first: all of its sentences, no whole turn
    members = (Window(), ContextCompressor())
    memory = filled(Combined(members=members, shares=(9, 1)), *texts)
    assert ask(memory) == texts


def test_what_one_makes_is_not_written_into_another():
    memory = filled(Combined(members=(Fact(), Some(letter="t"))), "tea")
    assert ask(memory) == ["tea", "tea!"]
    assert ask(memory) == ["tea", "tea!"]
    assert [len(member.history) for member in memory.members] == [1, 1]


def test_a_large_budget_goes_beyond_a_hundred_items():
    memory = filled(two(None), *["a"] * 130, *["b"] * 130)
    assert len(ask(memory)) == 100
    assert ask(memory, 250) == ["a", "b"] * 125


def test_abilities_are_those_of_all_members(tmp_path):
    memory = filled(Combined(members=(Window(turns=1), BM25())), "tea", "rain")
    memory.forget(["t1"], "u")
    assert ask(memory) == ["tea"]
    memory.save(tmp_path)
    again = filled(Combined(members=(Window(turns=1), BM25())))
    again.load(tmp_path)
    assert ask(again) == ["tea"]
    assert len(list(memory.held())) == 2
    assert not hasattr(filled(Combined(members=(NoMemory(), BM25()))), "save")


def test_its_kind_is_that_of_its_members():
    assert str(tags_of(Combined())) == "long-term, in-memory, dialogue, hybrid"
    assert tags_of(Combined(members=(Window(), Window()))) == tags_of(Window())


ONE = BM25()


@pytest.mark.parametrize(
    "fields",
    [
        {"members": ()},
        {"members": (ONE, ONE)},
        {"members": (1,)},
        {"shares": (1,)},
        {"shares": (1, 0)},
        {"shares": (1, -1)},
    ],
)
def test_wrong_fields_are_refused(fields):
    with pytest.raises(ConfigError):
        Combined(**fields).reset()
