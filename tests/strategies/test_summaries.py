"""Memories that fold: what is whole, what is summarised, once, within its size, per user."""

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.naming import component
from memlab.parsing import parse
from memlab.passages import tokens_of
from memlab.protocols import Passage
from memlab.run import Run
from memlab.strategies import RollingSummary, SegmentedSummary, SummaryBuffer
from memlab.types import Query, Turn, utc

START = utc("2024-05-08T09:00")
RUN = Run()


@component
class Counting:
    """Keeps the beginning of what it is given, and notes each turn it sees in full."""

    share: float = 1.0

    def summarize(self, passages, tokens, counter):
        vars(self).setdefault("seen", []).extend(
            source for one in passages if not one.text.startswith("* ") for source in one.sources
        )
        kept = [Passage("* " + p.text.removeprefix("* "), p.sources, "* ") for p in passages]
        while tokens_of(kept, counter) > tokens:
            kept.pop()
        return kept


@component
class Filling:
    """Writes a summary of exactly as many tokens as it may, from all it is given."""

    def summarize(self, passages, tokens, counter):
        sources = [source for one in passages for source in one.sources]
        text = "tea" + " tea" * (tokens - 1)
        assert counter.count(text) == tokens
        return [Passage(text, tuple(sources))]


@component
class Careless:
    """Does not keep to the tokens, or invents a source."""

    source: str = "t0"

    def summarize(self, passages, tokens, counter):
        return [Passage("tea" + " tea" * (0 if self.source != "t0" else 499), (self.source,))]


def turn(number, text=None, user="ann", **more):
    time = START + timedelta(minutes=number)
    text = f"Turn number {number} is about tea." if text is None else text
    return Turn(id=f"t{number}", text=text, time=time, user=user, speaker="Ann", **more)


def fresh(memory, turns):
    memory.reset()
    memory.attach(RUN)
    for one in turns:
        memory.write(one)
    return memory


def read(memory, budget=100_000, user="ann"):
    return memory.read(Query("tea?", START + timedelta(days=1), user), budget)


def shown(items):
    return [(item.kind, item.sources) for item in items]


def tokens(items):
    return sum(RUN.count(item.text) for item in items)


def whole(items):
    return [item.sources[0] for item in items if item.kind == "turn"]


HUNDRED = "tea" + " tea" * 99


def test_twenty_turns_of_a_hundred_tokens_become_nine_hundred():
    # 1 to 10 and 11 to 15 in 200 tokens each, 16 to 20 whole: 200 + 200 + 500, 55 % of 2000 saved.
    assert RUN.count(HUNDRED) == 100
    turns = [turn(n, HUNDRED) for n in range(1, 21)]
    items = read(fresh(SegmentedSummary(summarizer=Filling()), turns))
    assert [RUN.count(item.text) for item in items] == [100] * 5 + [200, 200]
    assert whole(items) == [f"t{n}" for n in range(20, 15, -1)]
    assert [item.sources for item in items[5:]] == [
        tuple(f"t{n}" for n in range(11, 16)),
        tuple(f"t{n}" for n in range(1, 11)),
    ]
    assert tokens(items) == 900
    assert 1 - tokens(items) / 2000 == 0.55


def test_the_extractive_summaries_of_segments_keep_to_their_size():
    said = [[f"{i * n} boats left Oslo on {i} May." for i in range(1, 8)] for n in range(1, 21)]
    turns = [turn(n, " ".join(sentences)) for n, sentences in enumerate(said, 1)]
    memory = fresh(SegmentedSummary(), turns)
    sizes = [sum(r.tokens for r in part.lines) for part in memory._states["ann"].segments]
    assert len(sizes) == 2
    assert all(150 < size <= 200 for size in sizes)


def test_a_finished_segment_is_never_written_again():
    memory = fresh(SegmentedSummary(size=4, every=2, tail=1), [turn(n) for n in range(9)])
    first = memory._states["ann"].segments[0]
    before = list(first.lines)
    for n in range(9, 30):
        memory.write(turn(n))
    assert memory._states["ann"].segments[0].lines == before
    assert all(len(part.rows) == 4 for part in memory._states["ann"].segments[:-1])


