"""Random walks with restart, against networkx's personalised PageRank and by hand."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.walks import Walk

# Three turns of one session with the terms {0, 1}, {1, 2}, {3}.
STARTS, ENDS = [0, 2, 4, 5], [0, 1, 1, 2, 3]


def test_idf_is_that_of_bm25():
    # N = 3; n = 1 for terms 0, 2, 3 and 2 for term 1: ln(1 + 2.5 / 1.5) and ln(1 + 1.5 / 2.5).
    idf = Walk.of(STARTS, ENDS, 4, [0, 0, 0]).idf
    assert idf == pytest.approx([np.log(8 / 3), np.log(1.6), np.log(8 / 3), np.log(8 / 3)])


def test_two_rounds_by_hand():
    # All walkers start at term 0, which only turn 0 has; restart 1/2. Let p = idf1 / (idf0 + idf1).
    # Round 1: turn 0 gets 1/2. Back: term 0 has 1/2 + 1/2 · 1/2 · (1 − p), term 1 has p / 4.
    # Round 2: turn 0 gets half of term 0 and a quarter of term 1, turn 1 a quarter of term 1.
    p = np.log(1.6) / (np.log(8 / 3) + np.log(1.6))
    found = Walk.of(STARTS, ENDS, 4, [0, 0, 0]).visits([0], 0.5, 2)
    one = (0.5 + 0.25 * (1 - p)) / 2 + p / 16
    assert found == pytest.approx([one, p / 16, 0.0])


def test_no_start_reaches_nothing():
    assert Walk.of(STARTS, ENDS, 4, [0, 0, 0]).visits([], 0.5, 5).tolist() == [0, 0, 0]


def test_sizes_are_relative_to_their_mean():
    # Turns 0 and 1 weigh idf0 + idf1, turn 2 idf3 = idf0.
    big, small = np.log(8 / 3) + np.log(1.6), np.log(8 / 3)
    sizes = Walk.of(STARTS, ENDS, 4, [0, 0, 0]).sizes
    assert sizes == pytest.approx(np.array([big, big, small]) * 3 / (2 * big + small))


def test_a_turn_without_terms_is_reached_by_its_neighbour_alone():
    walk = Walk.of([0, 1, 1], [0], 1, [0, 0], neighbours=0.4)
    assert walk.visits([0], 0.5, 30)[1] > 0
    assert Walk.of([0, 1, 1], [0], 1, [0, 1], neighbours=0.4).visits([0], 0.5, 30)[1] == 0


TURNS = st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=5), min_size=2, max_size=9)


@given(TURNS, st.sampled_from([0.0, 0.3]), st.sampled_from([0.3, 0.5, 0.85]), st.data())
def test_the_walk_is_personalised_pagerank(turns, neighbours, restart, data):
    names = sorted(set().union(*turns))
    terms = [sorted(names.index(t) for t in turn) for turn in turns]
    starts = np.cumsum([0, *map(len, terms)]).tolist()
    ends = [t for turn in terms for t in turn]
    episodes = sorted(
        data.draw(st.lists(st.integers(0, 2), min_size=len(turns), max_size=len(turns)))
    )
    start = data.draw(st.lists(st.sampled_from(range(len(names))), min_size=1, unique=True))
    walk = Walk.of(starts, ends, len(names), episodes, neighbours)
    graph = nx.DiGraph()
    for turn, its in enumerate(terms):
        beside = [
            n
            for n in (turn - 1, turn + 1)
            if 0 <= n < len(turns) and episodes[n] == episodes[turn] and neighbours
        ]
        left = 1 - neighbours if beside else 1.0
        total = sum(walk.idf[t] for t in its)
        for term in its:
            graph.add_edge(("term", term), turn, weight=1.0)
            graph.add_edge(turn, ("term", term), weight=left * walk.idf[term] / total)
        for other in beside:
            graph.add_edge(turn, other, weight=neighbours / len(beside))
    expected = nx.pagerank(
        graph,
        alpha=1 - restart,
        personalization={("term", t): walk.idf[t] for t in start},
        tol=1e-13,
        max_iter=500,
    )
    found = walk.visits(start, restart, 200)
    assert found == pytest.approx([expected[t] for t in range(len(turns))], abs=1e-9)
