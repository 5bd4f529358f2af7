"""Ids and numbers under hashes, against the dict and the counter they stand for."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memlab.hashed import Hashed
from memlab.ids import Ids

NAMES = st.lists(st.sampled_from([f"t{n}" for n in range(30)]), max_size=12)


@given(st.lists(st.tuples(NAMES, st.booleans()), max_size=12))
def test_every_id_has_the_rows_it_was_given(batches):
    ids, said = Ids(), []
    for names, singly in batches:
        if singly:
            for name in names:
                ids.add(name)
        else:
            assert ids.extend(names) == [name for name in names if name in said]
        said += names
        assert len(ids) == len(said)
        for name in ("t0", "t7", "never"):
            assert ids.rows(name) == [row for row, other in enumerate(said) if other == name]
    twice = [name for name, count in Counter(said).items() if count > 1]
    assert ids.repeated(sorted({*said, "never"})) == sorted(twice)


@given(st.lists(st.dictionaries(st.integers(-9, 9), st.integers(1, 5)), max_size=12))
def test_numbers_are_added_up_across_runs(batches):
    held, expected = Hashed(adding=True), Counter()
    for batch in batches:
        keys = np.fromiter(batch, dtype=np.int64, count=len(batch))
        held.insert(keys, np.fromiter(batch.values(), dtype=np.int32, count=len(batch)))
        expected.update(batch)
        assert {key: sum(held.under(key)) for key in range(-9, 10)} == {
            key: expected[key] for key in range(-9, 10)
        }


def test_runs_stay_few_and_each_is_more_than_twice_the_next():
    ids = Ids()
    for n in range(1000):
        ids.add(str(n))
        assert ids.rows(str(n)) == [n]
    sizes = [len(run) for run, _ in ids._rows.runs]
    assert sum(sizes) == 1000
    assert all(a > 2 * b for a, b in pairwise(sizes))