def test_a_rolling_summary_is_rewritten_every_few_turns():
    memory = RollingSummary(every=3, tokens=30, ratio=1.0)
    fresh(memory, [turn(n) for n in range(3)])
    assert {item.kind for item in read(memory)} == {"summary"}
    memory.write(turn(3))
    memory.write(turn(4))
    assert whole(read(memory)) == ["t4", "t3"]
    assert memory.stats()["summaries written"] == 1
    memory.write(turn(5))
    assert memory.stats()["summaries written"] == 2
    assert whole(read(memory)) == []
    assert tokens(read(memory)) <= 30


def test_a_summary_has_a_share_of_its_turns():
    turns = [turn(n, f"Boat {n} left Oslo at {n}:30 today.") for n in range(100)]
    total = sum(RUN.count(one.text) for one in turns)
    memory = fresh(RollingSummary(), turns)
    assert 0.9 * 0.2 * total < tokens(read(memory)) <= 0.2 * total
    assert tokens(read(fresh(RollingSummary(tokens=100), turns))) <= 100


def test_names_numbers_and_titles_survive_in_a_rolling_summary():
    talk = ["你好！", "今天天气不错。", "我在学编程，推荐一下？", "可以看《流畅的Python》。"] * 5
    told = [*talk[:6], "我叫张三，住在北京路42号。", *talk[6:]]
    memory = fresh(RollingSummary(ratio=0.5), [turn(n, t) for n, t in enumerate(told)])
    text = "\n".join(item.text for item in read(memory) if item.kind == "summary")
    assert "张三" in text
    assert "42" in text
    assert "《流畅的Python》" in text


def test_a_buffer_keeps_recent_turns_by_tokens():
    turns = [turn(n, HUNDRED) for n in range(60)]
    memory = fresh(SummaryBuffer(summarizer=Filling()), turns[:20])
    assert len(whole(read(memory))) == 20  # 2000 tokens: not more than the limit
    assert memory.stats()["turns summarised"] == 0
    memory.write(turns[20])
    assert whole(read(memory)) == [f"t{n}" for n in range(20, 9, -1)]  # ten at a time
    items = read(fresh(SummaryBuffer(every=1, summarizer=Filling()), turns[:21]))
    assert whole(items) == [f"t{n}" for n in range(20, 0, -1)]  # as few as are too many
    assert items[-1].kind == "summary"


def test_a_buffer_keeps_the_last_five_turns():
    for count in range(1, 30):
        memory = fresh(SummaryBuffer(turns=5, every=1), [turn(n) for n in range(count)])
        assert whole(read(memory)) == [f"t{n}" for n in reversed(range(count))][:5]
        assert memory.stats()["turns summarised"] == max(0, count - 5)
    assert len(whole(read(fresh(SummaryBuffer(turns=5), [turn(n) for n in range(14)])))) == 14
    assert len(whole(read(fresh(SummaryBuffer(turns=5), [turn(n) for n in range(15)])))) == 5


def test_the_newest_turn_is_never_folded_by_a_buffer():
    memory = fresh(SummaryBuffer(tokens=50), [turn(0), turn(1), turn(2, HUNDRED)])
    assert whole(read(memory)) == ["t2"]
    [item] = read(memory, 20)
    assert (item.kind, item.sources) == ("excerpt", ("t2",))
    assert HUNDRED.startswith(item.text)


MEMORIES = (
    "RollingSummary(every=4, tokens=60, ratio=0.5)",
    "RollingSummary(every=1, tokens=30)",
    "SummaryBuffer(tokens=60, every=3, summary=40, ratio=0.5)",
    "SummaryBuffer(tokens=None, turns=3, every=2, summary=50, ratio=1.0)",
    "SegmentedSummary(size=5, every=2, tail=3, tokens=40)",
    "SegmentedSummary(size=3, every=9, tail=0, tokens=25)",
)
TEXTS = st.sampled_from(
    [
        "I moved to Oslo on 3 May. It rains.",
        "Hi!",
        "",
        "茶很好喝。我叫张三。",
        "The red kayak cost 420 euros and the blue one 380.",
        "Thanks, see you!",
    ]
)


