"""Words by purpose, negated or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.lexicon import has, hits, says


@pytest.mark.parametrize(
    ("purpose", "text", "negated"),
    [
        ("important", "这不重要", True),
        ("important", "这不是很重要", True),
        ("important", "没什么要紧", True),
        ("important", "这是不重要的", True),
        ("important", "不仅重要", False),
        ("important", "不过很重要", False),
        ("important", "特别重要", False),
        ("important", "别人都说重要", False),
        ("important", "不得不说很重要", False),
        ("important", "It isn't really important", True),
        ("important", "It is not at all urgent", True),
        ("important", "not only important", False),
        ("important", "No, it is important", False),
        ("important", "Don't forget the important meeting", False),
        ("attitude", "我不喜欢茶", True),
        ("decision", "I never decided that", True),
    ],
)
def test_a_word_is_negated_by_its_own_clause(purpose, text, negated):
    assert [hit.negated for hit in hits(purpose, text)] == [negated]
    assert says(purpose, text) is not negated
    assert has(purpose, text)


@pytest.mark.parametrize(
    ("purpose", "text"),
    [
        ("important", "He imports keyboards."),  # "import", "key" inside words
        ("attitude", "It looks like rain."),
        ("identity", "What is my name?"),
        ("remember", "你还记得我的名字吗？"),
        ("feeling", "麻烦请让一下，烦请签收"),
    ],
)
def test_parts_of_words_and_other_senses_are_no_hits(purpose, text):
    assert not has(purpose, text)


@pytest.mark.parametrize("text", ["记住这个", "别忘了带伞", "Remember this", "please don't forget"])
def test_a_request_to_remember_is_not_a_negation(text):
    assert says("remember", text)


@given(st.text(max_size=200))
def test_a_hit_is_what_stands_there(text):
    for hit in hits("important", text):
        assert text[hit.start : hit.start + len(hit.text)] == hit.text
