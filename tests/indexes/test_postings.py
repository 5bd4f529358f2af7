"""BM25 agrees with bm25s, grows turn by turn, and forgets without a trace."""

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.indexes import Postings

VOCABULARY = [f"w{i}" for i in range(40)]


def built(documents, **settings):
    index = Postings(**settings)
    index.reset()
    for row, terms in enumerate(documents):
        index.add(row, terms)
    return index


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (1.2, 0.0), (2.0, 1.0)])
def test_scores_equal_bm25s_in_lucene_form(k1, b):
    rng = np.random.default_rng(1)
    documents = [rng.choice(VOCABULARY, rng.integers(1, 30)).tolist() for _ in range(300)]
    reference = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    reference.index(documents, show_progress=False)
    index = built(documents, k1=k1, b=b, unique=False)
    for _ in range(50):
        query = rng.choice(VOCABULARY, rng.integers(1, 6)).tolist()
        expected = reference.get_scores(query)
        found = index.scores(query)[1]
        np.testing.assert_allclose(np.where(np.isinf(found), 0, found), expected, rtol=1e-6)


def test_a_term_in_half_of_a_small_store_still_counts():
    # Lucene idf: ln(1 + (2 - 1 + 0.5) / (1 + 0.5)) = ln 2; tf part: 1 / (1 + 1.5) at equal lengths.
    rows, scores = built([["windy", "london"], ["hello", "man"]]).scores(["windy"])
    assert rows.tolist() == [0, 1]
    assert scores[0] == pytest.approx(np.log(2) / 2.5)
    assert scores[1] == -np.inf


def test_empty_stores_and_documents_are_fine():
    assert built([]).scores(["x"])[0].tolist() == []
    assert built([[]]).scores(["x"])[1].tolist() == [-np.inf]
    assert built([["x"], []]).scores([])[1].tolist() == [-np.inf, -np.inf]


def test_unique_counts_a_query_word_once():
    once, twice = (built([["a", "b"], ["c"]], unique=u) for u in (True, False))
    assert twice.scores(["a", "a"])[1][0] == pytest.approx(2 * once.scores(["a", "a"])[1][0])


operations = st.lists(
    st.tuples(st.integers(0, 30), st.lists(st.sampled_from(VOCABULARY[:8]), max_size=6)),
    max_size=40,
)


@given(operations, st.lists(st.sampled_from(VOCABULARY[:8]), max_size=4))
def test_removing_is_as_if_never_added(operations_, query):
    """Rows are added, and removed again when their number comes up a second time."""
    index, kept, row = built([]), {}, 0
    for number, terms in operations_:
        if number in kept:
            index.remove(kept.pop(number)[0])
        else:
            index.add(row, terms)
            kept[number] = (row, terms)
            row += 1
    order = sorted(kept.values(), key=lambda pair: pair[0])
    rows, scores = index.scores(query)
    assert rows.tolist() == [r for r, _ in order]
    np.testing.assert_allclose(scores, built([t for _, t in order]).scores(query)[1], rtol=1e-12)


def test_views_do_not_block_growth():
    index = built([["a"]])
    held = index.scores(["a"])
    for row in range(1, 100):
        index.add(row, ["a", "b"])
    assert held[0].tolist() == [0]
    assert len(index.scores(["a"])[0]) == 100


@pytest.mark.parametrize(
    "settings",
    [{"k1": -1.0}, {"k1": float("inf")}, {"b": 1.5}, {"b": float("nan")}, {"unique": "no"}],
)
def test_impossible_parameters(settings):
    with pytest.raises(ConfigError, match=next(iter(settings))):
        built([], **settings)
