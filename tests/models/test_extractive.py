"""The offline summarizer: what it keeps, in what order, within what budget."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from memlab.errors import ConfigError
from memlab.models import ExtractiveSummarizer
from memlab.models.extractive import _vectors, centrality
from memlab.passages import joined, passage_of, tokens_of
from memlab.protocols import Passage
from memlab.text import sentences
from memlab.tokens import Estimate, tokenizer
from memlab.types import Turn, utc

BPE = tokenizer()


class Words:
    """Counts what stands between spaces, so that a test can do so by eye."""

    name = "words"

    def count(self, text):
        return len(text.split())

    def truncate(self, text, tokens):
        return " ".join(text.split()[:tokens])


def said(*texts, lead=""):
    return [Passage(lead + text, (f"t{i}",), lead) for i, text in enumerate(texts)]


def texts(passages):
    return [passage.text for passage in passages]


def test_a_text_is_as_central_as_it_is_like_the_others():
    # Unit rows with cosines .8, .6 and 0; with its own 1 their degrees are 1.8, 2.4 and 1.6. A
    # walk without jumps over a symmetric graph stays in proportion to the degrees, of sum 5.8.
    rows = csr_array(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]))
    assert centrality(rows, 0.0) == pytest.approx([1.8 / 5.8, 2.4 / 5.8, 1.6 / 5.8], abs=1e-6)
    assert centrality(rows, 1.0) == pytest.approx([1 / 3] * 3)
    p = centrality(rows, 0.15)
    first = 0.05 + 0.85 * (1.0 * p[0] / 1.8 + 0.8 * p[1] / 2.4)
    assert p[0] == pytest.approx(first, abs=1e-6)
    assert p.sum() == pytest.approx(1.0)


def test_a_text_without_terms_is_like_itself_alone():
    assert centrality(_vectors(["!!", "tea pot", "tea cup"]), 0.15).sum() == pytest.approx(1.0)
    assert centrality(_vectors(["!!", "??"]), 0.15).tolist() == [0.5, 0.5]


def test_cosines_weigh_terms_by_idf():
    # Of two texts "red" is in both, idf ln(1 + 2/2); apple and pear are in one each, ln(1 + 2/1).
    shared, own = math.log(2), math.log(3)
    vectors = _vectors(["red apple", "red pear"]).toarray()
    assert vectors[0] @ vectors[1] == pytest.approx(shared**2 / (shared**2 + own**2))


PIES = said("Red apple cake.", "Apple pie and plum tart.", "Sweet plum jam.", "The sky is blue.")


def test_the_most_central_sentence_is_kept():
    # The second shares apple with the first and plum with the third. Five words and a line break.
    kept = ExtractiveSummarizer(exact=0.0).summarize(PIES, 6, Words())
    assert texts(kept) == ["Apple pie and plum tart."]
    assert kept[0].sources == ("t1",)


@pytest.mark.parametrize(
    "exact",
    ["The sky cost 420 euros.", "The sky is over Oslo.", "The sky fell on Tuesday."],
)
def test_what_is_exact_goes_first(exact):
    pool = [*PIES[:3], Passage(exact, ("t3",))]
    assert texts(ExtractiveSummarizer(exact=5.0).summarize(pool, 6, Words())) == [exact]


@pytest.mark.parametrize(
    ("fact", "talk"),
    [
        ("I live in a red house.", "Hello Ana, how are you?"),
        ("I live in a red house.", "Thank you so much!"),
        ("我住在一栋红房子里。", "你好，早上好！"),
        ("我住在一栋红房子里。", "好的，谢谢你！"),
    ],
)
def test_small_talk_goes_last(fact, talk):
    for pool in (said(talk, talk, fact), said(fact, talk, talk)):
        least = BPE.count(fact) + 1
        assert texts(ExtractiveSummarizer().summarize(pool, least, BPE)) == [fact]


def test_names_numbers_and_titles_survive():
    turns = said(
        "你好！今天天气真好。",
        "我正在学习编程，觉得很有意思。",
        "推荐两本书：《Python编程：从入门到实践》和《流畅的Python》。",
        "好的，谢谢你的推荐！",
        "我叫张三，电话是13812345678。",
        "那我们以后再聊，再见！",
    )
    least = BPE.count(turns[2].text) + BPE.count(turns[4].text) + 2
    kept = joined(ExtractiveSummarizer().summarize(turns, least, BPE))
    assert all(word in kept for word in ("《流畅的Python》", "张三", "13812345678"))
    assert not any(word in kept for word in ("你好", "谢谢", "再见"))


def test_a_repetition_waits_for_what_is_new():
    pool = said(
        "The green kayak is in the shed.",
        "The green kayak is in the shed!",
        "A paddle broke on the lake.",
    )
    kept = ExtractiveSummarizer(diversity=0.5).summarize(pool, 15, Words())
    assert [p.sources for p in kept] == [("t0",), ("t2",)]


def test_a_question_counts_for_less():
    pool = said("Is tea in the red pot?", "Tea is in the red pot.")
    assert texts(ExtractiveSummarizer().summarize(pool, 7, Words())) == ["Tea is in the red pot."]


def test_everything_stays_as_it_is_where_all_fits():
    pool = said("Hi!  Hello\nthere.", "I like tea. 我喜欢茶。", "", lead="Ana: ")
    assert ExtractiveSummarizer().summarize(pool, tokens_of(pool, BPE), BPE) == pool


def test_each_part_begins_with_who_said_it_and_when():
    turn = Turn(
        id="1",
        text="Hi! I moved to Oslo in May. So nice! My flat is No. 7.",
        time=utc("2024-05-08"),
        speaker="Ana",
    )
    [kept] = ExtractiveSummarizer().summarize([passage_of([turn])], 24, BPE)
    assert kept.text == "8 May 2024 Ana: I moved to Oslo in May. My flat is No. 7."
    assert kept.lead == "8 May 2024 Ana: "


def test_neighbours_keep_what_stood_between_them():
    # 5 + 1 and 4 + 1 words with line breaks make 11 of 13.
    whole = "Tea is hot in Oslo.\n\nTea was 7 euros.  Thanks so much, bye."
    [kept] = ExtractiveSummarizer().summarize(said(whole), 12, Words())
    assert kept.text == "Tea is hot in Oslo.\n\nTea was 7 euros."


def test_of_equal_sentences_the_last_stays():
    pool = said("Tea is in the red pot.", "A kayak.", "Tea is in the red pot.")
    kept = ExtractiveSummarizer().summarize(pool, 10, Words())  # 6 + 1 and 2 + 1 of 14
    assert [one.sources for one in kept] == [("t1",), ("t2",)]


def test_a_summary_is_its_own_summary():
    once = ExtractiveSummarizer().summarize(PIES, 12, Words())
    assert ExtractiveSummarizer().summarize(once, 12, Words()) == once


SENTENCES = st.sampled_from(
    [
        "I moved to Oslo on 3 May.",
        "Hi!",
        "茶很好喝。",
        "我叫张三，住在北京。",
        "Why?",
        "The red kayak cost 420 euros",
        "👩‍👩‍👧 ok…",
        "The kayak is red.",
        "谢谢！",
        " \n",
    ]
)
POOLS = st.lists(st.lists(SENTENCES, max_size=5).map(" ".join), max_size=9)
LEADS = st.sampled_from(["", "8 May 2024 Ana: ", "2024年5月8日 王芳: "])


@settings(max_examples=150)
@given(POOLS, LEADS, st.integers(0, 120), st.sampled_from([BPE, Estimate()]))
def test_a_summary_keeps_budget_order_words_and_sources(pool, lead, tokens, counter):
    given_ = said(*pool, lead=lead)
    made = ExtractiveSummarizer().summarize(given_, tokens, counter)
    assert counter.count(joined(made)) <= tokens
    assert sum(counter.count(passage.text) for passage in made) <= tokens
    places = [int(passage.sources[0][1:]) for passage in made]
    assert places == sorted(set(places))
    for place, passage in zip(places, made, strict=True):
        assert passage.text.startswith(lead)
        held = sentences(pool[place])
        assert all(part in held for part in sentences(passage.text.removeprefix(lead)))
    assert made == ExtractiveSummarizer().summarize(given_, tokens, counter)


def test_a_long_text_costs_what_its_terms_do():
    pool = said(" ".join(f"Word{i} met word{i + 1} again." for i in range(5000)))
    made = ExtractiveSummarizer().summarize(pool, 60, Words())
    assert 0 < tokens_of(made, Words()) <= 60


@pytest.mark.parametrize("fault", [{"jump": 2.0}, {"exact": -1.0}, {"diversity": "x"}])
def test_faults_are_told(fault):
    with pytest.raises(ConfigError, match=next(iter(fault))):
        ExtractiveSummarizer(**fault).summarize(PIES, 9, Words())
