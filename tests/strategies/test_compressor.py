"""Sentences within a budget, without repetition."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.judging.items import item_fault
from memlab.naming import component, strategy
from memlab.parsing import parse
from memlab.run import Run
from memlab.strategies import BM25, ContextCompressor, FullHistory
from memlab.types import Item, Query, Turn, utc

START = utc("2024-01-01T09:00")


def turn(number, text="tea", **more):
    time = START + timedelta(minutes=number)
    return Turn(id=f"t{number}", text=text, time=time, user="u", **more)


def ask(memory, text="tea", budget=None):
    return memory.read(Query(text, START + timedelta(days=1), "u"), budget)


def ids(items):
    return [item.sources[0] for item in items]


def fresh(memory, *texts):
    memory.reset()
    memory.attach(Run())
    for number, text in enumerate(texts):
        memory.write(text if isinstance(text, Turn) else turn(number, text))
    return memory


@component
class Last:
    """Scores a text by its place in the alphabet, by its first letter."""

    def score(self, query, texts):
        return np.array([float(ord(text[0])) for text in texts])


@component
class Broken:
    """Scores no text."""

    def score(self, query, texts):
        return np.full(len(texts), np.nan)


@strategy
class Facts(BM25):
    """Returns what nobody said."""

    def read(self, query, budget):
        return [] if budget == 0 else [Item("Ann likes tea. It is hot.", ("t0",), "fact")]


WEATHER = "The weather was fine all week long. I lost my red umbrella in Oslo. Bye."
天气 = "这个星期天气很好。我在奥斯陆丢了红色的雨伞。再见。"


@pytest.mark.parametrize(
    ("said", "asked", "sentence", "budget"),
    [
        (WEATHER, "umbrella", "I lost my red umbrella in Oslo.", 12),
        (天气, "雨伞在哪里？", "我在奥斯陆丢了红色的雨伞。", 30),
    ],
)
def test_a_sentence_fits_where_its_message_does_not(said, asked, sentence, budget):
    memory = fresh(ContextCompressor(keep=0.0), said)
    [item, *_] = ask(memory, asked, budget)
    assert (item.text, item.kind, item.sources) == (sentence, "excerpt", ("t0",))
    assert ask(memory.inner, asked, budget) == []


def test_the_score_is_mixed_from_rank_and_coverage():
    # BM25 ranks t0 first. Sentences: "Tea." "Bye." "Hot tea, hot tea pot pan." Ranks 1, 1, .5.
    # Terms hot and tea; of the 3 sentences tea is in 2, ln(1 + 1.5 / 2.5), hot in 1,
    # ln(1 + 2.5 / 1.5): tea covers .47 / 1.451 = .324. keep = .5 gives .662, .5, .75.
    tea, hot = np.log(1 + 1.5 / 2.5), np.log(1 + 2.5 / 1.5)
    memory = fresh(ContextCompressor(keep=0.5, inner=FullHistory()), "Hot tea.", "Tea. Bye.")
    items = ask(memory, "hot tea")
    assert [item.text for item in items] == ["Hot tea.", "Tea.", "Bye."]
    expected = [0.25 + 0.5, 0.5 + 0.5 * tea / (tea + hot), 0.5]
    assert [item.score for item in items] == pytest.approx(expected, abs=1e-6)


def test_what_has_been_said_is_not_said_again():
    memory = fresh(ContextCompressor(), "I like green tea.", "I like green tea!", "Black tea.")
    assert sorted(ids(ask(memory))) == ["t0", "t2"]
    assert memory.stats()["repeats left out"] == 1
    # {like, green, tea} and {tea, black}: 1 of 4 in common.
    assert len(ask(fresh(ContextCompressor(repeat=0.25), "I like green tea.", "Black tea."))) == 1
    assert len(ask(fresh(ContextCompressor(repeat=0.26), "I like green tea.", "Black tea."))) == 2


def test_chinese_repeats_are_found_by_bigrams():
    assert len(ask(fresh(ContextCompressor(), "我喜欢喝绿茶。", "我喜欢喝绿茶！"), "绿茶")) == 1


def test_a_message_of_one_sentence_stays_a_turn():
    assert [i.kind for i in ask(fresh(ContextCompressor(), "I like tea.", "Tea? Yes."))] == [
        "turn",
        "excerpt",
        "excerpt",
    ]


def test_what_nobody_said_stays_whole():
    memory = fresh(ContextCompressor(inner=Facts()), "I like tea. It is hot.")
    [item] = ask(memory)
    assert (item.text, item.kind) == ("Ann likes tea. It is hot.", "fact")


def test_a_call_and_its_result_stay_whole_and_together():
    call = turn(0, "tea?", meta={"call": "c"}, role="assistant")
    result = replace(turn(1, "tea. tea is 3 euros. Good."), role="tool", meta={"call": "c"})
    memory = fresh(ContextCompressor(), call, result)
    size = memory.run.count(call.text) + memory.run.count(result.text)
    assert [(i.text, i.kind) for i in ask(memory, budget=size)] == [
        (call.text, "turn"),
        (result.text, "turn"),
    ]
    assert ask(memory, budget=size - 1) == []


def test_a_share_of_the_budget_or_of_what_was_found_is_filled():
    texts = [f"tea number {n} is hot" for n in range(40)]
    whole = fresh(ContextCompressor(), *texts)
    half = fresh(ContextCompressor(share=0.5), *texts)
    found = whole.tokens_in(ask(whole))
    for budget, most in ((100, 50), (101, 50), (10_000, found // 2), (None, found // 2)):
        used = half.tokens_in(ask(half, budget=budget))
        assert most - 8 < used <= most
    assert ask(half, budget=10_000) == ask(half)
    assert ask(fresh(ContextCompressor(share=0.0), *texts), budget=100) == []


def test_another_scorer_may_judge_the_sentences():
    memory = fresh(ContextCompressor(keep=0.0, scorer=Last()), "Apple tea. Zoo tea. Moon tea.")
    assert [item.text[0] for item in ask(memory)] == ["Z", "M", "A"]
    with pytest.raises(ContractError, match="expected 2 finite scores"):
        ask(fresh(ContextCompressor(scorer=Broken()), "Tea. Tea pot."))


def test_without_a_budget_a_hundred_items_with_a_large_one_everything():
    texts = [f"Tea is n{n}. It has m{n}." for n in range(150)]
    memory = fresh(ContextCompressor(), *texts)
    assert len(ask(memory)) == 100
    assert len(ask(fresh(ContextCompressor(share=0.9), *texts))) == 100
    found = set(ids(ask(memory, budget=100_000)))
    assert len(found) == 150


SENTENCES = st.sampled_from(
    ["Tea is hot.", "I like tea!", "Why?", "我喜欢茶。", "茶很好！", "Bye."]
)
TEXTS = st.lists(st.lists(SENTENCES, max_size=4).map(" ".join), max_size=8)
INNERS = st.sampled_from(["BM25()", "Window(turns=5)", "Vector(embedder=Hashing())"])


@settings(max_examples=60)
@given(TEXTS, INNERS, st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.5, 1.0]))
def test_every_budget_is_kept_without_repetition(texts, inner, one, other, share):
    memory = fresh(ContextCompressor(inner=parse(inner), share=share), *texts)
    less, more = (ask(memory, "茶 tea", b) for b in sorted((one, other)))
    assert more[: len(less)] == less
    assert memory.tokens_in(less) <= min(one, other)
    said = {f"t{n}": text for n, text in enumerate(texts)}
    assert [fault for item in more if (fault := item_fault(item, said.get))] == []
    stated = [item.text for item in more if item.text not in ("Why?", "")]  # no terms, no repeat
    assert len(stated) == len(set(stated))


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ("ContextCompressor(repeat=-1)", "repeat=-1"),
        ("ContextCompressor(keep=2)", "keep=2"),
        ("ContextCompressor(share=1.5)", "share=1.5"),
        ("ContextCompressor(scorer=1)", "scorer=1"),
    ],
)
def test_faults_are_told(memory, message):
    with pytest.raises(ConfigError, match=message):
        parse(memory).reset()
