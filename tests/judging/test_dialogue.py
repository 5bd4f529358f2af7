"""Long dialogues: what lies in a file and under hashes is judged as what is held."""

import errno
import gc
from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab import ids
from memlab.errors import DataError, RunError
from memlab.judging import archive, dialogue, echoes, shingles, verdicts
from memlab.judging.archive import Archive, Line
from memlab.judging.dialogue import Dialogue
from memlab.judging.transcript import Transcript
from memlab.types import Item, Probe, Turn


def turn(number, text="word", *, user="ann", **more):
    return Turn(id=f"t{number}", text=text, user=user, time="2024-05-09", **more)


class Small(ExitStack):
    """Limits so low that a dozen turns are a long dialogue."""

    def __enter__(self):
        for module, name, value in (
            (archive, "BLOCK", 2),
            (archive, "_OPEN", 2),
            (dialogue, "NEWEST", 4),
            (echoes, "MOST", 6),
            (shingles, "_MOST", 3),
        ):
            self.enter_context(patch.object(module, name, value))
        return super().__enter__()


# What is stored


def test_a_turn_comes_back_from_the_file_with_what_a_judgement_needs():
    with Small():
        said = Dialogue()
        first = turn(0, "雪 \ud800\x00 é", speaker="Ann", meta={"caption": "a cat", "more": 1})
        for made in (first, *(turn(n) for n in range(1, 10))):
            said.add(made)
        assert said[0] == Line("t0", "雪 \ud800\x00 é", "Ann", {"caption": "a cat"})
        assert said[7] == Line("t7", "word", "user", {})
        assert said[8] == turn(8)
        assert [said.row(f"t{n}") for n in range(11)] == [*range(10), None]


def one_hash(names):
    return np.full(len(names), 7, dtype=np.int64)


def test_the_ids_of_stored_turns_are_told_apart_even_under_one_hash():
    with Small(), patch.object(ids, "hashes", one_hash):
        said = Dialogue()
        for n in range(8):
            said.add(turn(n))
        assert [said.row(f"t{n}") for n in range(8)] == list(range(8))
        assert said.row("t9") is None


@pytest.mark.parametrize("again", [0, 3, 5])
def test_an_id_used_again_is_refused_at_the_latest_when_turns_are_put_away(again):
    with Small():
        said = Dialogue()
        for n in range(6):
            said.add(turn(n))
        late = [turn(n) for n in (again, 6, 7, 8)]
        with pytest.raises(DataError, match=f"'t{again}' is used twice"):
            list(map(said.add, late))


def test_a_full_disk_is_told_with_what_to_do():
    class Full:
        def seek(self, *_):
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self):
            pass

    with (
        patch.object(archive.tempfile, "TemporaryFile", Full),
        pytest.raises(RunError, match=r"No space left on device.*TMPDIR"),
    ):
        Archive().extend([turn(0)])


def test_the_file_is_closed_with_its_archive():
    stored = Archive()
    stored.extend([turn(n) for n in range(archive.BLOCK)])
    file = stored._file
    del stored
    gc.collect()
    assert file.closed


# What is told of the columns


def test_what_a_user_has_leaves_out_others_and_what_was_forgotten():
    with Small():
        said = Dialogue()
        for n in range(12):
            user, session = ("ann", "bob")[n % 3 == 0], f"s{n // 4}"
            said.add(turn(n, user=user, session=session), tokens=n)
        # ann: 1 2 | 4 5 7 | 8 10 11 with as many tokens each, in three sessions.
        assert said.own("ann") == (8, 3, 48)
        assert said.forget(["t1", "t2", "t3", "t1", "never"], "ann") == [1, 2]
        assert said.own("ann") == (6, 2, 45)
        assert said.rows("ann") == [4, 5, 7, 8, 10, 11]
        assert said.rows("ann", forgotten=True) == [1, 2]
        assert said.own("bob") == (4, 3, 18)
        assert said.own("nobody") == (0, 0, 0)
        assert said.forgotten == 2
        assert said.forget(["t0", "t1"]) == [0]
        assert (said.others("ann"), said.others("nobody")) == (True, True)


