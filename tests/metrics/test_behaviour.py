"""What must not come back, and silence where there is no answer."""

import math

import pytest

from memlab.errors import ConfigError
from memlab.metrics.behaviour import Abstention, DistractorExposure, Leak, Residue, StaleHit
from memlab.rankings import Rankings
from memlab.scoring import tally
from memlab.types import Record

NAN = math.nan


def rows(*given):
    common = {"strategy": "s", "conversation": "c", "probe": "p", "budget": None}
    return Rankings.of([Record(**common, **more) for more in given])


def same(values, expected):
    return values.tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("ranked", "more", "value"),
    [
        ("on", {}, 1.0),  # the old turn above the new one
        ("no", {}, 0.0),
        ("o", {}, 1.0),  # the current turn is absent
        ("n", {}, 0.0),
        ("", {}, 0.0),
        ("on", {"rejected": (0,)}, 0.0),  # the claim on the old turn is not borne out
        ("on", {"rejected": (1,)}, 1.0),
        ("on", {"stale": ()}, NAN),
        ("on", {"measurable": False}, NAN),
        ("on", {"error": "boom"}, NAN),
        ("o", {"stale": ("n", "o"), "evidence": ("o",)}, 0.0),  # evidence is current
        ("yo", {"evidence": ("n", "y")}, 0.0),  # one current turn above it is enough
        ("o", {"evidence": ()}, 1.0),
    ],
)
def test_stale_hit(ranked, more, value):
    given = {"ranked": tuple(ranked), "stale": ("o",), "evidence": ("n",), **more}
    assert same(StaleHit()(rows(given)), [value])


def test_abstention_is_about_unanswerable_probes_alone():
    records = rows(
        {"answerable": False, "items": 0},
        {"answerable": False, "items": 3, "measurable": False},
        {"answerable": True, "items": 0},
        {"answerable": False, "error": "boom"},
    )
    assert same(Abstention()(records), [1.0, 0.0, NAN, 0.0])
    assert tally(Abstention(), records)[:5] == (3, 1, 0, 0, 1)


def test_distractor_exposure_is_recall_of_what_misleads():
    lure = {"evidence": ("a", "b"), "answerable": False}
    records = rows(
        {**lure, "ranked": ("a", "x", "b")},
        {**lure, "answerable": True, "ranked": ("a",)},
        {"answerable": False, "ranked": ("a",)},
        {**lure, "error": "boom"},
        {**lure, "measurable": False},
    )
    assert same(DistractorExposure()(records), [1.0, NAN, NAN, NAN, NAN])
    assert same(DistractorExposure(k=2)(records), [0.5, NAN, NAN, NAN, NAN])
    assert tally(DistractorExposure(), records)[:5] == (1, 1, 1, 1, 1)
    with pytest.raises(ConfigError, match="at least 1"):
        DistractorExposure(k=0)(records)
    with pytest.raises(ConfigError, match="'turn'"):
        DistractorExposure(unit="turns")(records)


@pytest.mark.parametrize(("metric", "name"), [(Leak(), "leak"), (Residue(), "residue")])
def test_leak_and_residue_are_verdicts_that_a_failure_cannot_improve(metric, name):
    records = rows(
        {"verdicts": {name: 1.0}},
        {"verdicts": {name: 0.0}},
        {"verdicts": {name: None}},
        {"error": "boom"},
    )
    assert same(metric(records), [1.0, 0.0, NAN, NAN])
    assert tally(metric, records)[:5] == (2, 1, 0, 0, 1)
