"""The check of claimed sources, on small dialogues and on LoCoMo's own citations."""

import importlib.util
import math
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.judging.claims import BACKGROUND, CHANCE, SHARE, Claims
from memlab.judging.shingles import SPAN, Reading, Texts
from memlab.types import Turn

ROOT = Path(__file__).resolve().parents[2]

DIALOGUE = [
    ("Caroline", "I went to the LGBTQ support group yesterday and it was so powerful."),
    ("Melanie", "Wow, that's cool! What happened there?"),
    ("Caroline", "The transgender stories were inspiring, I felt accepted."),
    ("Melanie", "I painted a lake sunrise last year, it hangs in the hall."),
    ("Caroline", "Thanks, Mel!"),
    ("Melanie", "We go camping with the kids next month."),
]
CHINESE = [
    "我的上司名叫王思琪，她在深圳上班。",
    "我表妹学历是硕士，毕业于浙江大学。",
    "我最喜欢的饮料是不加糖的黑咖啡。",
    "下周六我要去杭州参加摄影展。",
    "我家的猫叫团子，今年三岁了。",
    "好的，谢谢你。",
]


def said(texts, speaker="user", checker=None):
    checker = Claims() if checker is None else checker
    for number, text in enumerate(texts, 1):
        who, words = text if isinstance(text, tuple) else (speaker, text)
        checker.add(Turn(id=str(number), text=words, speaker=who, time="2024-05-09"))
    return checker


ALL = [str(n) for n in range(1, 7)]


@pytest.mark.parametrize(
    ("fact", "source"),
    [
        ("Caroline attended an LGBTQ support group.", "1"),
        ("Hearing transgender stories inspired Caroline.", "3"),
        ("Melanie painted a sunrise over a lake.", "4"),
        ("The family of Melanie is going camping.", "6"),
    ],
)
def test_a_paraphrase_claims_its_turn_and_no_other(fact, source):
    checker = said(DIALOGUE)
    accepted = [turn for turn in ALL if checker.accepted(fact, [turn]) == [True]]
    assert accepted == [source]


@pytest.mark.parametrize(
    ("fact", "source"),
    [
        ("用户的上司是在深圳上班的王思琪。", "1"),
        ("表妹拿到了浙江大学的硕士学历。", "2"),
        ("用户爱喝黑咖啡，不加糖。", "3"),
        ("用户将于下周六到杭州看摄影展。", "4"),
        ("三岁的猫名字叫团子。", "5"),
    ],
)
def test_a_chinese_paraphrase_claims_its_message_and_no_other(fact, source):
    checker = said(CHINESE)
    assert [turn for turn in ALL if checker.accepted(fact, [turn]) == [True]] == [source]


def test_the_arithmetic_of_one_sentence():
    # Two turns; "harbour" in one (df 1), "sail" in none (df 0), "ann" in both (df 2).
    checker = said([("Ann", "The harbour lights."), ("Ann", "Rain again today.")])

    def weight(df):
        return math.log(1 + (2 + BACKGROUND - df + 0.5) / (df + 0.5))

    shared = weight(1) + weight(2)  # "harbour" and "ann" are in turn 1
    assert weight(2) < SHARE * (shared + weight(0))
    gained = shared - math.log(math.comb(3, 2))
    # 3.23 + 2.72 - 1.10 = 4.85 >= 3.00; turn 1 is no longer than the mean, so no handicap.
    assert gained >= math.log(1 / CHANCE)
    assert checker.accepted("Ann sails, harbour.", ["1"]) == [True]
    # Turn 2 shares "ann" alone: 2.72 of 10.28 in weight, 0.26.
    assert checker.accepted("Ann sails, harbour.", ["2"]) == [False]


def test_the_more_is_claimed_the_more_must_be_shared():
    checker = said([*DIALOGUE, *[("Mel", f"word{n} word{n + 1}") for n in range(94)]])
    # "camping" weighs ln(1 + (100 + 35 - 1 + 0.5) / 1.5) = 4.5, less 0.6 as turn 6 is twice as
    # long as the mean: enough for one claim, ln(1 / 0.05) = 3.0, not for 100, ln(2000) = 7.6.
    assert checker.accepted("Camping.", ["6"]) == [True]
    every = [str(n) for n in range(1, 101)]
    assert not any(checker.accepted("Camping.", every))


def test_a_name_alone_claims_nobodys_turns():
    checker = said([("Caroline", f"word{n} thing{n}") for n in range(50)])
    assert not any(checker.accepted("Caroline.", [str(n) for n in range(1, 51)]))
    assert checker.accepted("Caroline.", ["7"]) == [False]


def test_a_page_bears_out_every_turn_it_contains_however_short():
    checker = said(DIALOGUE)
    page = "\n".join(f"{who}: {text}" for who, text in DIALOGUE)
    assert checker.accepted(page, ALL) == [True] * 6
    assert said(CHINESE).accepted("\n".join(CHINESE), ALL) == [True] * 6


def test_one_turns_text_claiming_all_earns_that_turn():
    for dialogue in (DIALOGUE, CHINESE):
        checker = said(dialogue)
        text = dialogue[3][1] if isinstance(dialogue[3], tuple) else dialogue[3]
        assert checker.accepted(text, ALL) == [n == "4" for n in ALL]