def test_a_sample_is_even_and_changes_little():
    said = Dialogue()
    for n in range(3000):
        said.add(turn(n))
    assert said.sample("ann", 3000) == list(range(3000))
    some = said.sample("ann", 1000)  # 3000 / 1000 is over 2: a quarter
    assert len(some) == pytest.approx(750, abs=5)
    # Turns of both speakers, of every tenth of the dialogue, and of no rhythm of it.
    for period in (2, 3, 7, 50):
        shares = [sum(row % period == rest for row in some) / 750 for rest in range(period)]
        assert shares == pytest.approx([1 / period] * period, abs=0.03)
    assert [sum(row // 300 == n for row in some) for n in range(10)] == pytest.approx(
        [75] * 10, abs=3
    )
    said.forget(["t1", "t2", *(f"t{row}" for row in some[:5])], "ann")
    assert said.sample("ann", 1000) == some[5:]
    for n in range(3000, 6000):
        said.add(turn(n))
    assert set(said.sample("ann", 1000)) & set(range(3000)) <= set(some)


def test_chance_on_a_sample_is_near_that_on_all():
    said = Transcript(lambda text: len(text.split()))
    for n in range(4000):
        said.add(turn(n, "Oslo it is" if n % 20 == 0 else "nothing of note"))
    probe = Probe(
        id="q", text="?", time="2024-05-10", user="ann", evidence=("t0",), answers=("Oslo",)
    )
    page = [Item("three words here " * 10, (), "page")]
    # 200 of 4000 turns hold it; ten turns fit: 1 - (1 - 0.05)^10 = 0.40.
    every = said.judge(probe, page, budget=None).verdicts["chance"]
    assert every == pytest.approx(1 - 0.95**10, abs=0.001)
    with patch.object(verdicts, "_SAMPLE", 500):
        some = said.judge(Probe(**_fields(probe)), page, budget=None).verdicts["chance"]
    assert some == pytest.approx(every, abs=0.03)


def _fields(probe):
    return {name: getattr(probe, name) for name in Probe.__slots__}


# Judged the same

WORDS = (
    "kayak Biscuit the of 4711 zebra-42 thanks harbour lentil Oslo 咖啡 黑咖啡 你觉得 . \n".split(
        " "
    )
)
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
USERS = st.sampled_from(["ann", "bob"])
STEPS = st.one_of(
    st.tuples(st.just("say"), TEXTS, USERS),
    st.tuples(st.just("say"), TEXTS, USERS),
    st.tuples(st.just("forget"), st.integers(0, 14), USERS),
    st.tuples(st.just("ask"), TEXTS, USERS, st.lists(st.integers(0, 14), max_size=3), TEXTS),
)


def judged(steps):
    """Walk the steps and return every judgement; each is asked for four contexts."""
    said, turns, found = Transcript(lambda text: len(text.split())), [], []
    for step in steps:
        if step[0] == "say":
            made = turn(len(turns), step[1], user=step[2], session=str(len(turns) // 3))
            turns.append(made)
            said.add(made)
        elif step[0] == "forget":
            said.forget([f"t{step[1]}"], step[2])
        else:
            found += _answers(said, turns, *step[1:])
    return found


def _answers(said, turns, text, user, numbers, answer):
    named = [turns[n] for n in dict.fromkeys(numbers) if n < len(turns)]
    sources = tuple(t.id for t in named)
    probe = Probe(
        id="q",
        text=text,
        time="2024-05-10",
        user=user,
        evidence=sources,
        answers=(answer.split()[0],) if answer.split() else (),
        forbidden=sources[:1],
    )
    page = "\n".join(t.text for t in named)
    contexts = (
        [],
        [Item.of(t) for t in named],
        [Item(t.text[:-2], (t.id,), "excerpt") for t in named],
        [Item(page, sources, "page"), Item(answer, (), "summary")],
    )
    return [said.judge(probe, items, budget=None) for items in contexts]


@settings(max_examples=200)
@given(st.lists(STEPS, min_size=8, max_size=40))
def test_a_long_dialogue_is_judged_like_a_short_one(steps):
    expected = judged(steps)
    with Small():
        assert judged(steps) == expected
