"""Windows: what is in them, and in which order."""

import pytest

from memlab.errors import ConfigError
from memlab.run import Run
from memlab.strategies import DynamicWindow, FullHistory, NoMemory, Random, TokenWindow, Window
from memlab.types import Query, Turn, utc


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (Window(turns=0), []),
        (Window(turns=1), ["t4"]),
        (Window(turns=3), ["t4", "t3", "t2"]),
        (Window(turns=99), ["t4", "t3", "t2", "t1", "t0"]),
        (Window(), ["t4", "t3", "t2", "t1", "t0"]),
        (Window(exchanges=0), []),
        (Window(exchanges=1), ["t4"]),
        (Window(exchanges=2), ["t4", "t3", "t2"]),
        (Window(exchanges=9), ["t4", "t3", "t2", "t1", "t0"]),
    ],
)
def test_window(window, expected, told, turns, ask):
    # user, assistant, user, assistant, user: the last question is an exchange of its own.
    assert ask(told(window, turns("a", "b", "c", "d", "e"))) == expected


def test_an_exchange_ends_at_the_next_user_turn(told, turns, ask):
    dialogue = turns("question", "answer")
    dialogue += [
        Turn(id=i, text="more", time=dialogue[-1].time, role="assistant", user="ann")
        for i in ("t2", "t3")
    ]
    assert ask(told(Window(exchanges=1), dialogue)) == ["t3", "t2", "t1", "t0"]


@pytest.mark.parametrize("window", [Window(turns=-1), Window(exchanges=-2), Window(turns=2.5)])
def test_negative_sizes(window):
    with pytest.raises(ConfigError, match="at least 0"):
        window.reset()


def test_turns_and_exchanges_exclude_each_other():
    with pytest.raises(ConfigError, match="one of the two"):
        Window(turns=1, exchanges=1).reset()


def test_the_budget_cuts_at_the_first_turn_that_does_not_fit(told, turns, ask):
    # "one" is 1 token, nine ones are 9; the long turn stops the walk although "a" would fit.
    memory = told(FullHistory(), turns("a", "one " * 9, "c"))
    assert ask(memory, budget=2) == ["t2"]
    assert ask(memory, budget=20) == ["t2", "t1", "t0"]


def test_without_budget_at_most_a_hundred(told, turns, ask):
    memory = told(FullHistory(), turns(*["x"] * 130))
    assert ask(memory) == [f"t{i}" for i in range(129, 29, -1)]
    assert len(ask(memory, budget=1000)) == 130


def test_a_window_is_a_view(told, turns, ask):
    memory = told(Window(turns=1), turns("a", "b"))
    assert len(list(memory.held())) == 2
    memory.forget(["t1"], "ann")
    assert ask(memory) == ["t0"]


def test_token_window_keeps_to_its_tokens(told, turns, ask):
    memory = told(TokenWindow(tokens=3), turns("one", "two", "three", "four"))
    assert ask(memory) == ["t3", "t2", "t1"]
    assert ask(memory, budget=2) == ["t3", "t2"]


def test_token_window_cuts_a_newest_turn_that_is_too_long(told, turns):
    memory = told(TokenWindow(tokens=4), turns("old", "word " * 50))
    (item,) = memory.read(Query("", utc("2024-01-02"), "ann"), None)
    assert (item.kind, item.sources) == ("excerpt", ("t1",))
    assert item.text.strip() == "word word word word"
    assert Run().count(item.text) <= 4
    assert memory.read(Query("", utc("2024-01-02"), "ann"), 0) == []


def test_token_window_must_not_be_negative():
    with pytest.raises(ConfigError, match="tokens=-1"):
        TokenWindow(tokens=-1).reset()


def test_random_depends_on_seed_query_and_store_alone(told, turns, ask):
    dialogue = turns(*[f"w{i}" for i in range(30)])
    first = ask(told(Random(), dialogue), "a")
    assert sorted(first) == sorted(t.id for t in dialogue)
    assert ask(told(Random(), dialogue), "a") == first
    others = [
        ask(told(Random(), dialogue), "b"),
        ask(told(Random(seed=1), dialogue), "a"),
        ask(told(Random(), dialogue, Run(seed=1)), "a"),
        ask(told(Random(), dialogue[:-1]), "a"),
    ]
    assert all(other != first for other in others)


def test_no_memory_returns_nothing(turns):
    memory = NoMemory()
    memory.reset()
    for turn in turns("a"):
        memory.write(turn)
    assert memory.read(Query("a", utc("2024-01-02"), "ann"), None) == []


def test_a_tool_call_and_its_results_come_together(told, ask):
    def turn(i, text, role, **meta):
        return Turn(id=i, text=text, time=utc("2024-01-01"), role=role, user="ann", meta=meta)

    dialogue = [
        turn("q", "weather?", "user"),
        turn("c", "lookup()", "assistant", call=1),
        turn("r", "rain", "tool", call=1),
        turn("s", "wind", "tool", call=1),
        turn("a", "It rains.", "assistant"),
    ]
    memory = told(Window(turns=2), dialogue)
    assert ask(memory) == ["a", "c", "r", "s"]
    tokens = [Run().count(t.text) for t in dialogue]
    assert ask(memory, budget=sum(tokens[1:]) - 1) == ["a"]
    memory.forget(["c"], "ann")
    assert ask(memory) == ["a"]


def spoken(*roles):
    """A dialogue of one-token turns t0, t1, … in these roles."""
    start = utc("2024-05-08")
    return [
        Turn(id=f"t{n}", text="x", time=start, role=role, user="ann")
        for n, role in enumerate(roles)
    ]


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (Window(turns=1, system=True), ["t0", "t4"]),
        (Window(exchanges=1, system=True), ["t0", "t4", "t3"]),
        (TokenWindow(tokens=2, system=True), ["t0", "t4"]),
        (TokenWindow(tokens=3, unit="exchange", system=True), ["t0", "t4", "t3"]),
        (DynamicWindow(initial=1, least=1, system=True), ["t0", "t4", "t3"]),
        (Window(turns=1), ["t4"]),
        (TokenWindow(tokens=2), ["t4", "t3"]),
    ],
)
def test_what_the_system_said_is_in_every_window_if_asked_for(window, expected, told, ask):
    dialogue = spoken("system", "user", "assistant", "user", "assistant")
    assert ask(told(window, dialogue)) == expected


def test_whole_exchanges_leave_a_token_window(told, ask):
    # Exchanges of 3, 2 and 2 tokens: at 4 two fit, at 5 and 6 still two, at 7 all.
    dialogue = spoken("user", "assistant", "assistant", "user", "assistant", "user", "assistant")
    for tokens, kept in ((1, 1), (2, 2), (3, 2), (4, 4), (5, 4), (6, 4), (7, 7)):
        memory = told(TokenWindow(tokens=tokens, unit="exchange"), dialogue)
        assert ask(memory) == [f"t{n}" for n in range(6, 6 - kept, -1)], tokens
    assert len(ask(told(TokenWindow(tokens=7), dialogue), budget=5)) == 5
    assert len(ask(told(TokenWindow(tokens=7, unit="exchange"), dialogue), budget=5)) == 4


def test_many_short_exchanges_stay(told, ask):
    # 20 exchanges of 2 tokens at 34: 17 stay, all 34 tokens of them, and none is lost besides.
    memory = told(TokenWindow(tokens=34, unit="exchange"), spoken(*["user", "assistant"] * 20))
    assert len(ask(memory)) == 34


def test_an_unknown_unit_is_refused():
    with pytest.raises(ConfigError, match="unit"):
        TokenWindow(unit="session").reset()