def test_sentences_do_not_add_up():
    checker = said(DIALOGUE)
    # Each sentence has one word of turn 1 among four unheard ones; together all of them.
    apart = " ".join(
        f"{word} zork{i} zark{i} zirk{i} zurk{i}."
        for i, word in enumerate(["went", "LGBTQ", "support", "group", "yesterday", "powerful"])
    )
    assert checker.accepted(apart, ["1"]) == [False]
    assert checker.accepted("Went LGBTQ support group yesterday, powerful.", ["1"]) == [True]


def test_long_sentences_are_cut_at_sixty_words():
    spans = Reading(" ".join(f"w{n}" for n in range(130))).spans
    assert [len(span) for span in spans] == [SPAN, SPAN, 10]


def test_a_claim_of_a_turn_that_was_not_said_or_was_forgotten_fails():
    checker = said(DIALOGUE)
    fact = "Melanie painted a sunrise over a lake."
    assert checker.accepted(fact, ["4", "99"]) == [True, False]
    checker.forget(["4", "99"])
    assert checker.accepted(fact, ["4"]) == [False]


def test_empty_texts_and_empty_claims():
    checker = said([*DIALOGUE, ("Mel", ""), ("Mel", "🎉")])
    assert checker.accepted("", ["1", "7", "8"]) == [False] * 3
    assert checker.accepted("The of and.", ["1"]) == [False]
    assert checker.accepted("🎉", ["8"]) == [False]
    assert checker.accepted("Anything", []) == []
    assert Claims().accepted("Anything", ["1"]) == [False]


def test_a_caption_counts_as_said_once():
    photo = Turn(
        id="1",
        text="Look at this!",
        speaker="Mel",
        time="2024-05-09",
        meta={"caption": "a red kayak beside a jetty"},
    )
    texts = Texts()
    assert texts.terms(photo) >= {"kayak", "jetti", "mel", "look"}
    checker = Claims(texts)
    checker.add(photo)
    assert checker.accepted("Mel has a red kayak at the jetty.", ["1"]) == [True]


def test_an_excerpt_counts_by_what_it_carries_of_its_turn():
    checker = said([*DIALOGUE, ("Mel", "How are you?"), *[("Mel", text) for text in CHINESE]])
    whole = DIALOGUE[3][1]  # terms: paint lake sunris last year hang hall, each in one turn
    assert checker.carried(whole, "4")
    assert checker.carried("painted a lake sunrise last year, it hangs", "4")  # 6 of 7
    assert not checker.carried("I painted a lake sunrise last year", "4")  # 5 of 7
    assert not checker.carried("", "4")
    assert not checker.carried(whole, "99")
    # A turn of stop words alone must be there whole.
    assert checker.carried("How are you?", "7")
    assert not checker.carried("How are", "7")
    assert checker.carried(CHINESE[0][:-2], "8")
    assert not checker.carried(CHINESE[0][:9], "8")


@given(st.integers(0, 20), st.integers(0, 20))
def test_a_longer_excerpt_carries_no_less(first, second):
    checker = said(DIALOGUE)
    shorter, longer = sorted((first, second))
    cut = DIALOGUE[3][1].split()
    assert checker.carried(" ".join(cut[:shorter]), "4") <= checker.carried(
        " ".join(cut[:longer]), "4"
    )


@given(st.permutations(range(6)), st.integers(0, 5))
def test_forgetting_equals_never_having_heard(order, forgotten):
    fact = "Caroline felt accepted by the support group and Melanie paints a sunrise."
    checker = Claims()
    turns = [
        Turn(id=str(n), text=DIALOGUE[n][1], speaker=DIALOGUE[n][0], time="2024-05-09")
        for n in order
    ]
    for turn in turns:
        checker.add(turn)
    checker.accepted(fact, ["0"])  # indexes the turns
    checker.forget([str(forgotten)])
    fresh = Claims()
    for turn in turns:
        if turn.id != str(forgotten):
            fresh.add(turn)
    ids = [str(n) for n in range(6)]
    assert checker.accepted(fact, ids) == fresh.accepted(fact, ids)


@pytest.fixture(scope="module")
def experiment():
    spec = importlib.util.spec_from_file_location(
        "claims_experiment", ROOT / "experiments" / "claims.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def talks(experiment, locomo_path):
    return experiment.locomo(locomo_path)


def _percent(rate):
    return 100 * rate[True] / rate.total()


def test_true_citations_pass_and_wrong_ones_of_the_session_do_not(experiment, talks):
    rates = experiment.pairs(talks[:4], experiment.Variant())
    assert _percent(rates["true"]) >= 85
    assert _percent(rates["same session"]) <= 5
    assert _percent(rates["elsewhere"]) <= 1


def test_cutting_turns_short_as_excerpts_earns_little(experiment, locomo_path):
    ways = ("whole", "first 12 ruled", "excerpt 0.8")
    whole, first, best = experiment.snippets(locomo_path, ways, limit=2).values()
    assert first.recall(200) < whole.recall(200)  # 0.68 against 0.55 if the words are not weighed
    assert best.recall(200) < whole.recall(200) + 0.06
    assert best.answers(200) < whole.answers(200)


@pytest.mark.parametrize("group", [1, 2, 3, 5, 300])
@pytest.mark.parametrize("split", [False, True])
def test_a_bag_of_frequent_words_earns_nothing_worth_having(experiment, talks, group, split):
    rate = experiment.attack(talks[:3], experiment.Variant(), group, split=split)
    assert rate.total() > 500
    assert _percent(rate) < 2
