"""The bilingual segmenter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.judging.shingles import Reading
from memlab.text import form, sentences, stem, terms, words
from memlab.types import Turn, utc


def turn(text, **more):
    return Turn(id="t", text=text, time=utc("2023-05-08T13:56"), speaker="Ann", **more)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World!", ["hello", "world"]),
        ("don't user_name", ["don", "t", "user", "name"]),
        ("项目使用向量检索", ["项目", "目使", "使用", "用向", "向量", "量检", "检索"]),
        ("プロジェクト記憶", ["プロ", "ロジ", "ジェ", "ェク", "クト", "ト記", "記憶"]),
        ("기억을 저장", ["기억", "억을", "저장"]),
        ("我", ["我"]),
        ("用Python写代码", ["用", "python", "写代", "代码"]),
        ("Café", ["café"]),
        ("Cafe\u0301", ["café"]),
        ("ＡＢＣ１", ["abc1"]),
        ("Straße", ["strasse"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("İstanbul", ["i\u0307stanbul"]),
        ("👩‍👩‍👧 ...", []),
        ("", []),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


@given(st.text())
def test_words_are_total_and_have_no_spaces(text):
    assert all(w and not any(c.isspace() for c in w) for w in words(text))


def test_terms_stem_and_stop_english_alone():
    assert terms("What are the hiking trips?") == ["hike", "trip"]
    assert terms("hiking trips", stemming=False) == ["hiking", "trips"]
    assert terms("the trip", stopping=False) == ["the", "trip"]
    assert stem("徒步") == "徒步"


def test_sentences_in_two_languages():
    text = "Dr. Who arrived at 3.5 p.m. today! 我喜欢茶。你呢？好的；走吧\nBye"
    assert sentences("Pi is 3.14, see www.example.com. Right?") == [
        "Pi is 3.14, see www.example.com.",
        "Right?",
    ]
    assert sentences(text)[-5:] == ["我喜欢茶。", "你呢？", "好的；", "走吧", "Bye"]
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text())
def test_sentences_lose_no_character(text):
    kept = "".join("".join(sentences(text)).split())
    assert kept == "".join(text.split())


@pytest.mark.parametrize(
    ("haystack", "needle", "found"),
    [
        ("I moved to Rome in May", "rome", True),
        ("I moved to Rome in May", "Rom", False),
        ("In May, 2023", "may 2023", True),
        ("我住在北京市", "北京", True),
        ("我住在北京市", "北", False),
        ("我用 Python 写", "用python写", True),
        ("anything", "", False),
        ("anything", "!?", False),
    ],
)
def test_contains_whole_words_or_substrings(haystack, needle, found):
    assert Reading(haystack).holds(Reading(needle)) is found


def test_forms():
    plain = turn("I moved to Rome.")
    assert form("text")(plain) == "I moved to Rome."
    assert form("speaker")(plain) == "Ann: I moved to Rome."
    assert form("dated")(plain) == "8 May 2023 Ann: I moved to Rome."
    assert form("dated")(turn("我搬家了")) == "2023年5月8日 Ann: 我搬家了"
    pictured = turn("Look! [photo: a dog]", meta={"caption": "a dog", "words": "Look!"})
    assert form("said")(pictured) == 'Ann said, "Look!" and shared a dog'
    with pytest.raises(ConfigError, match="did you mean 'speaker'"):
        form("speakers")
