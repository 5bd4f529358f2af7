"""Metrics of the context, from verdicts and counts of the replay."""

import math

import pytest

from memlab.metrics.context import (
    AnswerChance,
    AnswerInContext,
    ContextTokens,
    EvidencePerKiloToken,
    Redundancy,
)
from memlab.rankings import Rankings
from memlab.scoring import tally
from memlab.types import Record

NAN = math.nan


def rows(*given):
    common = {"strategy": "s", "conversation": "c", "probe": "p", "budget": None}
    return Rankings.of([Record(**common, **more) for more in given])


def same(values, expected):
    return values.tolist() == pytest.approx(expected, nan_ok=True)


def test_answer_and_chance_share_a_denominator():
    records = rows(
        {"verdicts": {"answer": 1.0, "chance": 0.25}},
        {"verdicts": {"answer": None, "chance": None}},
        {"error": "boom"},
        {"error": "boom", "verdicts": {"answer": None}},  # the data allow no verdict
        {"verdicts": {}},
    )
    assert same(AnswerInContext()(records), [1.0, NAN, 0.0, NAN, NAN])
    assert same(AnswerChance()(records), [0.25, NAN, 0.0, NAN, NAN])
    assert tally(AnswerInContext(), records)[:5] == (2, 3, 0, 0, 1)
    assert tally(AnswerChance(), records)[:5] == (2, 3, 0, 0, 1)


def test_a_failure_saves_no_tokens_and_repeats_nothing():
    records = rows(
        {"tokens": 40, "verdicts": {"redundancy": 0.5}},
        {"tokens": 7, "error": "boom", "verdicts": {"redundancy": 0.0}},
    )
    assert same(ContextTokens()(records), [40.0, NAN])
    assert same(Redundancy()(records), [0.5, NAN])
    assert tally(ContextTokens(), records).failed == 1
    assert tally(Redundancy(), records)[:5] == (1, 0, 0, 0, 1)


def test_evidence_per_thousand_tokens():
    records = rows(
        {"ranked": ("a", "a", "b"), "evidence": ("a", "b", "c"), "tokens": 500},  # 2 / 500 * 1000
        {"ranked": (), "evidence": ("a",), "tokens": 0},
        {"evidence": ("a",), "measurable": False, "tokens": 10},
        {"ranked": ("a",), "evidence": ("a",), "tokens": 10, "answerable": False},
        {"evidence": ("a",), "error": "boom"},
        {"ranked": ("a",), "tokens": 10},
    )
    metric = EvidencePerKiloToken()
    assert same(metric(records), [4.0, 0.0, NAN, NAN, 0.0, NAN])
    assert tally(metric, records)[:5] == (3, 1, 1, 1, 1)
