"""Writing in batches: the same store as single writes make, or nothing."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.models import Hashing
from memlab.naming import component, providers, strategy
from memlab.parsing import parse
from memlab.run import Run
from memlab.strategies import BM25, BatchWriter, Hybrid, Vector, Window
from memlab.types import Item, Query, Turn, utc

START = utc("2024-01-01T09:00")


def turn(number, text=None, **more):
    time = START + timedelta(minutes=number)
    said = f"word{number % 5} tea 喝茶{number % 3}" if text is None else text
    return Turn(id=f"t{number}", text=said, time=time, user=f"u{number % 2}", **more)


def ask(memory, text="tea", budget=None, user="u0"):
    return memory.read(Query(text, START + timedelta(days=1), user), budget)


def ids(items):
    return [item.sources[0] for item in items]


def fresh(memory):
    memory.reset()
    memory.attach(Run())
    return memory


@strategy
class Fragile(BM25):
    """Refuses some turns, after it has taken in half of them."""

    def write(self, turn):
        super().write(turn)
        if "poison" in turn.text:
            raise ValueError("poison")
        if "stop" in turn.text:
            raise KeyboardInterrupt


@strategy
class Unforgetting:
    """Has no way to delete, and refuses poison."""

    def reset(self):
        self.turns = []

    def write(self, turn):
        self.turns.append(turn)
        if "poison" in turn.text:
            raise ValueError("poison")

    def read(self, query, budget):
        return [] if budget == 0 else [Item.of(turn) for turn in self.turns]


@strategy
class Table(BM25):
    """Takes in turns together, in one transaction."""

    def reset(self):
        super().reset()
        self.calls = []

    def write_many(self, turns):
        if any("poison" in turn.text for turn in turns):
            raise ValueError("poison")
        self.calls.append(len(turns))
        for one in turns:
            self.write(one)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 11)),
        st.tuples(st.just("forget"), st.integers(0, 11)),
        st.tuples(st.sampled_from(["read", "scores", "maintain", "flush", "save"]), st.just(0)),
    ),
    max_size=40,
)
INNERS = ["BM25()", "Window(turns=3)", "Vector(embedder=Hashing())", "Contextual(dense=None)"]


class Pair:
    """A memory in batches and one without, which must never be told apart."""

    def __init__(self, spelt, size, folder):
        self.spelt, self.folder, self.there = spelt, folder, set()
        self.make = lambda: (fresh(BatchWriter(inner=parse(spelt), size=size)), fresh(parse(spelt)))
        self.batched, self.plain = self.make()

    def write(self, number):
        self.batched.write(turn(number))  # a second time, it is passed over
        if number not in self.there:
            self.plain.write(turn(number))
        self.there.add(number)

    def forget(self, number):
        for memory in (self.batched, self.plain):
            memory.forget([f"t{number}"], f"u{number % 2}")
        self.there.discard(number)

    def read(self, number):
        for user in ("u0", "u1"):
            asked = (f"word{number} 喝茶", 20, user)
            assert ask(self.batched, *asked) == ask(self.plain, *asked)

    def scores(self, _):
        if hasattr(self.plain, "scores"):
            asked = Query("word1 喝茶", START, "u1")
            pairs = zip(self.batched.scores(asked), self.plain.scores(asked), strict=True)
            assert all(ours.tolist() == theirs.tolist() for ours, theirs in pairs)

    def maintain(self, _):
        for part in providers(self.batched, "maintain"):
            part.maintain(START)

    def flush(self, _):
        for part in providers(self.batched, "flush"):
            part.flush()

    def save(self, _):
        saved = self.batched, self.plain
        self.batched, self.plain = self.make()
        for name, old, new in zip("ab", saved, (self.batched, self.plain), strict=True):
            old.save(self.folder / name)
            new.load(self.folder / name)


@settings(max_examples=60)
@given(STEPS, st.sampled_from(INNERS), st.sampled_from([1, 3, 7]))
def test_the_store_is_the_one_that_single_writes_make(tmp_path_factory, steps, spelt, size):
    pair = Pair(spelt, size, tmp_path_factory.mktemp("saved"))
    for kind, number in steps:
        getattr(pair, kind)(number)
    kept = [sorted(h.text for h in memory.held()) for memory in (pair.batched, pair.plain)]
    assert kept[0] == kept[1]
    for number in range(5):
        pair.read(number)


def test_turns_are_handed_over_by_the_batch_and_by_flush():
    memory = fresh(BatchWriter(inner=Table(), size=3))
    for number in range(8):
        memory.write(turn(number))
    assert memory.inner.calls == [3, 3]
    memory.flush()
    assert memory.inner.calls == [3, 3, 2]
    memory.flush()
    assert memory.inner.calls == [3, 3, 2]
    assert {**memory.stats()} == {"writes": 8, "batches": 3, "writes repeated": 0}


def test_a_read_before_a_flush_sees_every_turn():
    memory = fresh(BatchWriter(size=32))
    memory.write(turn(0))
    assert ids(ask(memory)) == ["t0"]


def test_looking_at_it_hands_nothing_over(tmp_path):
    memory = fresh(BatchWriter(size=32))
    memory.write(turn(0))
    assert [held.text for held in memory.held()] == [turn(0).text]
    memory.save(tmp_path)
    assert memory.stats()["batches"] == 0
    assert list(memory.inner.held()) == []
    again = fresh(BatchWriter(size=32))
    again.load(tmp_path)
    again.write(turn(0))
    assert again.stats()["writes repeated"] == 1
    assert ids(ask(again)) == ["t0"]


@pytest.mark.parametrize(
    "inner", [Fragile(), Table(), Unforgetting()], ids=lambda m: type(m).__name__
)
def test_a_batch_that_fails_leaves_the_store_as_it_was(inner):
    memory = fresh(BatchWriter(inner=inner, size=3)) if inner != Unforgetting() else None
    if memory is None:
        memory = BatchWriter(inner=inner, size=3)
        memory.reset()
    memory.write(turn(0))
    memory.flush()
    before = ask(memory.inner)
    memory.write(turn(2))
    memory.write(turn(4, "poison"))
    for again in (6, 6, 8):  # the batch stays pending, and is tried again
        with pytest.raises(ValueError, match="poison"):
            memory.write(turn(again))
        assert ask(memory.inner) == before
    assert ids(before) == ["t0"]
    assert memory.stats()["batches"] == 1


def test_what_made_a_batch_fail_can_be_forgotten():
    memory = fresh(BatchWriter(inner=Fragile(), size=3))
    for number, text in ((0, "tea"), (2, "poison")):
        memory.write(turn(number, text))
    with pytest.raises(ValueError, match="poison"):
        memory.forget(["t2"], "u0")
    memory.write(turn(4, "tea"))
    assert ids(ask(memory)) == ["t0", "t4"]


def test_a_deletion_reaches_what_is_pending():
    memory = fresh(BatchWriter())
    memory.write(turn(0))
    memory.forget(["t0"], "u1")  # the turn of somebody else
    assert ids(ask(memory)) == ["t0"]
    memory.write(turn(2))
    memory.forget(["t2", "never"], "u0")
    assert ids(ask(memory)) == ["t0"]
    memory.write(turn(2))  # its id is free again
    assert ids(ask(memory)) == ["t0", "t2"]


def test_an_interrupted_batch_is_undone():
    memory = fresh(BatchWriter(inner=Fragile(), size=2))
    memory.write(turn(0))
    with pytest.raises(KeyboardInterrupt):
        memory.write(turn(2, "stop"))
    assert ask(memory.inner) == []


def test_another_turn_under_a_known_id_is_refused():
    memory = fresh(BatchWriter(size=2))
    memory.write(turn(0))
    for _ in range(2):  # pending, then handed over
        with pytest.raises(ContractError, match=r"'t0' was written twice.*another content"):
            memory.write(turn(0, "coffee"))
        with pytest.raises(ContractError, match="'t0' was written twice"):
            memory.write(replace(turn(0), user="u1"))
        memory.write(turn(2))
    assert [item.text for item in ask(memory)] == [turn(0).text, turn(2).text]


CALLS = []


@component
class Counting(Hashing):
    """Notes how many texts each call encodes."""

    def encode(self, texts, role):
        CALLS.append((len(texts), role))
        if any("poison" in text for text in texts):
            raise OSError("away")
        return super().encode(texts, role)


@pytest.mark.parametrize(
    "inner",
    [Vector(embedder=Counting()), Hybrid(legs=(BM25(), Vector(embedder=Counting())))],
    ids=lambda m: type(m).__name__,
)
def test_the_texts_of_a_batch_are_encoded_in_one_call(inner):
    CALLS.clear()
    memory = fresh(BatchWriter(inner=inner, size=4))
    for number in range(8):
        memory.write(turn(number, f"text {number}"))
    assert CALLS == [(4, "document"), (4, "document")]
    assert memory.run.booked.texts == 8
    poisoned = [turn(number, f"poison {number}") for number in range(8, 12)]
    with pytest.raises(OSError, match="away"):
        list(map(memory.write, poisoned))
    assert len(ask(memory.inner)) == 4  # two users had eight turns


def test_faults_are_told():
    for memory, message in ((BatchWriter(size=0), "size=0"), (BatchWriter(inner="x"), "inner='x'")):
        with pytest.raises(ConfigError, match=message):
            memory.reset()
    assert fresh(BatchWriter(inner=Window(), size=2)).taxonomy == Window.taxonomy