@st.composite
def dialogues(draw):
    """Turns of two users, some of them calls of a tool that is answered, late or never."""
    turns, calls = [], []
    for number in range(draw(st.integers(0, 24))):
        kind = draw(st.sampled_from(["said", "said", "said", "call", "result"]))
        user = draw(st.sampled_from(["ann", "ann", "bob"]))
        text = draw(TEXTS)
        if kind == "call":
            calls.append((f"c{number}", user))
            turns.append(turn(number, text, user, meta={"call": calls[-1][0]}, role="assistant"))
        elif kind == "result" and calls:
            call, user = draw(st.sampled_from(calls))
            turns.append(turn(number, text, user, meta={"call": call}, role="tool"))
        else:
            turns.append(turn(number, text, user))
    return turns


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(MEMORIES), dialogues(), st.lists(st.integers(0, 160), max_size=4))
def test_a_larger_budget_never_returns_less_and_none_is_exceeded(spelt, turns, budgets):
    memory = fresh(parse(spelt), turns)
    own = {one.id for one in turns if one.user == "ann"}
    answers = [read(memory, budget) for budget in sorted(budgets)]
    for budget, items in zip(sorted(budgets), answers, strict=True):
        assert tokens(items) <= budget
        assert {source for item in items for source in item.sources} <= own
    for less, more in pairwise(answers):
        ranks = [[s for item in items for s in item.sources] for items in (less, more)]
        assert ranks[1][: len(ranks[0])] == ranks[0]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(MEMORIES), dialogues())
def test_every_turn_is_whole_or_in_a_summary_or_listed(spelt, turns):
    memory = fresh(parse(spelt), turns)
    for user in ("ann", "bob"):
        got = {source for item in read(memory, user=user) for source in item.sources}
        state = memory._states.get(user)
        unanswered = {memory.history[r].id for r in state.whole} - got if state else set()
        # A result whose call was never said may not be returned.
        assert all(memory.history.group(memory.history._row_of[t]) == [] for t in unanswered)
        missing = {one.id for one in turns if one.user == user} - got - unanswered
        assert missing <= set(memory.dropped(user))


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(MEMORIES), dialogues())
def test_every_turn_is_given_to_the_summarizer_at_most_once(spelt, turns):
    memory = parse(spelt)
    memory.summarizer = Counting()
    fresh(memory, [one for one in turns if "call" not in one.meta])
    seen = getattr(memory.summarizer, "seen", [])
    assert len(seen) == len(set(seen))
    folded = [row for s in memory._states.values() for part in s.segments for row in part.rows]
    assert len(folded) == len(set(folded)) == memory.stats()["turns summarised"]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(MEMORIES), dialogues(), st.data())
def test_after_a_deletion_the_summaries_are_those_of_a_memory_that_was_never_told(
    spelt, turns, data
):
    memory = fresh(parse(spelt), turns)
    folded = [r for s in memory._states.values() for part in s.segments for r in part.rows]
    if not folded:
        return
    gone = memory.history[data.draw(st.sampled_from(folded))]
    memory.forget([gone.id], gone.user)
    never = fresh(parse(spelt), [one for one in turns if one.id != gone.id])
    for user in ("ann", "bob"):
        assert shown(read(memory, user=user)) == shown(read(never, user=user))
        assert memory.dropped(user) == never.dropped(user)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(MEMORIES), dialogues(), st.integers(0, 24))
def test_a_saved_memory_goes_on_without_summarising_again(tmp_path_factory, spelt, turns, at):
    folder = tmp_path_factory.mktemp("saved")
    memory = fresh(parse(spelt), turns[:at])
    memory.save(folder)
    again = fresh(parse(spelt), [])
    again.load(folder)
    assert again.stats() == memory.stats()
    for one in turns[at:]:
        memory.write(one)
        again.write(one)
    assert read(again) == read(memory)
    assert again.stats() == memory.stats()
    assert list(again.held()) == list(memory.held())


