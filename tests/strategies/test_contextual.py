"""Search that reads a turn in its conversation."""

import math
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.errors import ConfigError, ContractError
from memlab.history import TurnMemory
from memlab.models import Hashing
from memlab.naming import strategy
from memlab.run import Run
from memlab.strategies import BM25, Contextual, Vector
from memlab.types import Query, Turn, utc

QUERY = Query("?", utc("2024-01-02"), "ann")


@strategy
class Given(TurnMemory):
    """A dense leg with given scores, one a row."""

    table: tuple[float, ...] = ()

    def scores(self, query):
        rows = self.history.rows(query.user)
        return np.array(rows, dtype=np.int64), np.array([self.table[r] for r in rows])


def parts(memory, question):
    return memory.parts(Query(question, utc("2024-01-02"), "ann"))[1]


def test_an_answer_is_found_by_the_question_before_it(told, turns, ask):
    said = [
        *turns("Which sport do you do?", "Climbing, twice a week.", session="1"),
        *turns("Nice warm weather today.", first=2, session="2"),
    ]
    assert ask(told(BM25(), said), "sport") == ["t0"]
    assert ask(told(Contextual(dense=None), said), "sport") == ["t0", "t1", "t2"]
    alone = Contextual(dense=None, surroundings=0.0, episode=0.0)
    assert ask(told(alone, said), "sport") == ["t0", "t2", "t1"]


def test_the_mean_around_a_turn_joins_its_cosine(told, turns):
    # One window holds all three turns: their mean is the same for each, hence scaled to 0, and
    # the part is the scaled own cosine again. With a window of nothing it is own + own.
    said = turns("a", "b", "c")
    for window in (100, 0):
        memory = told(Contextual(dense=Given(table=(0.1, 0.5, 0.3)), window=window), said)
        assert parts(memory, "?")["dense"] == pytest.approx([0.0, 1.0, 0.5])


def test_weights_by_hand(told, turns):
    # No word of the question occurs: lexical and episode 0. dense (0, 1) · 1.5; the asker's own
    # turn, the first, + 0.6; "Tea" states one word: 0.1 (1 - exp(-1/5)) = 0.018127.
    memory = told(Contextual(dense=Given(table=(0.2, 0.4))), turns("Tea", "Why?"))
    rows, found = memory.scores(Query("What did I drink", utc("2024-01-02"), "ann"))
    assert rows.tolist() == [0, 1]
    assert found.tolist() == pytest.approx([0.6 + 0.018127, 1.5], abs=1e-6)


def test_a_date_in_the_question_is_a_soft_boost(told, turns):
    # Said on 1, 15 and 29 January; asked about the 15th: exp(-days / 14) counts the days from
    # 1 January 09:00 to the start of the 15th (13.625), and from its end to 29 January 09:00.
    said = [
        replace(turn, time=turn.time + timedelta(days=14 * i))
        for i, turn in enumerate(turns("a", "b", "c"))
    ]
    memory = told(Contextual(dense=None), said)
    far = math.exp(-(13.625 - 0.0) / 14), math.exp(-(13.375 + 2 / 1440) / 14)
    found = memory.parts(Query("on 15 January 2024", utc("2024-02-01"), "ann"))[1]["date"]
    assert found == pytest.approx([far[0], 1.0, far[1]])
    assert not memory.parts(Query("and?", utc("2024-02-01"), "ann"))[1]["date"].any()


def test_long_messages_do_not_lend_each_other_their_words(told, turns):
    essay = " ".join(["filler"] * 400)
    memory = told(Contextual(dense=None), turns(f"climbing {essay}", f"cooking {essay}"))
    assert parts(memory, "climbing")["lexical"].tolist() == [1.0, 0.0]


def test_another_session_lends_nothing(told, turns):
    said = [*turns("climbing", session="1"), *turns("yes", first=1, session="2")]
    assert parts(told(Contextual(dense=None), said), "climbing")["lexical"].tolist() == [1.0, 0.0]


def test_turns_without_a_match_of_the_dense_leg_have_its_lowest_score(told, turns):
    memory = told(Contextual(dense=Given(table=(0.4, -np.inf, 0.2)), window=0), turns(*"abc"))
    assert parts(memory, "?")["dense"].tolist() == pytest.approx([1.0, 0.0, 0.0])


def test_a_leg_that_scores_nan_is_an_error(told, turns):
    with pytest.raises(ContractError, match="scored NaN"):
        told(Contextual(dense=Given(table=(float("nan"),))), turns("a")).scores(QUERY)


def test_explain_adds_up(told, turns):
    memory = told(
        Contextual(dense=Vector(embedder=Hashing())), turns("I climb.", "Where?", "In Oslo.")
    )
    table = memory.explain(Query("Where do I climb?", utc("2024-01-02"), "ann"))
    assert table["score"].tolist() == pytest.approx(
        table.iloc[:, 2:].sum(axis=1).tolist(), abs=1e-6
    )
    assert (
        table.columns.tolist() == "turn score lexical dense speaker episode substance date".split()
    )


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from(["I climb", "why?", "tea", "爬山", "yes"]), min_size=1, max_size=8),
    st.sets(st.integers(0, 7)),
)
def test_a_forgotten_turn_leaves_the_scores_of_a_memory_that_never_had_it(texts, gone):
    said = [
        Turn(id=str(i), text=t, time=utc(f"2024-01-01T0{i}:00"), user="ann")
        for i, t in enumerate(texts)
    ]
    found = []
    for kept in (said, [t for i, t in enumerate(said) if i not in gone]):
        memory = Contextual(dense=Vector(embedder=Hashing()))
        memory.reset()
        memory.attach(Run())
        for turn in kept:
            memory.write(turn)
        memory.forget([str(i) for i in sorted(gone)], "ann")
        items = memory.read(Query("do I climb? 爬山", utc("2024-01-02"), "ann"), None)
        found.append([(item.sources, item.score) for item in items])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        (Contextual(dense=None, window=-1), "window=-1"),
        (Contextual(dense=None, speaker=-0.5), "speaker=-0.5"),
        (Contextual(dense=None, form="nope"), "unknown text form"),
        (Contextual(dense=None, k1=-1), "k1=-1"),
        (Contextual(dense="x"), "dense='x'"),
    ],
)
def test_faults_are_told(memory, message):
    with pytest.raises(ConfigError, match=message):
        memory.reset()
