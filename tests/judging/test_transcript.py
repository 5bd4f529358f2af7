"""What a transcript makes of returned items: ranks, claims, verdicts."""

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from memlab.errors import ContractError, DataError
from memlab.judging.shingles import Reading, Texts
from memlab.judging.transcript import Transcript
from memlab.judging.verdicts import chance
from memlab.types import Item, Probe, Turn

LINES = [
    ("1", "I moved to Oslo in the spring of last year."),
    ("1", "How do you like the weather over there?"),
    ("2", "My cat is called Biscuit and she sleeps all day."),
    ("2", "Thanks, Bob!"),
    ("3", "The marathon training starts at six every morning."),
]


def turn(number, text, *, session="1", user="ann"):
    return Turn(id=str(number), text=text, session=session, user=user, time="2024-05-09")


def talk(lines=LINES, texts=None):
    transcript = Transcript(lambda text: len(text.split()), texts)
    turns = []
    for number, (session, text, *user) in enumerate(lines, 1):
        turns.append(turn(number, text, session=session, user=user[0] if user else "ann"))
        transcript.add(turns[-1])
    return transcript, turns


def probe(**given):
    return Probe(
        **{"id": "q", "text": "What was it?", "time": "2024-05-10", "user": "ann", **given}
    )


def verdict(transcript, name, items, **given):
    return transcript.judge(probe(**given), items, budget=None).verdicts[name]


# Ranks


def test_a_turn_is_one_rank_and_a_page_one_for_each_source_in_dialogue_order():
    transcript, turns = talk()
    page = Item("\n".join(t.text for t in turns[:3]), ("3", "1", "2", "1"), "page")
    judged = transcript.judge(
        probe(evidence=["3", "5", "gone"]), [Item.of(turns[4]), page], budget=99
    )
    assert judged.ranked == ("5", "1", "2", "3")
    assert judged.ranked_sessions == (2, 0, 0, 1)
    assert judged.evidence_sessions == (1, 2)
    assert judged.rejected == ()
    assert (judged.measurable, judged.items) == (True, 2)
    assert judged.tokens == 8 + 10 + 8 + 10
    assert (judged.candidates, judged.candidate_sessions) == (5, 3)


def test_claims_that_are_not_borne_out_keep_their_rank_but_are_rejected():
    transcript, turns = talk()
    fact = Item("Ann has a cat named Biscuit.", ("1", "3", "5"), "fact")
    judged = transcript.judge(probe(), [Item.of(turns[1]), fact], budget=None)
    assert judged.ranked == ("2", "1", "3", "5")
    assert judged.rejected == (1, 3)


def test_an_item_without_sources_makes_ids_not_measurable():
    transcript, turns = talk()
    items = [Item.of(turns[0]), Item("Ann lives in Oslo.", (), "summary")]
    judged = transcript.judge(probe(answers=["Oslo"], evidence=["1"]), items, budget=None)
    assert not judged.measurable
    assert judged.ranked == ("1",)
    assert judged.verdicts["answer"] == 1.0


def test_nothing_returned_is_measurable():
    transcript, _ = talk()
    judged = transcript.judge(probe(evidence=["1"]), [], budget=0)
    assert (judged.measurable, judged.ranked, judged.items, judged.tokens) == (True, (), 0, 0)
    assert judged.verdicts["redundancy"] == 0.0


def test_an_empty_conversation_can_be_judged():
    judged = Transcript(len).judge(probe(answers=["x"], evidence=["1"]), [], budget=None)
    assert (judged.candidates, judged.candidate_sessions) == (0, 0)
    assert judged.verdicts == {
        "answer": None,
        "chance": None,
        "redundancy": 0.0,
        "leak": None,
        "residue": None,
    }


