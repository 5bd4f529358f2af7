"""A cache of reads: always what the memory inside would say, and what it saves."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.parsing import parse
from memlab.run import Run
from memlab.strategies import BM25, CachedRetriever, Oracle
from memlab.types import Conversation, Probe, Query, Turn, utc

START = utc("2024-01-01T09:00")


def turn(number, text=None, **more):
    time = START + timedelta(minutes=number)
    said = f"word{number % 5} tea 喝茶{number % 3}" if text is None else text
    return Turn(id=f"t{number}", text=said, time=time, user="u", **more)


def ask(memory, text="tea", budget=None, time=START, user="u"):
    return memory.read(Query(text, time, user), budget)


def ids(items):
    return [item.sources[0] for item in items]


def fresh(memory):
    memory.reset()
    memory.attach(Run())
    return memory


def counted(memory, *names):
    return [memory.stats()[name] for name in names]


@strategy
class Fading(TurnMemory):
    """Returns the turns of the last hour, and its reads see what `maintain` has dropped."""

    def maintain(self, now):
        old = [t for t in self.history.live() if (now - t.time).total_seconds() > 600]
        for one in old:
            self.history.forget([one.id], one.user)

    def read(self, query, budget):
        rows = self.history.rows(query.user)
        near = [r for r in rows if abs((query.time - self.history[r].time).total_seconds()) < 3600]
        return self.history.pack(((r, 0.0) for r in near), budget)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 9)),
        st.tuples(st.just("forget"), st.integers(0, 9)),
        st.tuples(st.just("read"), st.integers(0, 4)),
        st.tuples(st.just("maintain"), st.integers(0, 20)),
        st.tuples(st.just("flush"), st.just(0)),
    ),
    max_size=40,
)


def step(memory, kind, number):
    match kind:
        case "write":
            memory.write(turn(number))
        case "forget":
            memory.forget([f"t{number}"], "u")
        case "maintain" if hasattr(memory, "maintain"):
            memory.maintain(START + timedelta(minutes=number))
        case "flush" if hasattr(memory, "flush"):
            memory.flush()
        case "read":
            return [
                ask(memory, f"word{number} 喝茶", budget, START + timedelta(hours=hour))
                for hour in (0, 0, 1)
                for budget in (12, None)
            ]
    return None


@settings(max_examples=60)
@given(
    STEPS,
    st.sampled_from(["BM25()", "Window(turns=3)", "Vector(embedder=Hashing())", "Fading()"]),
    st.sampled_from([1, 3, 1000]),
    st.sampled_from([None, 0, 1800]),
)
def test_it_says_what_the_memory_inside_would_say(steps, spelt, size, ttl):
    inner, plain = (Fading() if spelt == "Fading()" else parse(spelt) for _ in range(2))
    memory, plain = fresh(CachedRetriever(inner=inner, size=size, ttl=ttl)), fresh(plain)
    there = set()
    for kind, number in steps:
        if (kind == "write") == (number in there) and kind in ("write", "forget"):
            continue
        there = there ^ {number} if kind in ("write", "forget") else there
        if kind == "maintain" and spelt == "Fading()":
            there = {n for n in there if 60 * (number - n) <= 600}
        assert step(memory, kind, number) == step(plain, kind, number)


def test_the_same_question_after_a_write_sees_the_write():
    memory = fresh(CachedRetriever())
    memory.write(turn(0))
    assert ids(ask(memory)) == ["t0"]
    assert ids(ask(memory)) == ["t0"]
    memory.write(turn(1))
    assert ids(ask(memory)) == ["t0", "t1"]
    memory.forget(["t0"], "u")
    assert ids(ask(memory)) == ["t1"]
    assert counted(memory, "reads", "hits", "misses", "invalidations") == [4, 1, 3, 2]


@pytest.mark.parametrize("step", ["maintain", "flush"])
def test_an_answer_from_before_upkeep_is_not_given_again(step):
    memory = fresh(CachedRetriever(inner=Fading()))
    memory.write(turn(0))
    assert ids(ask(memory)) == ["t0"]
    if step == "maintain":
        memory.maintain(START + timedelta(hours=1))  # drops what is older than ten minutes
        assert ask(memory) == []
    else:
        memory.flush()
        assert ids(ask(memory)) == ["t0"]
    assert counted(memory, "hits", "misses", "invalidations") == [0, 2, 1]


def test_loading_brings_no_old_answers(tmp_path):
    memory = fresh(CachedRetriever())
    memory.write(turn(0))
    memory.save(tmp_path)
    memory.write(turn(1))
    assert ids(ask(memory)) == ["t0", "t1"]
    memory.load(tmp_path)
    assert ids(ask(memory)) == ["t0"]


def test_the_caller_may_do_what_it_likes_with_an_answer():
    memory = fresh(CachedRetriever())
    memory.write(turn(0))
    ask(memory).clear()
    ask(memory).append("spoilt")
    assert ids(ask(memory)) == ["t0"]


def test_the_least_recently_used_answer_goes_first():
    memory = fresh(CachedRetriever(size=2))
    for text in ("a", "b", "a", "c", "a", "b"):
        ask(memory, text)
    # a, b missed; a hit; c missed, b out; a hit; b missed, c out.
    assert counted(memory, "hits", "misses", "evictions") == [2, 4, 2]


def test_two_instances_share_nothing():
    first, second = (fresh(CachedRetriever(inner=BM25())) for _ in range(2))
    first.write(turn(0))
    assert ids(ask(first)) == ["t0"]
    assert ask(second) == []


def test_user_text_and_budget_are_the_question():
    memory = fresh(CachedRetriever())
    memory.write(turn(0))
    assert ask(memory, budget=0) == []
    assert ids(ask(memory)) == ["t0"]
    assert ask(memory, user="other") == []
    assert ask(memory, "kayak") == []
    assert counted(memory, "hits", "misses") == [0, 4]


def test_time_counts_where_the_memory_inside_looks_at_it():
    later = START + timedelta(hours=5)
    blind, seeing = fresh(CachedRetriever(inner=BM25())), fresh(CachedRetriever(inner=Fading()))
    for memory, found in ((blind, ["t0"]), (seeing, [])):
        memory.write(turn(0))
        assert ids(ask(memory)) == ["t0"]
        assert ids(ask(memory, time=later)) == found
    assert counted(blind, "hits", "misses") == [1, 1]
    assert counted(seeing, "hits", "misses") == [0, 2]


def test_a_ceiling_finds_its_question_through_the_cache():
    probe = Probe(id="p", text="tea", time=START, user="u", evidence=("t0",))
    memory = CachedRetriever(inner=Oracle())
    memory.reset()
    memory.attach(Run(conversation=Conversation("c", (turn(0), probe))))
    memory.write(turn(0))
    assert ids(ask(memory)) == ["t0"]


def test_an_answer_lives_for_its_time_on_the_dialogues_clock():
    memory = fresh(CachedRetriever(ttl=60))
    memory.write(turn(0))
    for seconds in (0, 60, 61, 100, 99, 200):
        ask(memory, time=START + timedelta(seconds=seconds))
    # 60 s is still good for the answer of 0, 61 s is not; 100 and 99 are for that of 61; 200 not.
    assert counted(memory, "hits", "misses", "expirations") == [3, 3, 2]
    ask(memory, time=START)  # before the answer of 200 was given
    assert counted(memory, "misses", "expirations") == [4, 3]


def test_a_failed_read_is_not_kept():
    @strategy
    class Failing(BM25):
        def read(self, query, budget):
            if not hasattr(self, "tried"):
                self.tried = True
                raise OSError("away")
            return super().read(query, budget)

    memory = fresh(CachedRetriever(inner=Failing()))
    memory.write(turn(0))
    with pytest.raises(OSError, match="away"):
        ask(memory)
    assert ids(ask(memory)) == ["t0"]


@strategy
class Learns(BM25):
    touch: bool = True


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        (CachedRetriever(size=0), "size=0; expected a whole number of at least 1"),
        (CachedRetriever(ttl=-1), "ttl=-1"),
        (CachedRetriever(inner=Learns()), "learns when it is read; expected touch=False"),
        (CachedRetriever(inner="x"), "inner='x'"),
    ],
)
def test_what_cannot_be_cached_is_refused(memory, message):
    with pytest.raises(ConfigError, match=message):
        memory.reset()
