"""Spellings of names."""

import pytest

from memlab.reading.captions import IMAGES, captioned
from memlab.reading.people import Otherwise, meant, otherwise

NAMES = ["Muhhamed", "Fahim Khan"]


@pytest.mark.parametrize(
    ("spelt", "place"),
    [
        ("Fahim Khan", 1),
        ("fahim khan ", 1),
        ("Fahim", 1),
        ("Muhamed", 0),
        ("Muhammad", 0),  # 2 × 6 matching letters / (8 + 8) = 0.75
        ("Zoe", None),
        ("", None),
        ("Khan Muhhamed", None),  # a word of each
    ],
)
def test_who_is_meant(spelt, place):
    assert meant(spelt, NAMES) == place


def test_names_that_no_question_has():
    questions = [
        "When did Fahim Khan run?",
        "Why did Muhammad's friend come?",
        "Where does Muhammad live in Chicago?",
    ]
    assert otherwise(NAMES, questions) == [Otherwise("Muhhamed", "Muhammad", 2)]
    assert otherwise(["Fahim", "Muhammad"], questions) == []
    # A nickname: no near spelling, so the most frequent capitalised word of nobody.
    asked = ["What does Elise like?", "Did Elise and Kevin meet?", "Is Kevin in Rome with Elise?"]
    assert otherwise(["Kevin", "Lulu"], asked) == [Otherwise("Lulu", "Elise", 3)]
    assert otherwise(["Kevin", "Lulu"], ["who?"]) == [
        Otherwise("Kevin", "", 0),
        Otherwise("Lulu", "", 0),
    ]
    assert otherwise(["Kevin"], []) == []


@pytest.mark.parametrize(
    ("images", "text", "words"),
    [
        ("text", "Look!", None),
        ("caption", "a cat", "Look!"),
        ("text+caption", "Look! [photo: a cat]", "Look!"),
    ],
)
def test_captions(images, text, words):
    shown, meta = captioned("Look!", "a cat", images)
    assert (shown, meta.get("words"), meta["caption"]) == (text, words, "a cat")
    assert captioned("Look!", "", images) == ("Look!", {})


def test_an_image_without_words():
    assert [captioned("", "a cat", i)[0] for i in IMAGES] == ["", "a cat", "[photo: a cat]"]
