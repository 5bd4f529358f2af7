"""What surrounds a turn: ranges by tokens and episode, sums, BM25 over counts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.indexes import Postings
from memlab.windows import around, bm25, scaled, whole

LENGTHS = st.lists(st.tuples(st.integers(1, 900), st.integers(0, 1)), min_size=1, max_size=30)


@given(LENGTHS, st.integers(0, 500))
def test_around_holds_the_turns_of_the_episode_whose_middle_is_near(rows, width):
    tokens = np.array([t for t, _ in rows])
    episodes = np.cumsum([new for _, new in rows])
    middle = np.cumsum(tokens) - tokens / 2
    spans = around(tokens, episodes, width)
    for i in range(len(rows)):
        near = [
            j
            for j in range(len(rows))
            if episodes[i] == episodes[j] and abs(middle[i] - middle[j]) <= width
        ]
        assert list(range(spans.first[i], spans.last[i])) == near


def test_middles_of_long_messages_are_far_apart():
    # middles: 20, 60, 100, 570; the last is 470 tokens from the third.
    spans = around(np.array([40, 40, 40, 900]), np.zeros(4, dtype=int), 100)
    assert spans.first.tolist() == [0, 0, 0, 3]
    assert spans.last.tolist() == [3, 3, 3, 4]


def test_nothing_surrounds_nothing():
    empty = np.empty(0, dtype=np.int64)
    assert around(empty, empty, 100).first.tolist() == []
    assert whole(empty)[0].sums(np.empty((0, 2))).shape == (0, 2)


def test_sums_over_ranges():
    spans, number = whole(np.array([0, 0, 3]))
    assert spans.sums(np.array([[1.0, 0.0], [2.0, 5.0], [4.0, 0.0]])).tolist() == [
        [3.0, 5.0],
        [4.0, 0.0],
    ]
    assert number.tolist() == [0, 0, 1]


def test_bm25_by_hand():
    # Two texts of 2 and 4 words, average 3; the term is once in the first alone:
    # idf = ln(1 + 1.5/1.5) = ln 2, norm = 1.5 (1 - .75 + .75 · 2/3) = 1.125, score ln 2 / 2.125.
    found = bm25(np.array([[1.0], [0.0]]), np.array([2.0, 4.0]), 1.5, 0.75)
    assert found == pytest.approx([math.log(2) / 2.125, 0.0])


@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=8),
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=4),
)
def test_bm25_is_that_of_the_index(texts, asked):
    index = Postings(k1=0.9, b=0.4)
    index.reset()
    for row, text in enumerate(texts):
        index.add(row, text)
    rows, lengths, counts = index.counts(asked)
    known = index.scores(asked)[1]
    assert rows.tolist() == list(range(len(texts)))
    assert bm25(counts, lengths, 0.9, 0.4) == pytest.approx(np.where(known > -np.inf, known, 0.0))


def test_scaled_goes_from_zero_to_one():
    assert scaled(np.array([-2.0, 2.0, 0.0])).tolist() == [0.0, 1.0, 0.5]
    assert scaled(np.array([3.0, 3.0])).tolist() == [0.0, 0.0]
    assert scaled(np.empty(0)).tolist() == []