@pytest.mark.parametrize(
    ("item", "named"),
    [
        (Item("x", ("1", "99"), "summary"), "99"),
        (Item("x", ("99",), "turn"), "99"),
        (Item(LINES[0][1], (), "turn"), "0 sources"),
        (Item(LINES[0][1], ("1", "2"), "excerpt"), "2 sources"),
        (Item("I moved", ("1",), "turn"), "exactly that text"),
        (Item("", ("1",), "turn"), "exactly that text"),
        (Item(f"Ann: {LINES[0][1]}", ("1",), "turn"), "a text around it a 'page'"),
        (Item("I moved to Bergen", ("1",), "excerpt"), "a part of it, without a gap"),
        (Item("I moved … last year.", ("1",), "excerpt"), "a part of it, without a gap"),
    ],
)
def test_breaking_the_contract_is_named(item, named):
    transcript, _ = talk()
    with pytest.raises(ContractError, match=named):
        transcript.judge(probe(), [item], budget=None)


def test_a_source_that_is_said_later_is_unknown_now():
    transcript, _ = talk()
    later = turn(6, "Later.")
    with pytest.raises(ContractError, match="'6'"):
        transcript.judge(probe(), [Item.of(later)], budget=None)
    transcript.add(later)
    assert transcript.judge(probe(), [Item.of(later)], budget=None).ranked == ("6",)


def test_more_tokens_than_the_budget_break_the_contract():
    transcript, turns = talk()
    with pytest.raises(ContractError, match="10 tokens returned at a budget of 9"):
        transcript.judge(probe(), [Item.of(turns[0])], budget=9)


def test_an_id_cannot_be_used_twice():
    transcript, turns = talk()
    with pytest.raises(DataError, match="'1' is used twice"):
        transcript.add(turns[0])


def test_a_turn_with_its_speaker_is_a_page():
    transcript, turns = talk()
    judged = transcript.judge(probe(), [Item(f"Ann: {turns[0].text}", ("1",), "page")], budget=None)
    assert (judged.ranked, judged.rejected) == (("1",), ())


def test_an_excerpt_must_carry_most_of_its_turn():
    transcript, _ = talk()
    # Terms, each in one turn alone: move oslo spring last year; four of five are 0.8.
    for text, rejected in (
        ("I moved to Oslo in the spring of last", ()),
        ("moved to Oslo in the spring of last…", ()),
        ("I moved to Oslo in the spring", (0,)),
        ("", (0,)),
    ):
        judged = transcript.judge(probe(), [Item(text, ("1",), "excerpt")], budget=None)
        assert (judged.ranked, judged.rejected) == (("1",), rejected)
    transcript.forget(["1"], "ann")
    judged = transcript.judge(probe(), [Item(LINES[0][1], ("1",), "excerpt")], budget=None)
    assert judged.rejected == (0,)


# Candidates


def test_candidates_are_the_users_own_turns_that_are_not_forgotten():
    transcript, _ = talk([("1", "a b"), ("1", "c d"), ("2", "e f"), ("3", "g h", "bob")])
    judged = transcript.judge(probe(), [], budget=None)
    assert (judged.candidates, judged.candidate_sessions) == (3, 2)
    transcript.forget(["3", "4", "never said"], "ann")
    judged = transcript.judge(probe(), [], budget=None)
    assert (judged.candidates, judged.candidate_sessions) == (2, 1)
    assert transcript.judge(probe(user="bob"), [], budget=None).candidates == 1


# Answer and chance


@pytest.mark.parametrize(
    ("answers", "text", "expected"),
    [
        (["Oslo"], "I moved to OSLO!", 1.0),
        (["Bergen", "oslo"], "I moved to Oslo", 1.0),
        (["Os"], "I moved to Oslo", None),  # not a whole word of the evidence
        (["Oslo"], "Osloer live here", 0.0),
        (["moved to Oslo"], "She moved, to Oslo.", 1.0),
        (["Bergen"], "Bergen", None),
        ([], "Oslo", None),
    ],
)
def test_answer_in_context(answers, text, expected):
    transcript, _ = talk([("1", "I moved to Oslo last year."), ("1", "Nice.")])
    items = [Item(text, (), "summary")]
    assert verdict(transcript, "answer", items, answers=answers, evidence=["1"]) == expected


