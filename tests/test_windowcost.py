"""What a window is said to cost is what a run measures."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.metrics import ContextTokens
from memlab.run import Run
from memlab.runner import evaluate
from memlab.strategies import DynamicWindow, FullHistory, TokenWindow, Window
from memlab.tokens import CachedCounter, tokenizer
from memlab.types import Conversation, Dataset, Probe, Query, Turn, utc
from memlab.windowcost import history_text, window_token_estimate

START = utc("2024-05-08")
COUNT = tokenizer().count


def test_the_worked_example():
    assert window_token_estimate(5, 5) == window_token_estimate(5, 10) == 250
    assert window_token_estimate(5, 3) == 150
    assert window_token_estimate(5, 20, 100) == 500
    assert window_token_estimate(0, 3) == window_token_estimate(5, 0) == 0


def talk(exchanges, lengths=(12,)):
    """Exchanges of two turns of so many words each, a question after each exchange."""
    events = []
    for number in range(2 * exchanges):
        text = " ".join(["boat"] * lengths[number % len(lengths)])
        role = "assistant" if number % 2 else "user"
        time = START + timedelta(minutes=number)
        events.append(Turn(id=f"t{number}", text=text, time=time, user="u", role=role))
        if number % 2:
            asked = {"time": time, "user": "u", "evidence": ("t0",)}
            events.append(Probe(id=f"p{number}", text="Which?", **asked))
    return Dataset("toy", (Conversation("c", tuple(events)),))


@pytest.mark.parametrize("lengths", [(12,), (11, 12, 13), (9, 15)])
def test_what_is_foretold_is_what_a_run_measures(lengths):
    data = talk(40, lengths)
    windows = {"turns": Window(turns=30), "exchanges": Window(exchanges=15)}
    results = evaluate(windows, data, [ContextTokens()], budget=100_000)
    written = [COUNT(turn.text) for turn in data.conversations[0].turns()]
    average = sum(written) / len(written)
    for label in windows:
        measured = [record.tokens for record in results.records if record.strategy == label]
        assert len(measured) == 40
        for asked, tokens in enumerate(measured, 1):
            foretold = window_token_estimate(30, 2 * asked, average)
            assert foretold == pytest.approx(tokens, rel=0.05), (label, asked)
            by_exchange = window_token_estimate(15, asked, 2 * average)
            assert by_exchange == foretold
    summary = results.summary().set_index("strategy")["tokens_read"]
    foretold = sum(window_token_estimate(30, 2 * n, average) for n in range(1, 41)) / 40
    assert summary["turns"] == pytest.approx(foretold, rel=0.05)


@given(st.integers(0, 99), st.integers(0, 99), st.floats(0, 1e6))
def test_it_never_falls_and_ends_at_k(k, turns, average):
    found = window_token_estimate(k, turns, average)
    assert found <= window_token_estimate(k, turns + 1, average) <= k * average
    assert window_token_estimate(k, k + turns, average) == k * average


@pytest.mark.parametrize("given", [(-1, 1, 1.0), (1, -1, 1.0), (1, 1, -1.0), (1.5, 1, 1.0)])
def test_what_cannot_be_is_refused(given):
    with pytest.raises(ConfigError):
        window_token_estimate(*given)


class Counted:
    """Counts how often each text is counted."""

    name = "counted"

    def __init__(self):
        self.seen = {}

    def count(self, text):
        self.seen[text] = self.seen.get(text, 0) + 1
        return len(text.split())

    def truncate(self, text, tokens):
        return " ".join(text.split()[:tokens])


WINDOWS = [
    FullHistory(),
    Window(turns=7),
    Window(exchanges=3),
    TokenWindow(tokens=40),
    TokenWindow(tokens=40, unit="exchange"),
    DynamicWindow(),
]


@pytest.mark.parametrize("window", WINDOWS, ids=repr)
def test_the_tokens_of_a_turn_are_counted_once_as_it_is_written(window):
    counter = Counted()
    window.reset()
    # A scorer may ask for the length of a request, which is then known.
    known = CachedCounter(counter) if isinstance(window, DynamicWindow) else counter
    window.attach(Run(known))
    for number in range(60):
        role = "assistant" if number % 2 else "user"
        text = f"turn {number} " + "of words " * (number % 5)
        time = START + timedelta(minutes=number)
        window.write(Turn(id=str(number), text=text, time=time, user="u", role=role))
        for budget in (9, 50, 1000, None):
            window.read(Query("which turn?", time, "u"), budget)
    texts = {text: many for text, many in counter.seen.items() if text.startswith("turn")}
    assert len(texts) == 60
    assert set(texts.values()) == {1}


def test_a_history_as_text_in_both_languages():
    said = [
        Turn(id=str(n), text=f"x{n}", time=START, role=role)
        for n, role in enumerate(("system", "user", "assistant", "tool"))
    ]
    assert history_text(said) == "System: x0\nHuman: x1\nAI: x2\nTool: x3"
    assert history_text(said, "zh") == "系统: x0\n用户: x1\n助手: x2\n工具: x3"
    assert history_text([]) == ""
    with pytest.raises(ConfigError, match="did you mean 'en'"):
        history_text(said, "eng")
