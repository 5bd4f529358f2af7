"""Grids: labels, order, parts, and all faults at once."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memlab as ml
from memlab.errors import Faults
from memlab.metrics import Recall
from memlab.models import E5, Hashing
from memlab.strategies import BM25, Hybrid, Vector, Window


def test_labels_are_reprs_and_the_last_parameter_varies_fastest():
    made = ml.grid(BM25, k1=[0.9, 1.5], b=[0.4, 0.75])
    assert list(made) == ["BM25(k1=0.9, b=0.4)", "BM25(k1=0.9)", "BM25(b=0.4)", "BM25()"]
    assert list(made.values()) == [ml.parse(label) for label in made]


def test_a_name_has_the_parameters_in_braces_formats_and_dots():
    made = ml.grid(BM25(form="text"), k1=np.linspace(0.5, 1.0, 2), name="k1 {k1:.2f}")
    assert made == {
        "k1 0.50": BM25(k1=0.5, form="text"),
        "k1 1.00": BM25(k1=1.0, form="text"),
    }
    deep = ml.grid(
        "Hybrid(legs=(BM25(), Vector(embedder=Hashing())))",
        **{"legs.0.k1": [0.9], "legs.1.embedder.dimension": range(64, 129, 64)},
        name="{legs.0.k1}, {legs.1.embedder.dimension}",
    )
    legs = [(BM25(k1=0.9), Vector(embedder=Hashing(dimension=d))) for d in (64, 128)]
    assert deep == {"0.9, 64": Hybrid(legs=legs[0]), "0.9, 128": Hybrid(legs=legs[1])}


def test_values_may_be_parts_and_parameters_of_these_vary_too():
    made = ml.grid(Vector, embedder=[Hashing(dimension=64), E5()])
    assert [m.embedder for m in made.values()] == [Hashing(dimension=64), E5()]
    both = ml.grid(
        Vector, embedder=[Hashing(), Hashing(ngram=0)], **{"embedder.dimension": [64, 512]}
    )
    assert [(m.embedder.ngram, m.embedder.dimension) for m in both.values()] == [
        (3, 64), (3, 512), (0, 64), (0, 512),
    ]  # fmt: skip


def test_the_template_is_not_touched_and_its_state_is_not_shared():
    template = Window(turns=3)
    template.reset()
    (made,) = ml.grid(template, turns=[5]).values()
    assert template.turns == 3
    assert made == Window(turns=5)
    assert "history" not in vars(made)


def test_numbers_of_numpy_become_plain_ones():
    made = ml.grid(Window, turns=np.array([5, 10]))
    assert [type(m.turns) for m in made.values()] == [int, int]
    assert type(ml.grid(BM25, k1=[np.float32(0.5)])["BM25(k1=0.5)"].k1) is float


def test_any_component_can_be_swept():
    assert ml.grid(Recall, k=[1, 5]) == {"Recall(k=1)": Recall(k=1), "Recall(k=5)": Recall(k=5)}


def test_a_required_parameter_may_be_swept():
    @ml.strategy
    class Wants(ml.TurnMemory):
        size: int

    assert [m.size for m in ml.grid(Wants, size=[1, 2]).values()] == [1, 2]
    with pytest.raises(Faults, match=r"cannot be made: .*missing 1 required .*'size'"):
        ml.grid(Wants, **{"size.deep": [1]})


@given(
    st.lists(st.integers(0, 99), min_size=1, max_size=4, unique=True),
    st.lists(st.floats(0, 1), min_size=1, max_size=4, unique=True),
)
def test_a_grid_is_the_product_in_the_order_given(turns, bs):
    made = ml.grid(BM25, k1=turns, b=bs)
    assert [(m.k1, m.b) for m in made.values()] == list(itertools.product(turns, bs))
    assert all(ml.parse(label) == strategy for label, strategy in made.items())


class Undeclared:
    """A memory that is no dataclass."""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: ml.grid(BM25, k2=[1], b="0.4", form=[], k1=[1, 2, 1], name="{k} {"),
            [
                "5 fault(s) in the grid of BM25:",
                "name='{k} {' (",
                "b='0.4'; expected a list of values, in order; b=['0.4']",
                "form has no values; expected at least one",
                "k1 has 1 more than once",
                "BM25 has no parameter 'k2'; known: b, form, k1",
            ],
        ),
        (lambda: ml.grid(Window, turns=5), ["turns=5; expected a list", "turns=[5]"]),
        (lambda: ml.grid(Window, turns={5, 6}), ["turns={5, 6}; expected a list"]),
        (lambda: ml.grid(Window, turns=np.array(5)), ["expected a list of values"]),
        (lambda: ml.grid(Window), ["nothing to vary; expected a list for a parameter"]),
        (
            lambda: ml.grid(BM25, k1=[1, 2], b=[0, 1], name="k1 {k1}"),
            ["2 combinations have the label 'k1 1'", "name='k1 {k1}' must name what varies"],
        ),
        (
            lambda: ml.grid(BM25, k1=[1], name="{k}"),
            ["name='{k}': 'k' does not vary; did you mean 'k1'?"],
        ),
        (lambda: ml.grid(BM25, k1=[0.5], name="{k1:d}"), ["Unknown format code 'd'"]),
        (lambda: ml.grid(BM25, k1=[0.5], name="{k1:{w}}"), ["formats that fit the values"]),
        (lambda: ml.grid(BM25, k1=[0.5], name=3), ["name=3", "a text with the parameters"]),
        (
            lambda: ml.grid(Hybrid, **{"legs.2.k1": [1, 2], "legs.1.index.m": [1]}),
            [
                "2 fault(s) in the grid of Hybrid",
                "'legs.2.k1': '2' is no member of a tuple; expected a number below 2",
                "'legs.1.index.m': Exact has no parameter 'm'; Exact takes no parameters",
            ],
        ),
        (lambda: ml.grid(Undeclared, turns=[1]), ["Undeclared has no named parameters"]),
        (lambda: ml.grid(Window, **{"turns.x": [1]}), ["'turns.x'", "has no named parameters"]),
    ],
)
def test_all_faults_are_told_at_once(call, told):
    with pytest.raises(Faults) as caught:
        call()
    for text in told:
        assert text in str(caught.value)


def test_a_grid_runs_beside_other_strategies():
    strategies = {**ml.grid(Window, turns=[0, 10], name="last {turns}"), "bm25": BM25()}
    results = ml.evaluate(strategies, "quickstart", ["Recall(k=5)"], budget=200)
    found = results.summary().set_index("strategy")["Recall(k=5)"]
    assert list(found.index) == ["last 0", "last 10", "bm25"]
    assert found["last 0"] == 0.0  # an empty window returns nothing
    assert found["last 10"] < found["bm25"]