@pytest.mark.parametrize(
    ("answer", "text", "expected"),
    [
        ("咖啡", "她爱喝咖啡。", 1.0),
        ("咖啡", "她爱喝咖 茶", 0.0),
        ("黑咖啡", "最爱的是黑咖啡", 1.0),
        ("茶", "茶", None),  # a single character is no answer
    ],
)
def test_answer_in_a_chinese_context(answer, text, expected):
    transcript, _ = talk([("1", "我最喜欢的是黑咖啡，不是茶。")])
    items = [Item(text, (), "summary")]
    assert verdict(transcript, "answer", items, answers=[answer], evidence=["1"]) == expected


def test_an_answer_may_not_span_two_items():
    transcript, _ = talk([("1", "Her cat is Biscuit Brown.")])
    apart = [Item("a Biscuit", (), "fact"), Item("Brown dogs", (), "fact")]
    given = {"answers": ["Biscuit Brown"], "evidence": ["1"]}
    assert verdict(transcript, "answer", apart, **given) == 0.0
    assert verdict(transcript, "answer", [Item("a Biscuit Brown", ())][:0], **given) == 0.0
    assert verdict(transcript, "answer", [Item("a Biscuit Brown", (), "fact")], **given) == 1.0


def test_chance_is_that_of_a_random_context_of_equal_size():
    # Ten turns of four tokens, two with the answer. A context of 12 tokens fits three:
    # 1 - C(8, 3) / C(10, 3) = 1 - 56 / 120.
    lines = [("1", f"one two three word{n}") for n in range(8)] + [("1", "a b c Oslo")] * 2
    transcript, turns = talk(lines)
    items = [Item.of(t) for t in turns[:3]]
    given = {"answers": ["Oslo"], "evidence": ["9"]}
    assert verdict(transcript, "chance", items, **given) == pytest.approx(1 - 56 / 120)
    transcript.forget(["9", "1"], "ann")  # eight left, one with the answer: 3 / 8
    items = [Item.of(t) for t in turns[1:4]]
    assert verdict(transcript, "chance", items, **given) == pytest.approx(3 / 8)
    assert verdict(transcript, "chance", [], **given) == 0.0
    assert verdict(transcript, "chance", items, answers=["Rome"], evidence=["9"]) is None


def test_chance_agrees_with_a_simulation():
    rng = random.Random(5)
    lines = [
        ("1", " ".join(["w"] * rng.randint(3, 9)) + (" Oslo" * (n % 9 == 0))) for n in range(60)
    ]
    transcript, turns = talk(lines)
    items = [Item.of(t) for t in turns[1:9]]
    got = verdict(transcript, "chance", items, answers=["Oslo"], evidence=["1"])
    tokens = sum(len(i.text.split()) for i in items)
    fitting = round(60 * tokens / sum(len(text.split()) for _, text in lines))
    rounds = 20_000
    hits = sum(any("Oslo" in t.text for t in rng.sample(turns, fitting)) for _ in range(rounds))
    # Four standard errors of a proportion.
    assert got == pytest.approx(hits / rounds, abs=4 * math.sqrt(0.25 / rounds))


@given(st.integers(1, 400), st.data())
def test_chance_agrees_with_scipy(size, data):
    holding, drawn = data.draw(st.integers(0, size)), data.draw(st.integers(0, size))
    expected = 1 - hypergeom.pmf(0, size, holding, drawn)
    assert chance(size, holding, drawn) == pytest.approx(expected, abs=1e-9)


# Redundancy


def test_redundancy_counts_repeated_runs_of_four():
    transcript, _ = talk([("1", "a b c d e"), ("1", "a b c d e"), ("1", "x a b c d"), ("1", "hi")])
    texts = ("a b c d e", "a b c d e", "x a b c d", "hi")
    one, two, three, short = (Item(text, (), "fact") for text in texts)
    assert verdict(transcript, "redundancy", [one]) == 0.0
    assert verdict(transcript, "redundancy", [one, two]) == 0.5  # 2 distinct of 4
    # abcd bcde | abcd bcde | xabc abcd: 3 distinct of 6
    assert verdict(transcript, "redundancy", [one, two, three, short, short]) == 0.5
    assert verdict(transcript, "redundancy", [short, short]) == 0.0


