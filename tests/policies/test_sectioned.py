"""Important facts and relevant history in sections."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.policies import SectionedContext
from memlab.tokens import CachedCounter, tokenizer
from memlab.types import Item

COUNTER = CachedCounter(tokenizer())


def shown(texts, budget=None, importance=None, **more):
    items = [Item(text) for text in texts]
    return SectionedContext(**more).render(items, COUNTER, budget, importance)


def test_what_is_above_the_cut_is_important():
    found = shown(["a key", "a walk", "a door"], importance=[0.71, 0.2, 0.7])
    assert found.text == "[Important facts]\n- a key\n\n[Relevant history]\na walk\na door"
    assert found.tokens == COUNTER.count(found.text)


def test_the_scorer_tells_what_is_important_where_nobody_else_does():
    # Keyword 0.4, emotion 0.2, 20 words 0.2: 0.8. The other: 0.05 + 0.05.
    text = "It is very important " + "that the gate is shut " * 4
    assert shown(["It rains.", text]).text.startswith("[Important facts]\n- It is very")


def test_the_labels_are_in_both_languages():
    found = shown(["门禁号是 1391", "今天下雨"], importance=[0.9, 0.1])
    assert found.text == "【重要信息】\n- 门禁号是 1391\n\n【相关历史】\n今天下雨"
    assert shown(["今天下雨"], language="en").text == "[Relevant history]\n今天下雨"
    assert shown(["It rains."], language="zh").text == "【相关历史】\nIt rains."


def test_nothing_comes_twice_and_no_section_is_empty():
    found = shown(["a key", "A key.", "a walk"], importance=[0.9, 0.1, 0.9])
    assert found.text == "[Important facts]\n- a key\n- a walk"
    assert (found.lines, found.repeated, found.dropped) == (2, 1, 0)
    assert shown(["", " "]).text == ""


def test_line_breaks_stay():
    assert shown(["one\ntwo"]).text == "[Relevant history]\none\ntwo"


def test_what_finds_no_room_is_counted_and_shorter_items_still_come():
    long, short = "a very long walk " * 20, "a walk"
    found = shown([long, short], budget=20)
    assert found.text == "[Relevant history]\na walk"
    assert found.dropped == 1


def test_the_budget_holds_in_chinese():
    # 20,000 characters are far more than 4,000 tokens, so nothing of them comes.
    assert shown(["茶" * 20_000]).text == ""
    assert shown(["茶" * 20_000]).dropped == 1


TEXTS = st.lists(st.text(max_size=60), max_size=12)


@given(TEXTS, st.integers(0, 120))
def test_a_context_keeps_to_its_budget_and_loses_nothing_unseen(texts, budget):
    found = shown(texts, budget)
    assert found.tokens == COUNTER.count(found.text) <= budget
    said = sum(bool(text.strip()) for text in texts)
    assert found.lines + found.repeated + found.dropped == said
    assert "[Relevant history]" not in found.text or found.lines


def test_wrong_fields_are_told():
    with pytest.raises(ConfigError, match="important=2"):
        shown([], important=2.0)
    with pytest.raises(ConfigError, match="one for each of 1"):
        shown(["a"], importance=[])
    with pytest.raises(ConfigError, match="language"):
        shown([], language="fr")
