"""An embedder for each script: routing, order, costs, identity."""

from dataclasses import replace

import numpy as np
import pytest

import memlab as ml
from memlab.encoding.embedding import encode, routed
from memlab.errors import MissingExtra
from memlab.models import ByScript, Hashing
from memlab.naming import component
from memlab.protocols import Encoded
from memlab.run import Run
from memlab.strategies import Vector
from memlab.text import has_cjk


@component
class Constant:
    """Encodes every text to the same unit vector."""

    place: int = 0
    nanoseconds: int = 0

    def identity(self):
        return {"model": "constant", "revision": str(self.place)}

    def encode(self, texts, role):
        vectors = np.tile(np.eye(4, dtype=np.float32)[self.place], (len(texts), 1))
        spent = (self.nanoseconds,) * len(texts) if self.nanoseconds else ()
        return Encoded(vectors, (1,) * len(texts), (False,) * len(texts), spent)


@component
class Absent:
    """A model that is not installed."""

    def identity(self):
        raise MissingExtra.of("Absent()", "absent")

    encode = identity


BOTH = ByScript(latin=Constant(place=1), cjk=Constant(place=2))


@pytest.mark.parametrize(
    ("text", "place"), [("tea", 1), ("", 1), ("茶", 2), ("I like 茶", 2), ("お茶", 2), ("чай", 1)]
)
def test_texts_go_to_the_embedder_of_their_script(text, place):
    assert routed(BOTH, text) == Constant(place=place)


def test_rows_stay_in_the_order_given():
    assert BOTH.encode(["a", "茶", "b"], "document").vectors.argmax(axis=1).tolist() == [1, 2, 1]


def test_times_are_told_when_both_tell_them():
    timed = ByScript(latin=Constant(nanoseconds=5), cjk=Constant(nanoseconds=7))
    assert timed.encode(["茶", "a"], "query").nanoseconds == (7, 5)
    assert (
        ByScript(latin=Constant(nanoseconds=5), cjk=Constant())
        .encode(["茶", "a"], "query")
        .nanoseconds
        == ()
    )


def test_vectors_are_shared_with_the_embedder_itself():
    known = encode(Constant(place=3), ["tea"], "document")["tea"]
    key = ("tests.models.test_by_script:Constant(place=3, nanoseconds=0)", "document", "tea")
    run = Run(vectors={key: known})
    found = run.embed(ByScript(latin=Constant(place=3), cjk=Absent()), ["tea"], "document")
    assert found.argmax() == 3
    assert run.live_ns == 0, "it was taken, not encoded again"


def test_a_model_that_no_text_asks_for_need_not_be_installed():
    half = ByScript(latin=Hashing(), cjk=Absent())
    assert half.identity()["cjk model"] == "not installed"
    results = ml.evaluate(
        {"half": Vector(embedder=half), "whole": Vector(embedder=Hashing())},
        _latin(ml.load("quickstart")),
        ["Recall(k=5)"],
        budget=500,
    )
    table = results.summary().set_index("strategy")["Recall(k=5)"]
    assert table["half"] == table["whole"] > 0


def _latin(data):
    kept = (c for c in data if not any(has_cjk(turn.text) for turn in c.turns()))
    return replace(data, conversations=tuple(kept), options={})


def test_one_script_has_the_vectors_of_its_model():
    assert BOTH.identity()["latin revision"] == "1"
    assert BOTH.identity()["cjk revision"] == "2"