def test_redundancy_of_chinese_counts_runs_of_five_characters():
    transcript, _ = talk([("1", "我最喜欢喝咖啡")])
    # Seven characters, six bigrams, three runs of four; said twice: 3 distinct of 6.
    items = [Item("我最喜欢喝咖啡", (), "fact")] * 2
    assert verdict(transcript, "redundancy", items) == 0.5


@given(st.lists(st.text(alphabet="ab c", max_size=30), max_size=6))
def test_redundancy_is_a_share(texts):
    transcript, _ = talk()
    value = verdict(transcript, "redundancy", [Item(t, (), "fact") for t in texts])
    assert 0.0 <= value < 1.0


# Leak


TWO = [
    ("1", "I will meet you at the old mill tomorrow."),
    ("1", "My locker code at the gym is four seven one.", "bob"),
    ("2", "See you later alligator in a while crocodile."),
    ("2", "See you later alligator in a while crocodile.", "bob"),
    ("2", "Thanks Dora", "bob"),
    ("2", "Yes", "bob"),
]


def leaks(text, sources=(), kind="summary", question="What?"):
    transcript, _ = talk(TWO)
    return verdict(transcript, "leak", [Item(text, sources, kind)], text=question)


def test_leak_by_id():
    assert leaks(TWO[1][1], ("2",), "turn") == 1.0
    assert leaks("harmless words of no interest", ("2",)) == 1.0
    assert leaks(TWO[0][1], ("1",), "turn") == 0.0
    assert leaks(TWO[2][1], ("3",), "turn") == 0.0


def test_leak_by_text():
    assert leaks("His locker code at the gym is known.") == 1.0
    assert leaks("His code for the locker is four seven one.") == 1.0  # "is four seven one"
    assert leaks("The code: four, seven, one.") == 0.0  # three in a row only
    assert leaks("Then he said: thanks, Dora. Bye.") == 1.0  # a short turn, whole
    assert leaks("Thanks to Dora") == 0.0
    assert leaks("Yes") == 0.0  # a single word is anybody's
    assert leaks(TWO[0][1] + " Locker code at the gym.", ("1",), "page") == 1.0


def test_what_both_said_or_the_question_says_is_no_leak():
    assert leaks("They said: see you later, alligator, in a while, crocodile.") == 0.0
    asked = "Is the locker code at the gym four seven one?"
    assert leaks("You asked for the locker code at the gym.", question=asked) == 0.0
    transcript, _ = talk([*TWO, ("3", "Oh, thanks Dora, you are kind.")])
    assert verdict(transcript, "leak", [Item("Thanks Dora!", (), "fact")]) == 0.0


def test_leak_is_the_view_of_the_asking_user():
    transcript, _ = talk(TWO)
    item = [Item("Code at the gym is 471.", (), "fact")]
    assert verdict(transcript, "leak", item, user="bob") == 0.0
    assert verdict(transcript, "leak", item, user="ann") == 1.0
    assert verdict(transcript, "leak", item, user="stranger") == 1.0


def test_leak_needs_another_user():
    transcript, turns = talk()
    assert verdict(transcript, "leak", [Item.of(turns[0])]) is None


def test_what_was_own_and_is_forgotten_no_longer_excuses_a_leak():
    transcript, _ = talk(TWO)
    item = [Item("See you later alligator, in a while.", (), "fact")]
    assert verdict(transcript, "leak", item) == 0.0
    transcript.forget(["3"], "ann")
    assert verdict(transcript, "leak", item) == 1.0


def test_a_turn_its_owner_deleted_still_leaks():
    transcript, _ = talk(TWO)
    transcript.forget(["2"], "bob")
    assert verdict(transcript, "leak", [Item("locker code at the gym", (), "fact")]) == 1.0


