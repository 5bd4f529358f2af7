"""Exact search is the matrix product, and rows can go and come."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ContractError
from memlab.indexes import Exact


def unit(rng, n, dimension=8):
    vectors = rng.normal(size=(n, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_scores_are_cosines_of_the_live_rows():
    rng = np.random.default_rng(0)
    vectors, index = unit(rng, 60), Exact()
    index.reset()
    for row, vector in enumerate(vectors):
        index.add(row, vector)
    for row in range(0, 60, 3):
        index.remove(row)
    index.add(60, vectors[0])
    kept = [r for r in range(60) if r % 3]
    rows, scores = index.scores(vectors[0])
    assert rows.tolist() == [*kept, 60]
    expected = np.r_[vectors[kept] @ vectors[0], 1.0]
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_removed_vectors_are_gone_from_memory():
    index = Exact()
    index.reset()
    index.add(0, np.array([0.6, 0.8], dtype=np.float32))
    index.add(1, np.array([1.0, 0.0], dtype=np.float32))
    index.remove(0)
    assert 0.6 not in index._vectors._store
    assert index.vectors()[1].tolist() == [[1.0, 0.0]]
    assert 0.6 not in index._vectors._store
    assert index.vectors()[0].tolist() == [1]


def test_removing_copies_no_matrix_and_gives_the_room_back():
    vectors, index = unit(np.random.default_rng(1), 1000), Exact()
    index.reset()
    for row, vector in enumerate(vectors):
        index.add(row, vector)
    store = index._vectors._store
    for row in range(500):
        index.remove(row)
    assert index._vectors._store is store  # a copy only when more are dead than alive
    assert not store[:500].any()
    index.remove(500)
    assert index._vectors._store is not store
    assert len(index._rows) == 499
    np.testing.assert_array_equal(index.vectors()[1], vectors[501:])


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), max_size=60))
def test_any_order_of_adding_and_removing_leaves_the_live_rows_in_order(steps):
    index, live = Exact(), {}
    index.reset()
    for number, (adds, row) in enumerate(steps):
        if adds and row not in live:
            live[row] = np.array([number + 1, row], dtype=np.float32)
            index.add(row, live[row])
        elif not adds:
            live.pop(row, None)
            index.remove(row)
        rows, scores = index.scores(np.array([1, 0], dtype=np.float32))
        assert rows.tolist() == list(live)
        assert scores.tolist() == [vector[0] for vector in live.values()]
    kept, vectors = index.vectors()
    assert kept.tolist() == list(live)
    assert vectors.tolist() == [vector.tolist() for vector in live.values()]


def test_empty_and_mismatched():
    index = Exact()
    index.reset()
    assert len(index.scores(np.ones(4, dtype=np.float32))[0]) == 0
    index.add(0, np.ones(4, dtype=np.float32))
    with pytest.raises(ContractError, match=r"\(4,\), as before"):
        index.add(1, np.ones(5, dtype=np.float32))
