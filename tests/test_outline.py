"""Reprs taken apart: every parameter by dotted name, nothing imported, nothing lost."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memlab as ml
from memlab.models import Hashing
from memlab.naming import spell
from memlab.outline import outline, plain
from memlab.strategies import BM25, Hybrid, Vector


def test_golden_outline():
    text = "Hybrid(legs=(BM25(k1=0.9), a.b:Own(x='a, (b', y=[1, 2])), fusion='rrf', k=60)"
    assert outline(text) == {
        "": "Hybrid",
        "legs": "(BM25, a.b:Own)",
        "legs.0": "BM25",
        "legs.0.k1": "0.9",
        "legs.1": "a.b:Own",
        "legs.1.x": "'a, (b'",
        "legs.1.y": "[1, 2]",
        "fusion": "'rrf'",
        "k": "60",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("W()", {"": "W"}),
        ("W(f=m:f.<locals>.<lambda>#1a2b)", {"": "W", "f": "m:f.<locals>.<lambda>#1a2b"}),
        ("W(s={'a': (1,)}, t=set())", {"": "W", "s": "{'a': (1,)}", "t": "set()"}),
        ("W(p=Path('x, y'), q='it\\'s', r=\"a'b\")",
         {"": "W", "p": "Path('x, y')", "q": "'it\\'s'", "r": "\"a'b\""}),
        ("W(o=<an (unclosed object>)", {"": "W(o=<an (unclosed object>)"}),
        ("W(o=it's, p=1)", {"": "W(o=it's, p=1)"}),
        ("no call", {"": "no call"}),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_apart_is_one_text(text, expected):
    assert outline(text) == expected


def test_arrays_differ_by_their_hash():
    @ml.component
    class Given:
        vectors: object

    a, b = (outline(spell(Given(vectors=np.arange(n))))["vectors.sha256"] for n in (2, 3))
    assert a != b


@given(st.text(), st.floats(), st.integers(1, 9), st.sampled_from(["score", "rrf"]))
def test_the_outline_holds_the_fields_of_every_part(form, k1, dimension, fusion):
    leg, other = BM25(k1=k1, form=form), Vector(embedder=Hashing(dimension=dimension))
    hybrid = Hybrid(legs=(leg, other), fusion=fusion)
    found = outline(spell(hybrid, full=True))
    for path, part in {"": hybrid, "legs.0": leg, "legs.1": other}.items():
        for field in dataclasses.fields(part):
            name = f"{path}.{field.name}".lstrip(".")
            value = getattr(part, field.name)
            if isinstance(value, str | float | int | bool):
                assert plain(found[name]) == value or value != value  # NaN
            else:
                assert name in found
    assert found["legs.1.embedder.dimension"] == str(dimension)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("True", True), ("None", None), ("'a'", "a"), ("-inf", -np.inf), ("BM25", "BM25"),
     ("[1]", "[1]"), ("1j", "1j"), ("(", "(")],
)  # fmt: skip
def test_plain_values(text, value):
    assert plain(text) == value
    assert type(plain(text)) is type(value)