def test_leak_in_chinese():
    transcript, _ = talk(
        [
            ("1", "我们周六去爬山吧。"),
            ("1", "我的银行卡密码是八三二一。", "bob"),
            ("1", "谢谢你", "bob"),
            ("1", "好", "bob"),
        ]
    )

    def leak(text):
        return verdict(transcript, "leak", [Item(text, (), "fact")])

    assert leak("他的银行卡密码是八三二一") == 1.0
    assert leak("银行卡密") == 0.0  # three bigrams in a row only
    assert leak("他说谢谢你了") == 0.0  # anybody says thanks
    assert leak("谢谢你") == 0.0
    assert leak("好") == 0.0
    assert leak("周六去爬山") == 0.0


# Residue


def test_residue_by_id_and_by_text():
    transcript, turns = talk()
    gone = [Item.of(turns[2])]
    assert verdict(transcript, "residue", gone) is None
    transcript.forget(["3"], "ann")
    assert verdict(transcript, "residue", gone) == 1.0
    assert verdict(transcript, "residue", [Item.of(turns[0])]) == 0.0
    assert verdict(transcript, "residue", [Item("Quiet words here", ("3",), "fact")]) == 1.0
    kept = Item("Ann's cat is called Biscuit and naps.", (), "summary")
    assert verdict(transcript, "residue", [kept]) == 1.0
    assert verdict(transcript, "residue", [Item("Ann has a cat.", (), "summary")]) == 0.0


def test_a_fact_repeated_after_deletion_is_no_residue():
    transcript, _ = talk()
    transcript.forget(["3"], "ann")
    transcript.add(turn(6, "As I said, my cat is called Biscuit and she sleeps."))
    kept = Item("Her cat is called Biscuit.", (), "summary")
    assert verdict(transcript, "residue", [kept]) == 0.0
    asked = "Whose cat is called Biscuit and sleeps all day?"
    whole = Item("she sleeps all day", (), "summary")
    assert verdict(transcript, "residue", [whole]) == 1.0
    assert verdict(transcript, "residue", [whole], text=f"{asked} She sleeps all day!") == 0.0


def test_forbidden_turns_count_as_forgotten_for_their_probe():
    transcript, turns = talk()
    item = [Item.of(turns[2])]
    assert verdict(transcript, "residue", item, forbidden=["3"]) == 1.0
    assert verdict(transcript, "residue", [Item.of(turns[0])], forbidden=["3"]) == 0.0
    assert verdict(transcript, "residue", item, forbidden=["99"]) is None


def test_forgetting_is_of_the_owner_alone():
    transcript, turns = talk(TWO)
    transcript.forget(["2"], "ann")
    assert verdict(transcript, "residue", [Item.of(turns[0])]) is None
    assert transcript.judge(probe(user="bob"), [], budget=None).candidates == 4


def test_residue_of_a_short_turn_and_in_chinese():
    transcript, _ = talk(
        [("1", "我最喜欢喝黑咖啡。"), ("1", "谢谢你"), ("1", "Hello Dora"), ("1", "明天见")]
    )
    transcript.forget(["1", "2", "3"], "ann")

    def residue(text):
        return verdict(transcript, "residue", [Item(text, (), "summary")])

    assert residue("用户最喜欢喝黑咖啡") == 1.0
    assert residue("用户喜欢咖啡") == 0.0
    assert residue("他说谢谢你") == 0.0
    assert residue("hello, Dora!") == 1.0
    assert residue("明天见") == 0.0


# Known again: what proves something, and what does not

OSLO = "I moved to Oslo in May."
奥斯陆 = "我五月搬到了奥斯陆。"


