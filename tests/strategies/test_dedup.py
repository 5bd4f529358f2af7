"""What was said before is kept once, under all its ids."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.naming import strategy
from memlab.policies import ExactDuplicates
from memlab.run import Run
from memlab.strategies import BM25, BatchWriter, Dedup, FullHistory, Vector, Window
from memlab.types import Query, Turn, utc

START = utc("2024-05-08")


def said(number, text, user="u", **more):
    time = START + timedelta(minutes=number)
    return Turn(id=f"t{number}", text=text, time=time, user=user, **more)


def filled(memory, *turns):
    memory.reset()
    memory.attach(Run())
    for number, turn in enumerate(turns):
        memory.write(said(number, turn) if isinstance(turn, str) else turn)
    return memory


def ask(memory, text="tea", user="u", budget=None):
    query = Query(text, START + timedelta(days=1), user)
    return [(item.sources, item.kind) for item in memory.read(query, budget)]


def test_a_duplicate_is_a_further_source():
    memory = filled(Dedup(inner=FullHistory()), "I like tea.", "Rain.", "i like  ＴＥＡ．")
    assert ask(memory) == [(("t1",), "turn"), (("t0", "t2"), "merged")]
    assert memory.stats()["turns merged"] == 1
    kinds = [held.kind for held in memory.held()]
    assert kinds == ["turn", "turn", "merged"]


@pytest.mark.parametrize("inner", ["Vector(embedder=Hashing())", "BM25()"])
def test_an_exact_duplicate_is_merged_whatever_the_index(inner):
    from memlab.parsing import parse

    memory = filled(parse(f"Dedup(inner={inner})"), "我喜欢喝茶", "今天下雨", "我喜欢喝茶")
    assert ask(memory, "喜欢喝茶")[0] == (("t0", "t2"), "merged")


def test_who_says_it_and_whose_it_is_matter():
    turns = [said(0, "Yes"), said(1, "Yes", role="assistant"), said(2, "Yes", user="other")]
    apart = filled(Dedup(inner=FullHistory()), *turns)
    assert ask(apart) == [(("t1",), "turn"), (("t0",), "turn")]
    same = filled(
        Dedup(inner=FullHistory(), policy=ExactDuplicates(speakers=False)),
        *turns,
    )
    assert ask(same) == [(("t0", "t1"), "merged")]
    assert ask(same, user="other") == [(("t2",), "turn")]


def test_what_is_forgotten_brings_its_duplicate_back_in_its_own_place():
    memory = filled(Dedup(inner=FullHistory()), "tea", "rain", "tea", "wind", "tea")
    memory.forget(["t0"], "other")
    memory.forget(["t0"], "u")
    assert ask(memory) == [(("t3",), "turn"), (("t2", "t4"), "merged"), (("t1",), "turn")]
    memory.forget(["t4"], "u")
    assert ask(memory)[1] == (("t2",), "turn")
    assert memory.stats()["times made again"] == 1
    memory.forget(["t2"], "u")
    memory.write(said(9, "tea"))
    assert ask(memory)[0] == (("t9",), "turn")


@given(
    st.lists(st.sampled_from(["tea", "Tea ", "rain", "wind"]), max_size=12),
    st.sets(st.integers(0, 11), max_size=6),
)
def test_forgetting_leaves_what_never_seeing_leaves(texts, gone):
    turns = [said(number, text) for number, text in enumerate(texts)]
    memory = filled(Dedup(inner=Window(turns=3)), *turns)
    for number in sorted(gone):
        memory.forget([f"t{number}"], "u")
    never = filled(Dedup(inner=Window(turns=3)), *(t for t in turns if int(t.id[1:]) not in gone))
    assert ask(memory) == ask(never)


def test_it_is_the_same_after_saving(tmp_path):
    memory = filled(Dedup(inner=FullHistory()), "tea", "rain", "tea")
    memory.maintain(START)
    memory.save(tmp_path)
    again = filled(Dedup(inner=FullHistory()))
    again.load(tmp_path)
    for one in (memory, again):
        one.forget(["t0"], "u")
        one.write(said(5, "RAIN"))
    assert ask(memory) == ask(again) == [(("t2",), "turn"), (("t1", "t5"), "merged")]


@strategy
class Notes(FullHistory):
    """Notes when it was maintained."""

    def reset(self):
        super().reset()
        self.calls = []

    def maintain(self, now):
        self.calls.append((now, len(self.history)))


def test_a_memory_that_is_made_again_is_maintained_again():
    memory = filled(Dedup(inner=Notes()), "tea", "tea", "rain")
    memory.maintain(START)
    memory.forget(["t0"], "u")
    assert memory.inner.calls == [(START, 2)]


def test_pending_writes_are_made_again_as_well():
    memory = filled(Dedup(inner=BatchWriter(inner=BM25(), size=9)), "tea", "tea", "green tea")
    memory.forget(["t0"], "u")
    assert {sources for sources, _ in ask(memory)} == {("t1",), ("t2",)}


def test_tool_results_and_empty_texts_are_never_merged():
    turns = [said(n, "ok", role="tool" if n % 2 else "assistant", meta={"call": n // 2})
             for n in range(4)]  # fmt: skip
    memory = filled(Dedup(inner=FullHistory()), *turns, said(7, " "), said(8, " "))
    assert len(ask(memory)) == 6


def test_what_is_wrong_is_refused():
    memory = filled(Dedup(), "tea")
    with pytest.raises(ContractError, match="'t0' was written twice"):
        memory.write(said(0, "tea"))
    for fields in ({"policy": 1}, {"inner": 1}):
        with pytest.raises(ConfigError):
            Dedup(**fields).reset()
    assert isinstance(Dedup(inner=Vector()).policy, ExactDuplicates)
