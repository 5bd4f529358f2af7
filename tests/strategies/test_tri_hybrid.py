"""Three legs: words, vectors and a graph."""

from datetime import UTC, datetime

import numpy as np
import pytest

from memlab.graphs import TermGraph
from memlab.models import Hashing
from memlab.strategies import BM25, TriHybrid, Vector
from memlab.types import Query, Turn

NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)
LEGS = (BM25(form="text"), Vector(embedder=Hashing()), TermGraph(form="text"))
TEXTS = ("Zoltan owns a bakery", "the bakery burnt down", "we like tea")


def told():
    memory = TriHybrid(legs=LEGS)
    memory.reset()
    for number, text in enumerate(TEXTS):
        memory.write(Turn(id=f"t{number}", text=text, time=NOW, user="ann", session=str(number)))
    return memory


def test_its_default_has_three_legs_with_a_weight_each():
    assert [type(leg).__name__ for leg in TriHybrid().legs] == ["BM25", "Vector", "TermGraph"]
    assert sum(TriHybrid().weights) == pytest.approx(1.0)


def test_scores_are_the_weighted_sum_of_the_scaled_legs():
    memory, query = told(), Query("Zoltan", NOW, "ann")
    total = np.zeros(3)
    for leg, weight in zip(memory.legs, memory.weights, strict=True):
        found = np.array(leg.scores(query)[1], dtype=float)
        low = 0.0 if np.isinf(found).any() else found.min()
        total += weight * np.where(np.isinf(found), 0.0, (found - low) / (found.max() - low))
    assert memory.scores(query)[1] == pytest.approx(total)


def test_the_graph_brings_in_what_words_do_not():
    # "burnt" shares no word with the question; the graph reaches it through "bakery".
    scores = dict(zip(*told().legs[2].scores(Query("Zoltan", NOW, "ann")), strict=True))
    assert scores[1] > 0
    assert scores[2] == -np.inf
