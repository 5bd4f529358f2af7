"""Evidence metrics on rankings small enough to compute by hand."""

import math

import numpy as np
import pytest

from memlab.errors import ConfigError
from memlab.metrics.retrieval import (
    AP,
    MRR,
    NDCG,
    Precision,
    Recall,
    RecallAll,
    RecallAny,
    RPrecision,
)
from memlab.parsing import parse
from memlab.rankings import Rankings
from memlab.scoring import Tally, tally
from memlab.types import Record

EVERY = (Recall, RecallAny, RecallAll, Precision, MRR, NDCG, AP)


def record(ranked=(), evidence=(), **more):
    given = {"strategy": "s", "conversation": "c", "probe": "p", "budget": None, "candidates": 99}
    return Record(**{**given, "ranked": tuple(ranked), "evidence": tuple(evidence), **more})


def one(metric, *args, **more):
    return float(metric(Rankings.of([record(*args, **more)]))[0])


@pytest.mark.parametrize(
    ("metric", "value"),
    [  # ranking a x b x x, evidence a b c
        (Recall(k=1), 1 / 3),
        (Recall(k=3), 2 / 3),
        (Recall(), 2 / 3),
        (RecallAny(k=1), 1.0),
        (RecallAll(k=5), 0.0),
        (Precision(k=2), 1 / 2),
        (Precision(k=10), 2 / 10),
        (Precision(), 2 / 5),
        (RPrecision(), 2 / 3),  # R = 3: a and b are in the first three
        (MRR(), 1.0),
        (AP(), (1 / 1 + 2 / 3) / 3),
        (AP(k=2), 1 / 3),
        (NDCG(), (1 + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2)),
        (NDCG(k=2), 1 / (1 + 1 / math.log2(3))),
    ],
    ids=repr,
)
def test_each_definition_by_hand(metric, value):
    assert one(metric, "axbyz", "abc") == pytest.approx(value, abs=1e-12)


def test_evidence_counts_once_however_often_it_is_ranked_or_listed():
    assert one(Precision(k=4), "aaaa", "a") == 0.25
    assert one(Recall(k=4), "aaxb", "aab") == 1.0
    assert one(AP(), "aab", "ab") == pytest.approx((1 + 2 / 3) / 2)


def test_a_rejected_claim_keeps_its_rank_and_never_hits():
    assert one(MRR(), "xab", "a", rejected=(0,)) == 0.5
    assert one(Recall(), "a", "a", rejected=(0,)) == 0.0
    # Claimed in vain at rank 1, borne out at rank 3.
    assert one(MRR(), "axa", "a", rejected=(0,)) == pytest.approx(1 / 3)


def test_any_all_and_fractional_recall_are_three_numbers():
    s1 = ("s1", "x", "y", "z", "w"), ("s1", "s2")
    assert one(RecallAny(k=5), *s1) == 1.0
    assert one(RecallAll(k=5), *s1) == 0.0
    assert one(Recall(k=5), *s1) == 0.5
    assert len({cls.definition for cls in (Recall, RecallAny, RecallAll)}) == 3


def test_k_that_takes_in_the_whole_corpus_is_trivial():
    corpora = Rankings.of([record("abcd", "a", candidates=n) for n in (4, 5, 6)])
    assert Recall(k=5).trivial(corpora).tolist() == [True, True, False]
    assert not Recall().trivial(corpora).any()
    assert tally(Recall(k=5), corpora).trivial == 2
    failed = Rankings.of([record("", "a", candidates=0, error="boom")])
    assert tally(Recall(k=5), failed).trivial == 0


def test_sessions_beyond_a_cut_list_are_flagged_not_scored_away():
    # 20 turns of 6 sessions, session 9 holds half of the evidence and was never reached.
    ranks = tuple(n % 6 for n in range(20))
    given = {"ranked_sessions": ranks, "evidence_sessions": (5, 9), "candidate_sessions": 30}
    turns = [f"t{n}" for n in range(20)]
    rows = Rankings.of([record(turns, "ab", cut=cut, **given) for cut in (True, False)])
    metric = Recall(k=10, unit="session")
    assert rows.returned("session").tolist() == [6, 6]
    assert metric(rows).tolist() == [0.5, 0.5]
    assert metric.budget_bound(rows).tolist() == [True, False]
    assert tally(metric, rows).budget_bound == 1
    assert not Recall(k=6, unit="session").budget_bound(rows).any()