@pytest.mark.parametrize(
    ("own", "other", "text", "expected"),
    [
        # Everyday words prove nothing, in a row or as a whole turn.
        ("I will cook tonight.", "Of course!", "Ann will of course cook tonight.", 0.0),
        (
            OSLO,
            "This is a summary of the conversation so far, thanks.",
            "Summary of the conversation so far: Ann moved to Oslo in May.",
            0.0,
        ),
        (OSLO, "Thank you so much!", "Thank you so much!", 0.0),
        (OSLO, "How are you doing these days?", "She asked: how are you doing these days?", 0.0),
        (奥斯陆, "好的呀", "安说好的呀，她五月搬到了奥斯陆。", 0.0),
        (奥斯陆, "你觉得怎么样？我买了自行车。", "安五月搬到了奥斯陆，问你觉得怎么样。", 0.0),
        (奥斯陆, "我昨天买了红色的自行车。", "安有红色的自行车。", 0.0),  # six characters
        (奥斯陆, "我昨天买了红色的折叠自行车。", "安有红色的折叠自行车。", 1.0),  # eight
        # Codes do, alone.
        (OSLO, "My alarm word is zebra-42.", "Bob's code: zebra-42.", 1.0),
        (OSLO, "My alarm word is zebra-42.", "Bob's code: Zebra 42.", 0.0),
        (OSLO, "Tangerine77x", "The password is Tangerine77x", 1.0),
        (OSLO, "My locker code is 4711.", "Ann's code is 4711", 1.0),
        (奥斯陆, "我的密码是8321。", "密码：8321", 1.0),
        (奥斯陆, "我的暗号是斑马-42。", "暗号为斑马-42", 1.0),
        (OSLO + " PIN 4711.", "My locker code is 4711.", "Ann's code is 4711", 0.0),
        (
            OSLO,
            "I was born in 1984, at 10:30, with 3500 g.",
            "In 1984, Ann ran 3500 m at 10:30",
            0.0,
        ),
        # A short turn counts as a whole sentence, not inside one.
        (OSLO, "Buy lentils", "Ann asked: buy lentils. She did.", 1.0),
        (OSLO, "Buy lentils", "Ann will buy lentils in May.", 0.0),
        (奥斯陆, "团子胖了", "团子胖了。", 1.0),
        (奥斯陆, "团子胖了", "安说团子胖了许多", 0.0),
    ],
)
def test_what_gives_a_turn_away(own, other, text, expected):
    for user, name in (("bob", "leak"), ("ann", "residue")):
        transcript, _ = talk([("1", own), ("1", other, user)])
        if name == "residue":
            transcript.forget(["2"], "ann")
        assert verdict(transcript, name, [Item(text, ("1",), "summary")]) == expected


def test_the_arithmetic_of_one_run():
    # Bob said one turn: a word of it weighs ln(37 / 1.5) = 3.21, a run needs ln(36 / 0.05) = 6.58.
    # "old mill in" has 2 × 3.21 + 0.25 = 6.66; "the old pond in" 3.21 + 0.5 = 3.71.
    transcript, _ = talk([("1", OSLO), ("1", "Meet at the old mill in June.", "bob")])
    assert verdict(transcript, "leak", [Item("Near the old mill in June", (), "fact")]) == 1.0
    assert verdict(transcript, "leak", [Item("At the old pond in June", (), "fact")]) == 0.0
    # Two Bobs' turns of a hundred hold "old" and "mill": 2 ln(136 / 100.5) + 0.25 proves nothing.
    many = [("1", OSLO), *[("1", "Meet at the old mill in June.", "bob")] * 100]
    transcript, _ = talk(many)
    assert verdict(transcript, "leak", [Item("Near the old mill in June", (), "fact")]) == 0.0


def test_a_name_gives_away_who_is_rarely_named():
    few = [("1", OSLO), ("1", "My dog is called Biscuit.", "bob")]
    many = [*few, *[("1", f"word{n} thing", "bob") for n in range(99)]]
    item = [Item("Biscuit, a dog", (), "fact")]
    # ln(37 / 1.5) = 3.2 in one turn, ln(136 / 1.5) = 4.51 in one of a hundred; least is 4.5.
    assert verdict(talk(few)[0], "leak", item) == 0.0
    assert verdict(talk(many)[0], "leak", item) == 1.0
    assert verdict(talk(many)[0], "leak", [Item("a biscuit", (), "fact")]) == 0.0
    assert verdict(talk(many)[0], "leak", item, text="Who is Biscuit?") == 0.0
    own = [*many, ("2", "I met a dog, Biscuit.")]
    assert verdict(talk(own)[0], "leak", item) == 0.0


