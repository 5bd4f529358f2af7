"""What no metric says: tokens of windows and estimates, equal rankings, counters."""

import pytest

from memlab.board.measures import MEASURES
from memlab.errors import ConfigError
from memlab.runner import evaluate
from memlab.tokens import tokenizer
from memlab.types import Conversation, Dataset, Probe, Turn, utc

NOW = utc("2024-01-01")
COUNT = tokenizer().count


def data(texts, questions=("Which one?",), talks=1):
    made = []
    for number in range(talks):
        turns = [
            Turn(id=f"t{i}", text=text, time=NOW, user=f"u{number}") for i, text in enumerate(texts)
        ]
        probes = [
            Probe(id=f"p{i}", text=text, time=NOW, evidence=("t0",), user=f"u{number}")
            for i, text in enumerate(questions)
        ]
        made.append(Conversation(f"u{number}", (*turns, *probes)))
    return Dataset("toy", tuple(made))


def values(results, measure, strategy, budget=1000, **options):
    return MEASURES[measure](results, strategy, budget, **options).values.tolist()


def test_f_beta(make_run):
    # One evidence turn, one turn returned: P = R = 1, or P = R = 0.
    run = make_run({"a": [[1, 0]]})
    assert values(run, "f_beta", "a", 100, beta=2.0) == [1.0, 0.0]
    # Two turns returned of which one is evidence: P = 1/2, R = 1; F1 = 2/3, F2 = 5 x .5 / 3.
    results = evaluate({"all": "FullHistory()"}, data(["a", "b"]), ["Recall()"], budget=1000)
    assert values(results, "f_beta", "all") == [pytest.approx(2 / 3)]
    assert values(results, "f_beta", "all", beta=2.0) == [pytest.approx(2.5 / 3)]


def test_same_ranking(make_run):
    run = make_run({"a": [[1, 0]], "b": [[1, 1]]})
    assert values(run, "same_ranking", "a", 100, other="b") == [1.0, 0.0]
    with pytest.raises(ConfigError, match="other='c'"):
        values(run, "same_ranking", "a", 100, other="c")


def test_window_tokens():
    # Turns of 1, 2 and 3 tokens, mean 2: a window of two has 5 where 4 are foretold.
    texts = ["a", "a b", "a b c"]
    assert [COUNT(text) for text in texts] == [1, 2, 3]
    results = evaluate({"w": "Window(turns=2)"}, data(texts), ["Recall()"], budget=1000)
    assert values(results, "window_tokens", "w", turns=2) == [pytest.approx(5 / 4 - 1)]
    # A window of ten has all three, and min(10, 3) x 2 = 6 is exact.
    results = evaluate({"w": "Window(turns=10)"}, data(texts), ["Recall()"], budget=1000)
    assert values(results, "window_tokens", "w", turns=10) == [0.0]


def test_estimate_ratio():
    text = "one two three four five"
    results = evaluate({"all": "FullHistory()"}, data([text]), ["Recall()"], budget=1000)
    assert values(results, "estimate_ratio", "all") == [(23 // 3) / COUNT(text)]
    shares = values(results, "estimate_ratio", "all", estimator="words * 1.5")
    assert shares == [7.5 / COUNT(text)]
    with pytest.raises(ConfigError, match="estimator='letters'"):
        values(results, "estimate_ratio", "all", estimator="letters")


def test_packed_share():
    # Each turn is 4 Chinese characters: 4 // 3 = 1 by the rule. A limit of 2 lets two in.
    text = "今天下雨"
    results = evaluate({"all": "FullHistory()"}, data([text] * 3), ["Recall()"], budget=1000)
    assert values(results, "packed_share", "all", limit=2) == [2 * COUNT(text) / 2]
    # A limit of 3 takes all of them in: nothing was cut, nothing is said.
    assert values(results, "packed_share", "all", limit=3) == []


def test_reads_that_count_depend_on_the_order_of_questions():
    texts = ["the red boat", "the red car", "a lamp"]
    strategies = {
        "counting": "memlab.board.foils:Boosted(touch=True, weight=100.0)",
        "pure": "memlab.board.foils:Boosted(weight=100.0)",
    }
    questions = ("red boat", "red car")
    results = evaluate(strategies, data(texts, questions), ["Recall()"], budget=3)
    # Three tokens hold one turn. The turn that is read first is boosted for the second question.
    assert values(results, "same_reordered", "counting", 3) == [0.0, 0.0]
    assert values(results, "same_reordered", "pure", 3) == [1.0, 1.0]


def test_a_question_alone_has_no_order():
    results = evaluate({"b": "BM25()"}, data(["a lamp"], ("lamp",)), ["Recall()"], budget=9)
    assert values(results, "same_reordered", "b", 9) == []


def test_counters(make_run):
    run = make_run({"a": [[1], [0]]}, stats={"a": {"hits": 3, "accesses": 4, "none": 0}})
    assert values(run, "counter", "a", name="hits") == [3.0, 3.0]
    assert values(run, "counter", "a", name="hits", per="accesses") == [0.75, 0.75]
    assert values(run, "counter", "a", name="hits", per="none") == []
    assert values(run, "held_tokens", "a") == [10.0, 11.0]
    with pytest.raises(
        ConfigError, match="a has no counter 'faults'; expected one of its own: acc"
    ):
        values(run, "counter", "a", name="faults")


def test_summary_cost():
    texts = [f"Boat {n} left Oslo. It has {n % 7} sails and {n % 5} masts." for n in range(100)]
    strategies = {"r": "RollingSummary()", "w": "Window()"}
    results = evaluate(strategies, data(texts, talks=2), ["Recall()"], budget=1000)
    [right, again] = values(results, "summary_cost", "r")
    assert right == again < 0.1
    # Foretold: 1.2 times the history. In truth each turn is read with its lead, and the summary
    # read and written ten times: more than twice that.
    assert all(value > 0.5 for value in values(results, "summary_cost", "r", original=True))
    with pytest.raises(ConfigError, match=r"w is Window.*expected RollingSummary"):
        values(results, "summary_cost", "w")