def test_sessions_rank_by_their_first_accepted_claim():
    rows = Rankings.of(
        [
            record("abc", "x", ranked_sessions=(4, 4, 7), evidence_sessions=(7,)),
            # Session 4 is first claimed in vain; its accepted claim comes after session 7.
            record("abc", "x", ranked_sessions=(4, 7, 4), evidence_sessions=(4,), rejected=(0,)),
            record("abc", "x", ranked_sessions=(4, 7, 4), evidence_sessions=(4,), rejected=(0, 2)),
        ]
    )
    assert rows.returned("session").tolist() == [2, 2, 2]
    assert MRR(unit="session")(rows).tolist() == [0.5, 0.5, 0.0]


def test_no_evidence_is_excluded_and_counted():
    rows = Rankings.of([record("a", "a"), record("x", "a"), record("x", "")])
    values = Recall(k=1)(rows)
    assert np.nanmean(values) == 0.5
    assert tally(Recall(k=1), rows, values) == Tally(2, 1, 0, 0, 0, 0, 0)
    for cls in EVERY:
        assert math.isnan(cls()(rows)[2])


def test_an_empty_list_scores_zero_and_a_failure_its_default():
    rows = Rankings.of([record("", "a"), record("a", "a", error="boom")])
    for cls in EVERY:
        assert cls()(rows).tolist() == [0.0, 0.0]
    assert RPrecision()(rows).tolist() == [0.0, 0.0]
    assert tally(MRR(), rows) == Tally(2, 0, 0, 0, 1, 0, 0)


def test_a_failure_keeps_the_denominator_of_the_session_unit():
    rows = Rankings.of([record("", "a", error="boom"), record("", "", error="boom")])
    assert Recall(unit="session")(rows).tolist() == pytest.approx([0.0, math.nan], nan_ok=True)


def test_no_records_at_all():
    rows = Rankings.of([])
    for cls in EVERY:
        assert cls(k=5)(rows).shape == (0,)
    assert tally(Recall(), rows) == Tally(0, 0, 0, 0, 0, 0, 0)
    assert rows.hits().shape == (0, 0)


def test_items_without_sources_are_not_measurable_rather_than_zero():
    rows = Rankings.of([record("", "a", measurable=False), record("a", "a")])
    assert Recall()(rows).tolist() == pytest.approx([math.nan, 1.0], nan_ok=True)
    assert tally(Recall(), rows).unmeasurable == 1


def test_adversarial_probes_stay_out_unless_asked_for():
    rows = Rankings.of([record("a", "a"), record("x", "a", answerable=False), record("x", "")])
    assert tally(Recall(), rows)[:3] == (1, 1, 1)
    published = Recall(answerable_only=False, empty="zero")
    assert published(rows).tolist() == [1.0, 0.0, 0.0]
    assert tally(published, rows)[:3] == (3, 0, 0)


def test_precision_divides_by_k_or_by_what_was_returned():
    assert one(Precision(k=5), "ab", "ab") == 0.4
    assert one(Precision(), "ab", "ab") == 1.0
    assert one(Precision(), "", "ab") == 0.0


def test_mrr_at_one_is_not_recall_at_one():
    gold = [f"g{n}" for n in range(20)]
    assert one(Recall(k=1), ["g0"], gold) == 0.05
    assert one(MRR(k=1), ["g0"], gold) == 1.0
    assert one(Precision(k=1), ["g0"], gold) == 1.0


def test_dense_hits_serve_metrics_written_by_hand():
    rows = Rankings.of([record("axb", "abc"), record("x", "a"), record("", "a")])
    assert rows.hits().tolist() == [[True, False, True], [False] * 3, [False] * 3]
    assert (rows.hits()[:, :2].sum(1) / rows.relevant()).tolist() == Recall(k=2)(rows).tolist()
    assert rows.candidates().tolist() == [99, 99, 99]


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "5"])
def test_a_k_that_cannot_work_is_refused_when_used(k):
    metric = Recall(k=k)  # the constructor only stores
    with pytest.raises(ConfigError, match="at least 1"):
        metric(Rankings.of([record("a", "a")]))


@pytest.mark.parametrize(
    ("metric", "hint"),
    [(Recall(unit="sesion"), "did you mean 'session'"), (MRR(empty="zeros"), "mean 'zero'")],
)
def test_a_misspelt_option_is_refused_with_a_suggestion(metric, hint):
    with pytest.raises(ConfigError, match=hint):
        metric(Rankings.of([record("a", "a")]))


def test_an_unknown_unit_of_rankings_is_refused():
    with pytest.raises(ConfigError, match="unknown unit"):
        Rankings.of([]).found("page")


@pytest.mark.parametrize(
    "text", ["Recall(k=5)", "MRR()", "RPrecision()", "Recall(k=10, unit='session')"]
)
def test_the_repr_is_the_table_label_and_parses_back(text):
    assert repr(parse(text)) == text
