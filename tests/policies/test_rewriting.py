"""Questions rewritten: pronouns, ellipsis, dates and words, in English and Chinese."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.policies import QueryRewriter
from memlab.types import Query, Turn

NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)  # a Wednesday
OFF = {
    "pronouns": False,
    "ellipsis": False,
    "dates": False,
    "spelling": False,
    "translation": False,
}


def said(*texts, speaker="", role="user", session="1"):
    return [
        Turn(
            id=f"t{i}",
            text=text,
            time=NOW - timedelta(minutes=len(texts) - i),
            speaker=speaker,
            role=role,
            session=session,
        )
        for i, text in enumerate(texts)
    ]


def rewritten(text, tail=(), **more):
    return QueryRewriter(**more).rewrite(Query(text, NOW, "ann"), list(tail)).text


@pytest.mark.parametrize(
    ("told", "asked", "meant"),
    [
        ("I met Ana in Oslo.", "Where did she go?", "Where did Ana go?"),
        ("I met Ana in Oslo.", "What is her job?", "What is Ana's job?"),
        ("I met Ana in Oslo.", "Did I call her?", "Did I call Ana?"),
        ("Ana and Bob came.", "Is he well?", "Is Bob well?"),
        ("Ana and Bob came.", "Is she well, and her dog?", "Is Ana well, and Ana's dog?"),
        ("My sister is ill.", "Where is she?", "Where is My sister?"),
        ("Robin left. He was tired.", "Why did he leave?", "Why did Robin leave?"),
        ("I met Ana in Oslo.", "What did Eve say to her?", "What did Eve say to her?"),
        ("I met Ana in Oslo.", "Is he well?", "Is he well?"),
        ("It rained in Oslo.", "Is she well?", "Is she well?"),
        ("昨天我和李雷去爬山。", "他住在哪里？", "李雷住在哪里？"),
        ("我姐姐搬家了。", "她的新家在哪？", "我姐姐的新家在哪？"),
        ("昨天我和李雷去爬山。", "那个当厨师的人，他多大？", "那个当厨师的人，他多大？"),
        ("昨天我和李雷去爬山。", "他们去了哪里？", "他们去了哪里？"),
    ],
)
def test_a_pronoun_is_whom_the_turns_named_last(told, asked, meant):
    assert rewritten(asked, said(told), **{**OFF, "pronouns": True}) == meant


def test_speakers_count_as_named():
    tail = [*said("Hi!", speaker="Ana"), *said("Hello.", speaker="Otto", role="assistant")]
    assert rewritten("What does she do?", tail) == "What does Ana do?"


@pytest.mark.parametrize("session", ["1", "2"])
def test_only_the_last_session_and_the_last_day_are_looked_at(session):
    old, new = said("I met Ana.", session="1"), said("It rains.", session=session)
    found = rewritten("Where is she?", [*old, *new])
    assert found == ("Where is Ana?" if session == "1" else "Where is she?")
    assert rewritten("Where is she?", old, hours=0.0) == "Where is she?"


@pytest.mark.parametrize(
    ("told", "asked", "more"),
    [
        ("Where does Ana work now?", "And Bob?", " Where does Ana work now?"),
        ("Where does Ana work now?", "Why?", " Where does Ana work now?"),
        ("李雷现在在哪里上班？", "那王伟呢？", " 李雷现在在哪里上班？"),
        ("李雷现在在哪里上班？", "什么时候？", " 李雷现在在哪里上班？"),
        ("Where does Ana work now?", "Where is my flat?", ""),
        ("Where does Ana work now?", "And where did I park my red car?", ""),
        ("李雷现在在哪里上班？", "我的生日是什么时候？", ""),
    ],
)
def test_an_elliptic_question_gets_the_message_before(told, asked, more):
    assert rewritten(asked, said(told), **{**OFF, "ellipsis": True}) == asked + more


def test_the_asker_completes_not_the_answer():
    tail = [*said("Where does Ana work now?"), *said("At a bakery in Oslo.", role="assistant")]
    assert rewritten("And Bob?", tail, **{**OFF, "ellipsis": True}).endswith("Ana work now?")


@pytest.mark.parametrize(
    ("asked", "more"),
    [
        # 8 May 2024 is a Wednesday; the week before is 29 April to 5 May.
        ("What did I lose yesterday?", " 7 May 2024"),
        ("What did I do last Friday?", " 3 May 2024"),
        ("What did I do last weekend?", " 4 May 2024 5 May 2024"),
        ("Where did I go last month?", " April 2024"),
        ("Where did I go last year?", " 2023"),
        ("我上周三去了哪里？", " 2024年5月1日"),
        ("我去年夏天去了哪里？", " 2023年6月 2023年7月 2023年8月"),
        ("What happened on 3 May 2024?", ""),
        ("What may I eat?", ""),
    ],
)
def test_dates_are_added_as_turns_are_dated(asked, more):
    assert rewritten(asked, **{**OFF, "dates": True}) == asked + more


def test_a_question_is_made_to_stand_alone_on_the_dialogues_clock():
    tail = said("I met Ana in Oslo.", "Where does Ana work now?")
    assert rewritten("Did she call yesterday?", tail) == "Did Ana call yesterday? 7 May 2024"
    assert rewritten("And Bob?", tail) == "And Bob? Where does Ana work now?"
    later = Query("Did she call yesterday?", NOW + timedelta(hours=13), "ann")
    assert QueryRewriter().rewrite(later, tail).text == "Did Ana call yesterday? 8 May 2024"
    chinese = rewritten("他昨天来了吗？", said("我和李雷去爬山了。"))
    assert chinese == "李雷昨天来了吗？ 2024年5月7日"


def test_words_are_widened():
    assert rewritten("my favourite colour") == "my favourite colour favorite color"
    assert rewritten("Which film?", synonyms=True) == "Which film? movie"


def test_words_are_translated_only_where_the_other_language_is_spoken():
    assert rewritten("Which city?", said("我住在杭州。")) == "Which city? 城市"
    assert rewritten("Which city?", said("I live in Oslo.")) == "Which city?"


def test_a_question_that_stands_alone_is_the_same_object():
    query = Query("What did Ana buy?", NOW, "ann")
    assert QueryRewriter().rewrite(query, said("I met Eve.")) is query


@given(st.text(), st.lists(st.text(), max_size=4), st.booleans())
def test_any_text_is_rewritten_alike_twice(asked, texts, synonyms):
    tail = said(*texts)
    first, second = (rewritten(asked, tail, synonyms=synonyms) for _ in range(2))
    assert first == second


@given(st.text())
def test_with_all_parts_off_nothing_changes(asked):
    assert rewritten(asked, said("I met Ana."), **OFF) == asked
