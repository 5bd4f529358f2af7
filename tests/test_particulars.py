"""What a sentence says exactly, and what is only small talk, in English and Chinese."""

import pytest

from memlab.particulars import is_small_talk, particulars


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("I moved to Paris, France.", {"paris", "france"}),
        ("Yeah, I painted that lake last year!", {"last year"}),
        ("My locker code is BX-2074.", {"2074"}),
        ("See you on Friday, Ana!", {"friday"}),
        ("We saw “The Third Man” two weeks ago.", {"“the third man”", "third", "man", "two"}),
        ("我叫张三。", {"张三"}),
        ("谢谢你，再见！", set()),
        ("王芳在上周三去了三次银行。", {"王芳", "上周三", "三次"}),
        ("I like tea.", set()),
    ],
)
def test_what_is_exact(sentence, found):
    assert found <= particulars(sentence)
    assert found or not particulars(sentence)


@pytest.mark.parametrize(
    ("sentence", "idle"),
    [
        ("Hey Caroline!", True),
        ("That's great, Mel!", True),
        ("I totally agree, Melanie.", True),
        ("Thanks, and see you on Friday.", False),
        ("Wow, love that painting!", False),
        ("My flight leaves at 7.", False),
        ("你好！", True),
        ("好的，没问题。", True),
        ("今天天气很好。", False),
        ("谢谢，我住在北京。", False),
        ("", True),
    ],
)
def test_small_talk(sentence, idle):
    assert is_small_talk(sentence) == idle
