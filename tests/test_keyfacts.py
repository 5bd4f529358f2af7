"""Facts in clauses, in both languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.keyfacts import Found, found, original


def pairs(text):
    return [(f.predicate, f.object) for f in found(text) if isinstance(f, Found)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我叫张三，我喜欢 Python", [("name", "张三"), ("like", "Python")]),
        ("我的名字是张三", [("名字", "张三")]),
        ("我最喜欢的颜色是蓝色。", [("最喜欢的颜色", "蓝色")]),
        ("我住在杭州，在学弹吉他。", [("home", "杭州")]),
        ("我对花生过敏", [("allergy", "花生")]),
        ("我喜欢苹果、香蕉和梨。", [("like", "苹果、香蕉和梨")]),
        ("我希望下周去北京", [("want", "下周去北京")]),
        ("我偏好深色模式", [("prefer", "深色模式")]),
        ("My name is Ann and I live in Oslo.", [("name", "Ann"), ("home", "Oslo")]),
        ("I love tea, coffee, and cake but not milk", [("like", "tea, coffee, and cake")]),
        ("On trains I like the upper deck.", [("like", "the upper deck")]),
        ("My dog is a corgi, and I prefer cats.", [("dog", "a corgi"), ("prefer", "cats")]),
        ("I'd like to see Rome.", [("want", "to see Rome")]),
        ("Tempeh is my favourite food", [("favourite food", "Tempeh")]),
        ("My sister likes mud", [("my sister", "likes mud")]),
        ("I'm allergic to peanuts.", [("allergy", "peanuts")]),
        ("We agreed to meet on Monday.", [("decision", "We agreed to meet on Monday")]),
        ("我们决定下周一开会。", [("decision", "我们决定下周一开会")]),
    ],
)
def test_a_fact_ends_with_its_clause_and_keeps_its_predicate(text, expected):
    assert pairs(text) == expected


@pytest.mark.parametrize(
    ("text", "liked"),
    [
        ("我不喜欢香菜", "香菜"),
        ("我讨厌加班", "加班"),
        ("我不吃香菜", "香菜"),
        ("I don't like tea", "tea"),
        ("I no longer love tea", "tea"),
        ("I can't stand noise", "noise"),
        ("I really hate mud.", "mud"),
    ],
)
def test_what_is_not_liked_is_a_dislike(text, liked):
    assert pairs(text) == [("dislike", liked)]


@pytest.mark.parametrize(
    "text",
    [
        "我叫什么？",
        "我应该选择哪个？",
        "我喜欢什么",
        "What is my name?",
        "Do you know what I like?",
        "Should I choose tea?",
        "我不叫李四",
        "我不住在北京",
        "我不讨厌加班",
        "我还没决定",
        "I don't live in Oslo",
        "I don't hate noise",
        "I haven't decided yet.",
        "I never agreed to that",
        "If I like it, I buy it.",
        "She said I like tea",
        "请告诉我喜欢的人",
        "I used to like tea",
        "I love it!",
        "I picked that up from her",
        "The weather is nice today.",
        "",
    ],
)
def test_questions_denials_and_reports_state_nothing(text):
    assert pairs(text) == []


def test_what_looks_like_a_fact_tells_why_it_is_none():
    told = "I don't live in Oslo. She said I like tea. Do I like tea?"
    assert list(found(told)) == ["negation", "reported", "question"]
    assert list(found("I like " + "very " * 40 + "long stories")) == ["too long"]


def test_the_original_is_greedy_and_blind():
    # The values of the original's own code: to the end of the line, without the predicate.
    assert list(original("我叫张三，我喜欢 Python")) == [
        ("fact", " Python"),
        ("fact", "张三，我喜欢 Python"),
    ]
    assert list(original("我的名字是张三")) == [("fact", "名字")]
    assert list(original("我叫什么？")) == [("fact", "什么？")]
    assert list(original("我应该选择哪个？")) == [("decision", "我应该选择哪个？")]
    assert list(original("I like tea. It rains.")) == [("fact", "tea. It rains.")]
    assert list(original("my name is Ann")) == [("fact", "Ann"), ("fact", "name")]


@given(st.text(max_size=300))
def test_an_object_is_part_of_its_text_and_no_text_is_too_odd(text):
    for one in found(text):
        if isinstance(one, Found):
            assert one.object
            assert "".join(one.object.split()) in "".join(text.split())
