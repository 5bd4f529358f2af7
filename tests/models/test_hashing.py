"""Feature hashing."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import ConfigError
from memlab.models.hashing import Hashing
from memlab.parsing import parse


def rows(*texts, **settings):
    return Hashing(**settings).encode(texts, "document").vectors


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=4), st.integers(1, 64))
def test_every_row_is_finite_and_of_unit_length(texts, dimension):
    norms = np.linalg.norm(rows(*texts, dimension=dimension), axis=1)
    assert np.allclose(norms, 1, atol=1e-6)


@pytest.mark.parametrize("text", ["", "   ", "!!!", "😀😀", "the of and", "\ud800", "a" * 100_000])
def test_texts_without_content_words_are_encoded_too(text):
    assert np.linalg.norm(rows(text)) == pytest.approx(1)


def test_shared_words_and_shared_stems_are_near_and_unlike_texts_far():
    a, b, c, d = rows("I love hiking", "she loves to hike", "quarterly tax report", "love hiking")
    assert a @ d == pytest.approx(1)  # "i" is a stop word
    assert a @ b > 0.2 > abs(a @ c)


def test_chinese_is_compared_by_character_bigrams():
    query, right, wrong = rows("张三喜欢什么茶？", "张三喜欢绿茶", "李四去了上海")
    assert query @ right > 0.4 > abs(query @ wrong)


def test_case_and_width_do_not_matter_and_the_seed_does():
    assert (rows("Oslo") == rows("ＯＳＬＯ")).all()
    assert (rows("Oslo") != rows("Oslo", seed=1)).any()


def test_whole_words_only():
    # Without n-grams a single word is one bucket, and its parts count for nothing.
    (vector,) = rows("hiking", ngram=0)
    assert sorted(np.abs(vector))[-2:] == [0, 1]
    hiking, hike = rows("hiking", "hike", ngram=0, dimension=4096)
    assert hiking @ hike == 0


def test_vectors_are_the_same_in_a_process_with_another_hash_seed():
    code = (
        "import sys; from memlab.models.hashing import Hashing;"
        "sys.stdout.write(Hashing().encode(['Ana 喝咖啡'], 'query').vectors.tobytes().hex())"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == rows("Ana 喝咖啡").tobytes().hex()


def test_tokens_are_words_and_nothing_is_truncated():
    encoded = Hashing().encode(["I like 喝咖啡", ""], "document")
    assert encoded.tokens == (4, 0)  # i, like, 喝咖, 咖啡
    assert encoded.truncated == (False, False)


def test_it_reads_back_pickles_and_names_every_setting():
    model = Hashing(dimension=64, ngram=4, seed=9)
    assert parse(repr(model)) == model == pickle.loads(pickle.dumps(model))
    assert {64, 4, 9} <= set(model.identity().values())


@pytest.mark.parametrize("settings", [{"dimension": 0}, {"ngram": -1}])
def test_settings_that_cannot_work(settings):
    with pytest.raises(ConfigError, match=r"dimension=|ngram="):
        rows("x", **settings)
