"""The cost of summaries: by hand, and beside what memories really take."""

import math
from datetime import timedelta

import pytest

from memlab.errors import ConfigError
from memlab.runner import evaluate
from memlab.strategies import RollingSummary, SegmentedSummary
from memlab.summarycost import SummaryCost
from memlab.tokens import tokenizer
from memlab.types import Conversation, Dataset, Probe, Turn, utc

START = utc("2024-05-08")
COUNT = tokenizer().count


def test_a_hundred_turns_save_eighty_percent():
    # 5000 tokens; ten intervals of ten turns; .2 x 5000 = 1000 are left.
    cost = SummaryCost(turns=100)
    assert (cost.read, cost.written, cost.context, cost.total) == (5000, 1000, 1000, 7000)
    assert cost.summaries == 10
    assert cost.compression == pytest.approx(0.80)


@pytest.mark.parametrize(
    ("turns", "right", "faulty"),
    [
        (9, 0.0, -0.20),  # 450 of 450; 90 + 450
        (10, 0.80, 0.80),
        (95, 0.7579, 0.7474),  # 900 + 250 of 4750; 950 + 250
        (100, 0.80, 0.80),
        (109, 0.7339, 0.7174),  # 1000 + 450 of 5450; 1090 + 450
    ],
)
def test_compression_at_other_lengths(turns, right, faulty):
    assert SummaryCost(turns=turns).compression == pytest.approx(right, abs=5e-5)
    assert SummaryCost(turns=turns, original=True).compression == pytest.approx(faulty, abs=5e-5)


def test_no_turns_save_nothing():
    assert SummaryCost(turns=0).compression == 0.0
    assert math.isnan(SummaryCost(turns=0, original=True).compression)


def test_the_original_is_always_a_fifth_above_the_history():
    for every in (1, 5, 10, 20):
        cost = SummaryCost(turns=100, every=every, original=True)
        assert cost.total == pytest.approx(1.2 * 5000)


def test_prompts_after_every_turn():
    # Whole: 50 (1 + … + 100). In tens: 50 x 45 x 10 recent, 100 (10 (0 + … + 9) + 10) summaries.
    assert SummaryCost(turns=100, every=101).prompts == 252_500
    assert SummaryCost(turns=100).prompts == 22_500 + 46_000


def test_a_rewritten_summary_is_read_again():
    # Read: 5000 + 100 (1 + … + 9); written: 100 (1 + … + 10).
    cost = SummaryCost(turns=100, rolling=True)
    assert (cost.read, cost.written) == (9_500, 5_500)
    assert SummaryCost(turns=100, rolling=True, limit=300).context == 300
    assert SummaryCost(turns=100, lead=8.0).read == 5_800


@pytest.mark.parametrize("fault", [{"turns": -1}, {"every": 0}, {"ratio": 2.0}, {"limit": -1.0}])
def test_faults_are_told(fault):
    with pytest.raises(ConfigError, match=next(iter(fault))):
        SummaryCost(**{"turns": 10} | fault)


def talk(turns):
    said = [
        Turn(
            id=f"t{n}",
            text=f"Boat {n} left Oslo. It has {n % 7} sails. Its mast is {n % 5} metres.",
            time=START + timedelta(minutes=n),
            user="ann",
            speaker="Ann",
        )
        for n in range(turns)
    ]
    asked = [
        Probe(id=f"p{n}", text="?", time=one.time, user="ann", evidence=("t0",))
        for n, one in enumerate(said)
    ]
    events = [event for pair in zip(said, asked, strict=True) for event in pair]
    return Dataset("toy", (Conversation("ann", events),)), said


@pytest.mark.parametrize("every", [10, 45])
def test_what_is_foretold_is_what_a_run_measures(every):
    data, said = talk(200)
    results = evaluate({"r": RollingSummary(every=every)}, data, ["Recall()"], budget=100_000)
    measured = results.facts[0]["stats"]
    foretold = SummaryCost(
        turns=200,
        average=sum(COUNT(one.text) for one in said) / 200,
        every=every,
        lead=COUNT("8 May 2024 Ann:"),
        rolling=True,
    )
    read = measured["tokens summarised"] + measured["tokens reread"]
    assert foretold.read == pytest.approx(read, rel=0.1)
    assert foretold.written == pytest.approx(measured["summary tokens written"], rel=0.1)
    contexts = [record.tokens for record in results.records]
    assert foretold.context == pytest.approx(contexts[-1], rel=0.1)
    assert foretold.prompts == pytest.approx(sum(contexts), rel=0.1)


def test_segments_written_once_are_foretold_as_well():
    data, said = talk(100)
    average = sum(COUNT(one.text) for one in said) / 100
    size = int(0.2 * 10 * average)
    memory = SegmentedSummary(size=10, every=10, tail=0, tokens=size)
    results = evaluate({"s": memory}, data, ["Recall()"], budget=100_000)
    foretold = SummaryCost(turns=100, average=average, lead=COUNT("8 May 2024 Ann:"))
    stats = results.facts[0]["stats"]
    assert stats["tokens reread"] == 0
    assert foretold.read == pytest.approx(stats["tokens summarised"], rel=0.05)
    assert foretold.written == pytest.approx(stats["summary tokens written"], rel=0.25)
