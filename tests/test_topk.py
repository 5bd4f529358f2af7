"""Best first, ties in the order given, nothing at minus infinity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.errors import ContractError
from memlab.topk import best

scores = st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 0.5000001, 2.0]), max_size=900)


@given(scores)
def test_best_is_a_stable_descending_sort(values):
    array = np.array(values, dtype=np.float64)
    rows = np.arange(len(values)) + 7
    expected = sorted(
        ((i + 7, v) for i, v in enumerate(values) if v > -np.inf), key=lambda pair: -pair[1]
    )
    assert list(best(rows, array)) == expected


@pytest.mark.parametrize("size", [1, 5, 128, 129, 1000])
def test_nan_is_a_fault_of_the_scorer(size):
    values = np.linspace(-1.0, 1.0, size)
    values[size // 2] = np.nan
    with pytest.raises(ContractError, match=rf"1 of {size} scores are NaN.*row {size // 2 + 7};"):
        next(best(np.arange(size) + 7, values))
