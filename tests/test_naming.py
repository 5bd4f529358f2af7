"""repr is the one spelling: it shows what differs from the defaults and reads back."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.digests import canonical_json, digest, slug
from memlab.errors import ConfigError
from memlab.naming import component, describe, part, parts, spell
from memlab.parsing import parse
from memlab.registry import COMPONENTS, DATASETS, load_target
from memlab.strategies import BM25, Hybrid, Vector, Window


@component
class Gauge:
    size: float = 1.0
    names: tuple[str, ...] = ()
    table: dict[str, float] = part("{}")
    inner: object = None


REFERENCE = f"{Gauge.__module__}:Gauge"

floats = st.floats(allow_nan=False)
gauges = st.builds(
    Gauge,
    size=floats,
    names=st.lists(st.text()).map(tuple),
    table=st.dictionaries(st.text(), floats),
    inner=st.one_of(st.none(), st.builds(Window, turns=st.integers(0, 99)), st.text()),
)


@given(gauge=gauges)
def test_repr_reads_back_to_an_equal_object(gauge):
    sys.modules.setdefault(Gauge.__module__, sys.modules[__name__])
    assert parse(repr(gauge)) == gauge
    assert parse(describe(gauge, full=True)) == gauge


@pytest.mark.parametrize(
    "spelt",
    [
        "Window()",
        "Window(turns=5)",
        "BM25(k1=0.9, form='said')",
        "Hybrid(legs=(BM25(), Vector(embedder=Hashing(dimension=64))), weights=(0.3, 0.7))",
        "Recall(k=5, unit='session')",
    ],
)
def test_text_and_object_are_one(spelt):
    assert repr(parse(spelt)) == spelt
    assert parse(repr(parse(spelt))) == parse(spelt)


@pytest.mark.parametrize("name", sorted(set(COMPONENTS) - {"SentenceTransformer"}))
def test_every_registered_component_is_made_without_arguments_and_reads_back(name):
    made = parse(f"{name}()")
    assert repr(made) == f"{name}()"
    assert parse(describe(made, full=True)) == made


def test_what_a_component_requires_is_always_shown():
    spelt = "SentenceTransformer(name='BAAI/bge-m3')"
    assert repr(parse(spelt)) == spelt
    with pytest.raises(ConfigError, match="lacks 'name'"):
        parse("SentenceTransformer()")


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_every_data_set_has_a_loader(name):
    assert callable(load_target(DATASETS[name]))


def test_repr_shows_only_what_differs():
    assert repr(BM25(k1=1.5)) == "BM25()"
    assert repr(Vector(form="text")) == "Vector(form='text')"


def test_one_is_not_true_and_int_is_not_float():
    assert repr(Gauge(size=1)) == f"{REFERENCE}(size=1)"
    assert Gauge(size=1.0) != Gauge(size=2.0)


def test_equality_and_hash_follow_the_parameters_not_the_state():
    first, second = Window(turns=3), Window(turns=3)
    first.reset()
    assert first == second
    assert hash(first) == hash(second)
    assert first != Window(turns=4)
    assert len({first, second, Window(turns=4)}) == 2


def test_references_to_unregistered_classes():
    sys.modules.setdefault(Gauge.__module__, sys.modules[__name__])
    nested = parse(f"BM25(form={REFERENCE}(size=2.0))")
    assert nested.form == Gauge(size=2.0)


@pytest.mark.parametrize(
    "text",
    [
        "os:getcwd()",
        "os:abort()",
        "collections:OrderedDict()",
        "BM25(form=os:getpid())",
        "os:getcwd",
    ],
)
def test_nothing_but_components_is_called(text):
    with pytest.raises(ConfigError, match=r"not a component|bare name"):
        parse(text)


def test_dicts_sets_and_numpy_scalars_are_spelt_and_read():
    table = {None: 1.0, True: 2.0, math.inf: 3.0, "a": {1, 2}}
    assert parse(repr(Window(turns=table))).turns == table
    assert repr(BM25(k1=np.float64(1.2))) == "BM25(k1=1.2)"
    assert repr(Window(turns=np.int64(3))) == "Window(turns=3)"


def test_an_object_without_a_repr_is_spelt_by_its_attributes():
    class Client:
        def __init__(self, n):
            self.n = n

    assert spell(Client(1)) != spell(Client(2))
    assert "0x" not in spell(Client(1))
    assert spell(math.floor) == repr(math.floor)


def test_infinities_read_back():
    assert parse("BM25(k1=inf)").k1 == math.inf
    assert parse("BM25(k1=-inf)").k1 == -math.inf
    assert repr(BM25(k1=-math.inf)) == "BM25(k1=-inf)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Windo(turns=5)", "did you mean 'Window'"),
        ("Window(turn=5)", "did you mean 'turns'"),
        ("Window(5)", "positional argument"),
        ("Window", "bare name"),
        ("Window(turns=)", "cannot read"),
        ("Window(turns=open('x'))", "unknown name 'open'"),
        ("Window(turns=1 + 1)", "neither a literal nor a component"),
        ("nowhere.at:All()", "cannot be imported"),
        ("memlab.types:Nothing()", "cannot be imported"),
        ("Window(turns=5", "cannot read"),
        ("", "cannot read"),
        ("__import__('os').system('x')", "neither a literal nor a component"),
    ],
)
def test_what_cannot_be_read_says_why(text, message):
    with pytest.raises(ConfigError, match=message.replace("(", r"\(")):
        parse(text)


def test_colons_inside_text_are_not_references():
    gauge = BM25(form="a:B(c=1)")
    assert parse(repr(gauge)) == gauge


def test_parts_are_found_through_wrappers():
    hybrid = Hybrid()
    names = [type(p).__name__ for p in parts(hybrid)]
    assert names == ["Hybrid", "BM25", "Vector", "MiniLM", "Exact"]


def test_canonical_json_is_strict_and_independent_of_order():
    assert canonical_json({"b": 1, "a": "茶"}) == '{"a":"茶","b":1}'
    assert digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json(float("nan"))


def test_slugs_are_safe_and_distinct():
    names = ["A", "实验 1", "x" * 100, "a/b", "a_b", "a-b", "..", "", "a b"]
    slugs = [slug(name) for name in names]
    assert len(set(slugs)) == len(names)
    assert all("/" not in s and " " not in s and not s.startswith(".") for s in slugs)
    assert slug("实验 1").startswith("实验-1-")
    assert slug("locomo-full") == "locomo-full"
