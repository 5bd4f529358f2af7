"""Vector keeps a turn wholly or not at all."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memlab.errors import MemlabError
from memlab.protocols import Encoded
from memlab.strategies import Vector
from memlab.types import Query, Turn

START = datetime(2024, 5, 8, 12, tzinfo=UTC)


class Widening:
    """Returns vectors of the length of the first text it gets in a call: 2 or 3."""

    def identity(self):
        return {"model": "widening"}

    def encode(self, texts, role):
        width = 3 if texts[0].endswith("wide") else 2
        return Encoded(
            np.eye(width, dtype=np.float32)[[0] * len(texts)],
            [1] * len(texts),
            [False] * len(texts),
        )


def turns(*texts):
    return [
        Turn(id=text, text=text, time=START + timedelta(days=n), user="ann")
        for n, text in enumerate(texts)
    ]


def ids(memory):
    items = memory.read(Query("what?", START + timedelta(days=99), "ann"), None)
    return [item.sources[0] for item in items]


def test_a_batch_with_a_turn_that_is_refused_leaves_nothing():
    memory = Vector(embedder=Widening())
    memory.reset()
    memory.write_many(turns("one", "two"))
    twice = turns("three", "four", "three")
    with pytest.raises(MemlabError):
        memory.write_many(twice)
    assert ids(memory) == ["one", "two"]
    memory.write_many(turns("three", "four"))
    assert ids(memory) == ["one", "two", "three", "four"]


def test_a_vector_of_another_length_leaves_no_turn():
    memory = Vector(embedder=Widening())
    memory.reset()
    memory.write(turns("one")[0])
    with pytest.raises(MemlabError):
        memory.write(turns("this is wide")[0])
    assert ids(memory) == ["one"]
    assert [held.text for held in memory.held()] == ["one"]
