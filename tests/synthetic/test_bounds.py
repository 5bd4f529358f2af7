"""Floors and ceilings on synthetic dialogues are where arithmetic puts them."""

from math import sqrt

import numpy as np
import pytest

import memlab as ml
from memlab.tokens import tokenizer
from memlab.types import Forget, Probe, Turn

BUDGET = 300
K = 5


@pytest.fixture(scope="module")
def data():
    return ml.load("synthetic", conversations=8, turns=200, sessions=10, probes=45, timing="spread")


@pytest.fixture(scope="module")
def results(data):
    strategies = {
        "none": "NoMemory()",
        "random": "Random()",
        "full": "FullHistory()",
        "oracle": "Oracle()",
    }
    metrics = [f"Recall(k={K})", "Recall()", "Leak()", "Residue()", "Abstention()"]
    return ml.evaluate(strategies, data, metrics, budget=BUDGET)


def values(results, strategy, metric):
    rows = results.rows
    return rows[(rows["strategy"] == strategy) & rows["answerable"]][metric].dropna()


def test_without_a_memory_nothing_is_found(results):
    assert (values(results, "none", "Recall()") == 0).all()


def test_chance_finds_what_chance_finds(results):
    found = [r for r in results.records if r.strategy == "random" and r.answerable and r.evidence]
    drawn = values(results, "random", f"Recall(k={K})").to_numpy()
    # A random order of N turns has each evidence turn among its first k with probability k / N.
    expected = np.array([min(1.0, K / r.candidates) for r in found])
    assert len(drawn) == len(expected)
    error = drawn.std() / sqrt(len(drawn))
    assert drawn.mean() == pytest.approx(expected.mean(), abs=4 * error)


def test_the_oracle_finds_all_evidence(results):
    assert (values(results, "oracle", "Recall()") == 1).all()


def test_the_oracle_is_bounded_by_k(results, data):
    by_probe = results.rows[(results.rows["strategy"] == "oracle") & results.rows["answerable"]]
    roles = {c.id: {t.id: t.role for t in c.turns()} for c in data}
    evidence = {(r.conversation, r.probe): r.evidence for r in results.records}
    for _, row in by_probe.iterrows():
        turns = evidence[row["conversation"], row["probe"]]
        if any(roles[row["conversation"]][turn] == "tool" for turn in turns):
            continue  # the call comes with its result, and takes a rank
        assert row[f"Recall(k={K})"] == pytest.approx(min(1.0, K / len(turns)))


def test_the_full_history_finds_what_fits_the_budget(results, data):
    expected = [share for talk in data for share in fitting(talk)]
    assert values(results, "full", "Recall()").tolist() == pytest.approx(expected)


def fitting(talk):
    """Yield the share of evidence among the newest turns that fit, tool calls with results."""
    count = tokenizer().count
    said: dict[str, list[list[Turn]]] = {}
    for event in talk.events:
        if isinstance(event, Turn):
            groups = said.setdefault(event.user, [])
            call = event.meta.get("call")
            if call and groups and groups[-1][-1].meta.get("call") == call:
                groups[-1].append(event)
            else:
                groups.append([event])
        elif isinstance(event, Forget):
            kept = (
                [turn for turn in group if turn.id not in event.turn_ids]
                for group in said[event.user]
            )
            said[event.user] = [group for group in kept if group]
        elif isinstance(event, Probe) and event.answerable:
            left, found = BUDGET, set()
            for group in reversed(said.get(event.user, [])):
                left -= sum(count(turn.text) for turn in group)
                if left < 0:
                    break
                found.update(turn.id for turn in group)
            yield sum(turn in found for turn in event.evidence) / len(event.evidence)


def test_nobody_leaks_or_keeps_what_was_deleted(results):
    rows = results.rows
    assert (rows["Leak()"].dropna() == 0).all()
    assert (rows["Residue()"].dropna() == 0).all()
    assert rows["Residue()"].notna().any()
    assert rows["Leak()"].notna().any()


def test_silence_is_abstention(results):
    rows = results.rows[~results.rows["answerable"]]
    told = rows.groupby("strategy")["Abstention()"].mean()
    assert told["none"] == 1
    assert told["full"] < 0.2
