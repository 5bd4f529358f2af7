"""Batches, token shares and answers of embedders behind a service."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.encoding.remote import REQUEST_TOKENS, batches, plain_url, shares, unit_rows
from memlab.errors import ConfigError


@given(st.lists(st.integers(0, 150_000), max_size=40), st.integers(1, 8))
def test_batches_cover_all_texts_in_order_within_both_limits(tokens, texts):
    parts = list(batches(tokens, texts))
    assert [i for part in parts for i in part] == list(range(len(tokens)))
    for part in parts:
        assert len(part) in range(1, texts + 1)
        assert len(part) == 1 or sum(tokens[i] for i in part) <= REQUEST_TOKENS


def test_a_batch_holds_at_least_one_text():
    with pytest.raises(ConfigError, match="batch=0"):
        list(batches([1], 0))


@given(st.integers(0, 10**6), st.lists(st.integers(0, 9000), min_size=1, max_size=40))
def test_shares_add_up_and_are_within_one_of_the_proportion(total, weights):
    parts = shares(total, weights)
    assert sum(parts) == total
    if sum(weights):
        exact = [total * weight / sum(weights) for weight in weights]
        assert all(abs(p - e) <= 1 for p, e in zip(parts, exact, strict=True))


def test_a_zero_vector_stays_zero():
    assert unit_rows("x", [[0.0, 0.0], [3.0, 4.0]], 2).tolist() == pytest.approx(
        np.array([[0, 0], [0.6, 0.8]])
    )


def test_a_url_keeps_its_path():
    assert plain_url("http://127.0.0.1:8000/v1/") == "http://127.0.0.1:8000/v1"