def test_a_call_waits_for_its_result_and_stands_before_it():
    call = turn(1, "weather(place='Bergen')", meta={"call": "c"}, role="assistant")
    result = turn(2, "Storm from 7 pm, 24 m/s.", meta={"call": "c"}, role="tool")
    memory = fresh(SegmentedSummary(every=2, tail=0), [turn(0), call])
    assert whole(read(memory)) == ["t1"]  # the first turn alone was folded
    memory.write(result)
    [item, first] = read(memory)
    assert first.sources == ("t0",)
    assert (item.kind, item.sources) == ("summary", ("t1", "t2"))
    assert item.text.endswith("Ann: weather(place='Bergen') → Storm from 7 pm, 24 m/s.")


def test_a_late_result_brings_its_call():
    call = turn(0, "weather(place='Bergen')", meta={"call": "c"}, role="assistant")
    late = turn(4, "Storm from 7 pm.", meta={"call": "c"}, role="tool")
    memory = fresh(RollingSummary(every=2, tokens=0), [call, turn(1), turn(2), turn(3), late])
    assert whole(read(memory)) == ["t0", "t4"]
    memory.forget(["t0"], "ann")
    assert read(memory) == []


def test_a_deletion_leaves_earlier_segments_alone():
    memory = fresh(SegmentedSummary(size=2, every=2, tail=0), [turn(n) for n in range(8)])
    memory.forget(["t5"], "ann")
    assert memory.stats()["summaries remade"] == 2
    assert memory.stats()["turns summarised"] == 8 + 2  # t4 and t6; t7 is whole again
    assert whole(read(memory)) == ["t7"]


def test_a_deletion_of_somebody_else_changes_nothing():
    memory = fresh(RollingSummary(every=2), [turn(n) for n in range(8)])
    before = read(memory), memory.stats()
    memory.forget(["t1"], "bob")
    memory.forget(["never said"], "ann")
    assert (read(memory), memory.stats()) == before


def test_what_is_held_is_what_is_claimed():
    memory = fresh(SegmentedSummary(tokens=60), [turn(n) for n in range(12)])
    held = list(memory.held())
    assert {one.kind for one in held} == {"turn", "summary"}
    assert sum(RUN.count(one.text) for one in held) == tokens(read(memory))


def test_without_a_budget_there_are_a_hundred_items():
    memory = fresh(RollingSummary(every=300), [turn(n) for n in range(250)])
    assert len(read(memory, None)) == 100
    assert len(read(memory)) == 250


def test_the_limit_of_a_summary_is_checked_afterwards():
    with pytest.raises(ContractError, match=r"500 tokens.*at most 1"):
        fresh(RollingSummary(every=1, summarizer=Careless()), [turn(0)])
    with pytest.raises(ContractError, match=r"'x'.*turns that it was given"):
        fresh(RollingSummary(every=1, ratio=1.0, summarizer=Careless(source="x")), [turn(0)])


@pytest.mark.parametrize(
    ("spelt", "message"),
    [
        ("RollingSummary(every=0)", "every=0"),
        ("RollingSummary(tokens=-1)", "tokens=-1"),
        ("RollingSummary(ratio=1.5)", r"ratio=1\.5"),
        ("RollingSummary(form='said')", "form='said'"),
        ("RollingSummary(summarizer=1)", "summarizer=1"),
        ("RollingSummary(summarizer=ExtractiveSummarizer(jump=7.0))", r"jump=7\.0"),
        ("SummaryBuffer(tokens=None)", "tokens=None and turns=None"),
        ("SummaryBuffer(turns=-1)", "turns=-1"),
        ("SummaryBuffer(summary=-1)", "summary=-1"),
        ("SegmentedSummary(size=0)", "size=0"),
        ("SegmentedSummary(tail=-1)", "tail=-1"),
    ],
)
def test_faults_are_told(spelt, message):
    with pytest.raises(ConfigError, match=message):
        parse(spelt).reset()
