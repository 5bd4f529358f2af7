"""Best first, ties in the order given, nothing at minus infinity."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
