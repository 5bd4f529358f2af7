"""Dense search and fusion, with vectors and scores whose arithmetic can be followed."""

import numpy as np
import pytest

from memlab.errors import ConfigError
from memlab.history import TurnMemory
from memlab.naming import strategy
from memlab.run import Run
from memlab.strategies import BM25, Hybrid, Vector
from memlab.types import Query, utc

QUERY = Query("?", utc("2024-01-02"), "ann")


@strategy
class Fixed(TurnMemory):
    """A leg with given scores by turn number; None is unmatched."""

    table: tuple[float | None, ...] = ()

    def scores(self, query):
        rows = self.history.rows(query.user)
        known = [self.table[int(self.history[r].id[1:])] for r in rows]
        return np.array(rows), np.array([-np.inf if v is None else v for v in known])


def fused(memory, count, told, turns):
    rows, scores = told(memory, turns(*["x"] * count)).scores(QUERY)
    return dict(zip(rows.tolist(), scores.tolist(), strict=True))


def test_score_fusion_scales_each_leg(told, turns):
    # a, b, c: cosine .9, .8, none; lexical 3, none, 12. Lexical zero stands for the unmatched,
    # so the lexical leg gives a 3/12 = .25, c 1. The dense leg has an unmatched turn as well:
    # a .9/.9 = 1, b .8/.9. Fused with .7 / .3: a .775, b .622, c .3.
    memory = Hybrid(
        legs=(Fixed(table=(0.9, 0.8, None)), Fixed(table=(3.0, None, 12.0))), weights=(0.7, 0.3)
    )
    assert fused(memory, 3, told, turns) == pytest.approx(
        {0: 0.7 + 0.3 * 0.25, 1: 0.7 * 0.8 / 0.9, 2: 0.3}
    )


def test_a_leg_that_matches_all_is_scaled_from_its_lowest(told, turns):
    memory = Hybrid(legs=(Fixed(table=(0.2, 0.6, 1.0)),), weights=(1.0,))
    assert fused(memory, 3, told, turns) == pytest.approx({0: 0.0, 1: 0.5, 2: 1.0})


def test_equal_scores_are_all_worth_one(told, turns):
    memory = Hybrid(legs=(Fixed(table=(0.4, 0.4)),), weights=(1.0,))
    assert fused(memory, 2, told, turns) == {0: 1.0, 1: 1.0}


def test_reciprocal_rank_fusion(told, turns):
    # ranks: leg one t1, t0; leg two t0, t2. t0: 1/62 + 1/61, t1: 1/61, t2: 1/62.
    memory = Hybrid(
        legs=(Fixed(table=(0.5, 0.9, None)), Fixed(table=(7.0, None, 1.0))),
        weights=(1.0, 1.0),
        fusion="rrf",
    )
    assert fused(memory, 3, told, turns) == pytest.approx(
        {0: 1 / 62 + 1 / 61, 1: 1 / 61, 2: 1 / 62}
    )


def test_a_turn_no_leg_matches_is_not_returned(told, turns, ask):
    memory = Hybrid(legs=(Fixed(table=(None, 1.0)),), weights=(1.0,))
    assert ask(told(memory, turns("x", "y"))) == ["t1"]


def test_forgetting_keeps_the_legs_in_step(told, turns, ask):
    memory = told(Hybrid(legs=(BM25(form="text"), Fixed(table=(1.0, 2.0, 3.0)))), turns(*"abc"))
    memory.forget(["t1"], "ann")
    assert ask(memory, "b") == ["t2", "t0"]


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        (Hybrid(fusion="max"), "one of score, rrf"),
        (Hybrid(weights=(float("nan"), 1.0)), "weight=nan"),
        (Hybrid(fusion="rrf", k=-1), "k=-1"),
        (Hybrid(weights=(1.0,)), "a weight"),
        (Hybrid(weights=(1.0, -1.0)), "weight=-1.0"),
        (Hybrid(legs=(object(), BM25())), "scores()"),
    ],
)
def test_impossible_parameters(memory, message):
    with pytest.raises(ConfigError, match=message):
        memory.reset()


class Axes:
    """An embedder whose texts are unit vectors by name, and which notes its calls."""

    def __init__(self):
        self.calls = []

    def identity(self):
        return {"model": "axes"}

    def encode(self, texts, role):
        self.calls.append((tuple(texts), role))
        angle = {"east": 0.0, "north-east": np.pi / 4, "north": np.pi / 2}
        rows = [[np.cos(angle[t]), np.sin(angle[t])] for t in texts]
        return np.array(rows, dtype=np.float32), (1,) * len(texts), (False,) * len(texts)

    def __deepcopy__(self, memo):
        return self


def test_vector_ranks_by_cosine_and_books_the_encoding(told, turns):
    run, embedder = Run(), Axes()
    memory = told(Vector(embedder=embedder, form="text"), turns("north", "east", "north-east"), run)
    items = memory.read(Query("east", utc("2024-01-02"), "ann"), None)
    assert [i.sources[0] for i in items] == ["t1", "t2", "t0"]
    assert [i.score for i in items] == pytest.approx([1.0, np.sqrt(0.5), 0.0], abs=1e-6)
    assert embedder.calls[-1] == (("east",), "query")
    assert (run.booked.texts, run.booked.tokens) == (4, 4)


def test_loading_embeds_nothing(told, turns, tmp_path):
    embedder = Axes()
    memory = told(Vector(embedder=embedder, form="text"), turns("north", "east"))
    memory.save(tmp_path)
    calls = len(embedder.calls)
    memory.load(tmp_path)
    assert len(embedder.calls) == calls
    rows, scores = memory.scores(Query("north", utc("2024-01-02"), "ann"))
    assert dict(zip(rows.tolist(), scores.tolist(), strict=True)) == pytest.approx({0: 1, 1: 0})