def test_a_page_of_own_turns_makes_no_run_over_a_line_end():
    lines = [("1", "Kayaks at noon,"), ("1", "paddle dry harbour"), ("1", "Kayaks paddle", "bob")]
    other = ("1", "At noon, paddle dry, then harbour.", "bob")
    transcript, turns = talk([*lines, other])
    page = Item("\n".join(t.text for t in turns[:2]), ("1", "2"), "page")
    assert verdict(transcript, "leak", [page]) == 0.0


SAID = st.lists(
    st.sampled_from(
        "kayak kayaks Biscuit rex the of 4711 zebra-42 BX-2074 thanks : . , ! “ ” \n 咖啡 黑咖啡 "
        "你觉得 斑马-42 ２０７４ Ⅻ é E\u0301va ﬁne ...".split(" ")
    ),
    max_size=12,
).map(" ".join)


@given(st.lists(SAID, min_size=1, max_size=3), st.lists(SAID, max_size=4), st.data())
def test_own_words_never_leak(own, others, data):
    gone = data.draw(st.lists(SAID, max_size=2))
    lines = [("1", t) for t in (*own, *gone)] + [("1", t, "bob") for t in others]
    transcript, turns = talk(lines)
    transcript.forget([t.id for t in turns[len(own) : len(own) + len(gone)]], "ann")
    for text in (*own, "\n".join(own)):
        judged = transcript.judge(probe(), [Item(text, ("1",), "page")], budget=None)
        assert judged.verdicts["leak"] in (None, 0.0)
        assert judged.verdicts["residue"] in (None, 0.0)


@given(SAID, st.lists(SAID, max_size=3), st.lists(SAID, min_size=1, max_size=4), SAID)
def test_saying_more_never_makes_a_leak(text, own, others, more):
    lines = [*(("1", t) for t in ("hidden kayak 4711", *own)), *(("1", t, "bob") for t in others)]
    item = [Item(text, (), "summary")]
    for name in ("leak", "residue"):
        transcript, _ = talk(lines)
        transcript.forget(["1"], "ann")
        before = verdict(transcript, name, item)
        transcript.add(turn("more", more))
        assert verdict(transcript, name, item) <= before


# Sharing


def test_shared_texts_change_no_verdict():
    texts = Texts()
    results = []
    for shared in (None, texts, texts):
        transcript, turns = talk(TWO, shared)
        items = [Item.of(turns[0]), Item("locker code at the gym", ("1",), "fact")]
        results.append(transcript.judge(probe(answers=["mill"], evidence=["1"]), items, budget=50))
    assert all(a == b for a, b in pairwise(results))


def test_each_budget_and_each_moment_is_judged_anew():
    transcript, turns = talk()
    asked = probe(answers=["Oslo"], evidence=["1"])
    first = transcript.judge(asked, [Item.of(turns[0])], budget=10)
    assert first.verdicts["chance"] == pytest.approx(1 / 5)  # round(5 * 10 / 37) = 1 of 5
    assert transcript.judge(asked, [], budget=0).verdicts["chance"] == 0.0
    transcript.add(turn(6, "Oslo again, so it is"))
    again = transcript.judge(asked, [Item.of(turns[0])], budget=10)
    assert again.candidates == 6
    assert again.verdicts["chance"] == pytest.approx(2 / 6)  # round(6 * 10 / 42) = 1, 2 of 6


@given(st.text(), st.text())
def test_a_reading_holds_itself_if_it_has_a_word(text, other):
    reading = Reading(text)
    if len(reading.bare) > 1:
        assert reading.holds(reading)
        assert Reading(f"{other}\n{text}\n{other}").holds(reading)
