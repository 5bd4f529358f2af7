"""What holds of every evidence metric on any ranking."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
from memlab.rankings import Rankings
from memlab.types import Record

IDS = st.sampled_from([f"D1:{n}" for n in range(12)] + ["日", "a b", ""])
RANKED = st.lists(IDS, max_size=20)
EVIDENCE = st.lists(IDS, min_size=1, max_size=6)
REJECTED = st.sets(st.integers(0, 19), max_size=4)
K = st.none() | st.integers(1, 25)
RECALLS = (Recall, RecallAny, RecallAll)
CUT = (*RECALLS, Precision, MRR, NDCG, AP)


def row(ranked, evidence, rejected=()):
    """A record whose sessions are three turns each."""

    def sessions(names):
        return tuple(hash_free(name) for name in names)

    return Record(
        strategy="s",
        conversation="c",
        probe="p",
        budget=None,
        ranked=tuple(ranked),
        evidence=tuple(evidence),
        rejected=tuple(r for r in sorted(rejected) if r < len(ranked)),
        ranked_sessions=sessions(ranked),
        evidence_sessions=sessions(evidence),
    )


def hash_free(name):
    return sum(name.encode()) // 3


def value(metric, *args):
    return float(metric(Rankings.of([row(*args)]))[0])


@given(RANKED, EVIDENCE, REJECTED, K, st.sampled_from(["turn", "session"]))
def test_values_lie_between_0_and_1(ranked, evidence, rejected, k, unit):
    rows = Rankings.of([row(ranked, evidence, rejected)])
    for metric in (*(cls(k=k, unit=unit) for cls in CUT), RPrecision(unit=unit)):
        assert 0.0 <= metric(rows)[0] <= 1.0 + 1e-12


@given(RANKED, EVIDENCE, REJECTED, K, st.data())
def test_adding_a_relevant_item_never_lowers_recall(ranked, evidence, rejected, k, data):
    # Appended, or put in the place of an item that was not relevant.
    gold = data.draw(st.sampled_from(evidence))
    barren = [i for i, name in enumerate(ranked) if name not in evidence or i in rejected]
    place = data.draw(st.sampled_from([*barren, len(ranked)]))
    more = [*ranked[:place], gold, *ranked[place + 1 :]]
    for cls in RECALLS:
        before = value(cls(k=k), ranked, evidence, rejected)
        assert value(cls(k=k), more, evidence, rejected - {place}) >= before


@given(RANKED, IDS, REJECTED)
def test_with_one_piece_of_evidence_ap_is_mrr(ranked, gold, rejected):
    given_ = ranked, [gold], rejected
    assert value(AP(), *given_) == value(MRR(), *given_)


@given(RANKED, EVIDENCE, REJECTED, K)
def test_renaming_turns_changes_nothing(ranked, evidence, rejected, k):
    def rename(names):
        return ["new " + name[::-1] for name in names]

    for metric in (*(cls(k=k) for cls in CUT), RPrecision()):
        old = value(metric, ranked, evidence, rejected)
        assert value(metric, rename(ranked), rename(evidence), rejected) == old


@given(RANKED, EVIDENCE, REJECTED, st.sampled_from(["turn", "session"]))
def test_a_longer_prefix_never_lowers_recall(ranked, evidence, rejected, unit):
    prefixes = Rankings.of(
        row(ranked[:n], evidence, {r for r in rejected if r < n}) for n in range(len(ranked) + 1)
    )
    whole = Rankings.of([row(ranked, evidence, rejected)])
    for cls in RECALLS:
        assert (np.diff(cls(unit=unit)(prefixes)) >= 0).all()
        deeper = [cls(k=k, unit=unit)(whole)[0] for k in range(1, len(ranked) + 2)]
        assert (np.diff(deeper) >= 0).all()


@given(st.lists(st.tuples(RANKED, EVIDENCE, REJECTED), max_size=8), K)
def test_records_do_not_influence_each_other(rows, k):
    together = Rankings.of(row(*r) for r in rows)
    for metric in (*(cls(k=k) for cls in CUT), RPrecision()):
        assert metric(together).tolist() == [value(metric, *r) for r in rows]
