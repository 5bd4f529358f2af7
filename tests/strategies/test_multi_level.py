"""Levels: the current exchange, recent dialogue, summary, facts."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.naming import component
from memlab.protocols import Passage
from memlab.run import Run
from memlab.strategies import MultiLevel
from memlab.types import Query, Turn, utc

START = utc("2024-01-01T09:00")
LATER = START + timedelta(days=30)


@component
class Ids:
    """Summarise by ids: one passage that names every turn it was ever given."""

    def summarize(self, passages, tokens, counter):
        sources = tuple(s for p in passages for s in p.sources)
        return [Passage(" ".join(sources), sources)]


@component
class Endless:
    """Keep to no limit."""

    def summarize(self, passages, tokens, counter):
        return [Passage("word " * (tokens + 1), passages[0].sources)]


def chat(count, user="ann"):
    return [
        Turn(
            id=f"t{n}",
            text=f"Message {n}.",
            time=START + timedelta(minutes=n),
            role="assistant" if n % 2 else "user",
            user=user,
        )
        for n in range(count)
    ]


def told(memory, turns):
    memory.reset()
    memory.attach(Run())
    for turn in turns:
        memory.write(turn)
    return memory


def read(memory, budget=None, user="ann"):
    return memory.read(Query("?", LATER, user), budget)


def raw(memory):
    return [int(item.sources[0][1:]) for item in read(memory) if item.kind == "turn"]


def summarised(memory):
    return [int(s[1:]) for item in read(memory) if item.kind == "summary" for s in item.sources]


def levels(**more):
    return MultiLevel(summarizer=Ids(), **more)


@pytest.mark.parametrize("count", range(1, 40))
def test_a_tail_of_raw_dialogue_is_always_there(count):
    memory = told(levels(), chat(count))
    assert raw(memory)[: min(count, 5)] == list(range(count - 1, max(-1, count - 6), -1))
    # Every message is in exactly one level.
    assert sorted([*raw(memory), *summarised(memory)]) == list(range(count))


def test_after_message_ten_raw_dialogue_remains():
    # Ten messages: four exchanges are short-term memory, the fifth is going on.
    assert raw(told(levels(), chat(10))) == list(range(9, -1, -1))
    # With the eleventh, short-term memory holds ten: all but the last five are summarised.
    memory = told(levels(), chat(11))
    assert raw(memory) == [10, 9, 8, 7, 6, 5]
    assert summarised(memory) == [0, 1, 2, 3, 4]
    assert memory.stats()["compressions"] == 1
    assert memory.stats()["turns summarised"] == 5


def test_without_a_tail_only_the_current_exchange_is_raw():
    memory = told(levels(tail=0), chat(11))
    assert raw(memory) == [10]
    assert summarised(memory) == list(range(10))


def test_a_summary_carries_the_earlier_one_on():
    # 0 to 4 at message 11, 5 to 9 once ten are there again: at 5 + 6 = 11 by message 17.
    memory = told(levels(), chat(17))
    assert memory.stats()["compressions"] == 2
    assert summarised(memory)[:5] == [0, 1, 2, 3, 4]


def test_facts_come_from_the_user_alone():
    turns = chat(30)
    turns[0] = Turn(id="t0", text="我叫张三，我喜欢 Python", time=START, user="ann")
    turns[1] = Turn(id="t1", text="我叫小助手", time=START, role="assistant", user="ann")
    found = [item.text for item in read(told(levels(), turns)) if item.kind == "fact"]
    # Equally important, so the one said last comes first.
    assert found == ["我喜欢 Python", "我叫张三"]


def test_the_levels_share_one_budget():
    memory = told(levels(tokens=60), chat(60))
    for budget in (*range(0, 80, 5), None):
        used = sum(memory.run.count(item.text) for item in read(memory, budget))
        assert used <= min(60, 60 if budget is None else budget)


def test_after_a_deletion_the_levels_are_those_of_what_remains():
    turns = chat(31)
    memory = told(levels(), turns)
    memory.forget(["t2", "t30"], "ann")
    never = told(levels(), [turn for turn in turns if turn.id not in ("t2", "t30")])
    assert read(memory) == read(never)
    assert "t2" not in " ".join(item.text for item in read(memory))


def test_a_call_and_its_result_are_summarised_together_or_not_at_all():
    turns = chat(40)
    for n in range(40):
        if n % 8 in (5, 6):
            role = "assistant" if n % 8 == 5 else "tool"
            call = {"call": f"c{n // 8}"}
            turns[n] = Turn(
                id=f"t{n}", text=f"{role} {n}", time=turns[n].time, role=role, user="ann", meta=call
            )
    for count in range(1, 41):
        memory = told(levels(), turns[:count])
        for item in read(memory):
            for source in item.sources:
                n = int(source[1:])
                if n % 8 == 6:
                    assert item.kind == "turn" or f"t{n - 1}" in item.sources


@given(st.lists(st.sampled_from(["user", "assistant", "system", "tool"]), max_size=40))
def test_whoever_speaks_no_message_is_lost(roles):
    turns = [
        Turn(id=f"t{n}", text=f"Message {n}.", time=START, role=role, user="ann")
        for n, role in enumerate(roles)
    ]
    memory = told(levels(tokens=10_000), turns)
    assert sorted([*raw(memory), *summarised(memory)]) == list(range(len(roles)))


def test_sections_are_labelled_in_both_languages():
    turns = [
        Turn(id=f"t{n}", text=text, time=START, role="assistant" if n % 2 else "user", user="ann")
        for n, text in enumerate(["我叫张三。", "你好！", "今天下雨。", "是的。", "那就在家。"])
    ]
    memory = told(levels(short_term=3, tail=1), turns)
    shown = memory.render(Query("?", LATER, "ann"))
    assert shown.text == (
        "【用户信息】\n我叫张三\n\n【历史摘要】\nt0 t1 t2\n\n"
        "【近期对话】\nassistant: 是的。\n\n【当前对话】\nuser: 那就在家。"
    )
    turns = chat(5)
    turns[0] = Turn(id="t0", text="I like tea.", time=START, user="ann")
    english = told(levels(short_term=3, tail=1), turns).render(Query("?", LATER, "ann"))
    labels = ["[User information]", "[History summary]", "[Recent dialogue]", "[Current dialogue]"]
    assert [line for line in english.text.splitlines() if line.startswith("[")] == labels


def test_a_summary_over_its_limit_is_told():
    with pytest.raises(ContractError, match="at most 1000"):
        told(MultiLevel(summarizer=Endless()), chat(12))


def test_summaries_and_facts_are_held():
    turns = chat(12)
    turns[0] = Turn(id="t0", text="I like tea.", time=START, user="ann")
    kinds = {held.kind for held in told(levels(), turns).held()}
    assert kinds == {"turn", "summary", "fact"}


@pytest.mark.parametrize(
    "wrong", [{"tail": 10}, {"working": 0}, {"short_term": 0}, {"summarizer": 3}, {"tokens": -1}]
)
def test_wrong_fields_are_told(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        MultiLevel(**wrong).reset()
