"""Whether pairs of strategies change sides: separated both times, with opposite signs."""

import pytest

from memlab.board.reversal import Reversal
from memlab.board.scored import Scene
from memlab.board.strict import Table

LABELS = ("a, set", "b, set", "c, set", "a", "b", "c")
TWO = {"first": ["a, set", "b, set"], "second": ["a", "b"], "tokens": 100}
THREE = {"first": list(LABELS[:3]), "second": list(LABELS[3:]), "tokens": 100}
ALL, NONE, HALF = [[1, 1]] * 8, [[0, 0]] * 8, [[1, 0], [0, 1]] * 4


def read(**data):
    table = Table({"metric": "Recall()", **data}, "here", [])
    made = Reversal.read(table, Scene(LABELS, (50, 100)))
    table.close()
    return made, [str(fault) for fault in table.faults]


def measured(make_run, hits, data=TWO):
    check, faults = read(**data)
    assert faults == []
    return check.measure(make_run(hits, budgets=(50, 100)))


def test_a_reversal(make_run):
    hits = {"a, set": ALL, "b, set": NONE, "a": NONE, "b": ALL}
    found = measured(make_run, hits)
    # Both sign flips give the smallest p of eight conversations; the change is -1 - 1.
    assert (found.favour, found.against, found.effect) == (2 / 2**8, 1.0, -2.0)
    assert (found.n, found.clusters) == (16, 8)
    assert found.note == (
        "1 of 1 pairs turn round, 0 keep their sides, 0 are open; "
        "a, set − b, set +1.000 [+1.000, +1.000] as set, "
        "−1.000 [−1.000, −1.000] at 100 tokens"
    )


def test_the_same_ranking_twice_speaks_against(make_run):
    found = measured(make_run, {"a, set": ALL, "b, set": NONE, "a": ALL, "b": HALF})
    assert (found.favour, found.against) == (1.0, 2 / 2**8)


@pytest.mark.parametrize(
    "hits",
    [
        {"a, set": ALL, "b, set": NONE, "a": HALF, "b": HALF},
        {"a, set": HALF, "b, set": HALF, "a": NONE, "b": ALL},
    ],
)
def test_one_comparison_that_is_not_separated_decides_nothing(make_run, hits):
    found = measured(make_run, hits)
    assert found.favour > 0.05
    assert found.against > 0.05


def test_one_pair_of_three_is_enough_and_pays_for_the_choice(make_run):
    # a and b change sides; c lies below both as set, and level with neither is left to say.
    hits = {"a, set": ALL, "b, set": HALF, "c, set": NONE, "a": HALF, "b": ALL, "c": NONE}
    found = measured(make_run, hits, THREE)
    # Simes: the smallest of three p, times three; the other two are 1.
    assert found.favour == 3 * 2 / 2**8
    assert found.against == 1.0
    assert found.note.startswith("1 of 3 pairs turn round, 2 keep their sides, 0 are open")


def test_two_reversals_pay_less(make_run):
    # a beats b and c as set and loses to both at equal tokens: p is 2 / 2^8 twice, x 3 / 2.
    hits = {"a, set": ALL, "b, set": NONE, "c, set": NONE, "a": NONE, "b": ALL, "c": ALL}
    assert measured(make_run, hits, THREE).favour == pytest.approx(1.5 * 2 / 2**8)


def test_the_first_comparison_is_at_the_largest_budget(make_run):
    rows = {"a, set": [[lambda budget: budget == 100]] * 8, "b, set": [[0]] * 8}
    found = measured(make_run, {**rows, "a": [[0]] * 8, "b": [[1]] * 8})
    assert found.effect == -2.0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"first": ["a"]}, "1 strategies first, 2 second"),
        ({"second": ["a", "d"]}, "no strategy 'd'"),
        ({"tokens": "area"}, "a number of tokens"),
        ({"token": 1}, "unknown key 'token'"),
        ({"metric": "Recal()"}, "did you mean 'Recall'"),
    ],
)
def test_faults(data, message):
    assert any(message in fault for fault in read(**{**TWO, **data})[1])
