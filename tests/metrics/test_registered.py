"""What every registered metric owes to tables and exports."""

import math

import pytest

from memlab.naming import describe
from memlab.parsing import parse
from memlab.rankings import Rankings
from memlab.registry import METRICS, load_target
from memlab.scoring import Scoped, tally
from memlab.types import Record

RECORD = Record(strategy="s", conversation="c", probe="p", budget=100)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_a_metric_states_its_definition_scope_and_default(name):
    metric = load_target(METRICS[name])()
    assert isinstance(metric, Scoped)
    assert metric.definition
    assert isinstance(metric.higher_is_better, bool)
    assert metric.default == 0.0 or math.isnan(metric.default)
    assert metric.higher_is_better or math.isnan(metric.default) or name == "AnswerChance"
    assert parse(describe(metric, full=True)) == metric


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_record_is_accounted_for(name):
    metric = load_target(METRICS[name])()
    variants = [
        Record(
            strategy="s",
            conversation="c",
            probe="p",
            budget=1,
            evidence=evidence,
            ranked=("a",),
            answerable=answerable,
            measurable=measurable,
            error=error,
            verdicts=verdicts,
        )
        for evidence in ((), ("a",))
        for answerable in (True, False)
        for measurable in (True, False)
        for error in (None, "boom")
        for verdicts in (
            {},
            {"answer": 1.0, "chance": 0.5, "leak": 0.0, "redundancy": None}
            | {"answered/": 1.0, "answer f1/": 0.5, "judged/judged": 1.0},
        )
    ]
    rows = Rankings.of(variants)
    count = tally(metric, rows)
    left_out = count.excluded + count.unanswerable + count.unmeasurable
    lost = count.failed if math.isnan(metric.default) else 0
    assert count.n + left_out + lost == len(variants) == 32


def test_a_plain_function_is_a_metric_about_every_record():
    rows = Rankings.of([RECORD, RECORD])
    assert tally(lambda r: r.budget / 100, rows) == (2, 0, 0, 0, 0, 0, 0)
    assert rows.budget.tolist() == [100.0, 100.0]
