"""Facts beside the last exchanges."""

from datetime import timedelta

import pytest

from memlab.errors import ConfigError
from memlab.strategies import ImportanceAware
from memlab.types import Query, Turn, utc

START = utc("2024-01-01T09:00")
LATER = START + timedelta(days=1)


def items(memory, budget=None, user="ann"):
    return memory.read(Query("?", LATER, user), budget)


def facts(memory, **more):
    return [item.text for item in items(memory, **more) if item.kind == "fact"]


def test_facts_of_long_ago_stand_beside_the_last_five_exchanges(told, turns):
    chat = [text for n in range(20) for text in (f"Rain on day {n}.", "Indeed.")]
    memory = told(ImportanceAware(), turns("My name is Ann.", "Hello.", *chat))
    found = items(memory)
    assert [i.text for i in found if i.kind == "fact"] == ["My name is Ann"]
    # The last five of 21 exchanges are the turns 32 to 41.
    assert {i.sources[0] for i in found if i.kind == "turn"} == {f"t{n}" for n in range(32, 42)}
    # The exchange that goes on comes first, then the facts, then the others.
    assert [i.sources[0] for i in found[:4]] == ["t41", "t40", "t0", "t39"]


def test_the_defaults_are_4000_tokens_and_five_exchanges():
    memory = ImportanceAware()
    assert (memory.tokens, memory.exchanges) == (4000, 5)


def test_the_newest_value_of_a_slot_holds_and_the_older_are_kept(told, turns):
    texts = ("I live in Oslo.", "Ok.", "I live in Rome.", "Ok.", "I like tea.", "Ok.")
    memory = told(ImportanceAware(), turns(*texts))
    assert facts(memory) == ["I like tea", "I live in Rome"]
    held = [fact.object for fact in memory.versions("ann")["user/home"]]
    assert held == ["Oslo", "Rome"]
    assert memory.stats()["facts superseded"] == 1


def test_what_is_liked_no_more_is_superseded(told, turns):
    memory = told(ImportanceAware(), turns("I like tea.", "Ok.", "I no longer like tea."))
    assert facts(memory) == ["I no longer like tea"]


def test_a_deleted_value_lets_the_one_before_hold_again(told, turns):
    memory = told(ImportanceAware(), turns("I live in Oslo.", "Ok.", "I live in Rome.", "Ok."))
    memory.forget(["t2"], "bob")
    assert facts(memory) == ["I live in Rome"]
    memory.forget(["t2"], "ann")
    assert facts(memory) == ["I live in Oslo"]


def test_after_a_deletion_facts_stand_as_if_it_had_never_been_said(told, turns):
    texts = ("I like tea. I like milk.", "Ok.", "I like tea.", "Ok.", "I like jam.")
    memory, never = told(ImportanceAware(), turns(*texts)), told(ImportanceAware(), [])
    for turn in turns(*texts):
        if turn.id != "t2":
            never.write(turn)
    memory.forget(["t2"], "ann")
    assert facts(memory) == facts(never) == ["I like jam", "I like milk", "I like tea"]


def test_a_fact_told_twice_is_one_item_with_both_sources(told, turns):
    memory = told(ImportanceAware(), turns("I like tea.", "Ok.", "Oh yes, I like tea!"))
    (fact,) = [item for item in items(memory) if item.kind == "fact"]
    assert fact.sources == ("t0", "t2")
    assert memory.stats()["facts merged"] == 1


def test_only_the_users_words_become_facts(told, turns):
    memory = told(ImportanceAware(), turns("你好", "我叫小助手，我喜欢帮助你。"))
    assert facts(memory) == []


def test_decisions_are_labelled(told, turns):
    memory = told(
        ImportanceAware(), turns("We agreed to meet on Monday.", "Ok.", "我决定用 Rust。")
    )
    assert facts(memory) == ["决策: 我决定用 Rust", "Decision: We agreed to meet on Monday"]


def test_more_important_facts_come_first(told, turns):
    # A habit without a word of the lexicon is neutral; a name is important.
    memory = told(ImportanceAware(exchanges=0), turns("My name is Ann.", "Ok.", "I drive a van."))
    assert facts(memory) == ["My name is Ann", "I drive a van"]


def test_facts_take_half_of_the_tokens_at_most(told, turns):
    texts = [t for n in range(40) for t in (f"I like number {n}.", "Ok.")]
    memory = told(ImportanceAware(tokens=100), turns(*texts))
    found = items(memory)
    kept = [item for item in found if item.kind == "fact"]
    assert sum(memory.run.count(item.text) for item in found) <= 100
    assert 0 < sum(memory.run.count(item.text) for item in kept) <= 50
    assert kept[0].text == "I like number 39"


def test_the_context_has_labels_and_keeps_to_its_budget(told, turns):
    memory = told(
        ImportanceAware(exchanges=1), turns("我叫张三。", "你好！", "今天下雨。", "是的。")
    )
    shown = memory.render(Query("?", LATER, "ann"))
    assert shown.text == (
        "【重要信息】\n- 我叫张三\n\n【最近对话】\nuser: 今天下雨。\nassistant: 是的。"
    )
    english = told(ImportanceAware(exchanges=1), turns("My name is Ann.", "Hello.", "It rains."))
    text = english.render(Query("?", LATER, "ann")).text
    shown_lines = ["[Important facts]", "- My name is Ann", "", "[Recent dialogue]"]
    assert text.splitlines() == [*shown_lines, "user: It rains."]
    for budget in range(0, 60, 3):
        cut = memory.render(Query("?", LATER, "ann"), budget)
        assert cut.tokens == memory.run.count(cut.text) <= budget


def test_users_have_facts_of_their_own(told, turns):
    mine, yours = turns("I like tea."), turns("I like milk.", user="bob", first=9)
    memory = told(ImportanceAware(), [*mine, *yours])
    assert facts(memory) == ["I like tea"]
    assert facts(memory, user="bob") == ["I like milk"]


def test_facts_are_held_until_forgotten(told, turns):
    memory = told(ImportanceAware(), turns("I live in Oslo.", "Ok.", "I live in Rome."))
    assert [h.text for h in memory.held() if h.kind == "fact"] == [
        "I live in Oslo",
        "I live in Rome",
    ]


@pytest.mark.parametrize("wrong", [{"exchanges": -1}, {"tokens": 2.5}, {"facts": 3}])
def test_wrong_fields_are_told(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        ImportanceAware(**wrong).reset()


def test_a_long_newest_message_comes_cut_short(told):
    turn = Turn(id="t0", text="so long a story " * 50, time=START, user="ann")
    (item,) = items(told(ImportanceAware(), [turn]), budget=10)
    assert item.kind == "excerpt"
