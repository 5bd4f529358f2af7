"""Where a row of settings has its top, with a bootstrap of conversations."""

import numpy as np
import pytest

from memlab.board.peak import DRAWS, Peak
from memlab.board.scored import Scene
from memlab.board.strict import Table
from memlab.errors import ConfigError

ROW = {"x 1": 1, "x 2": 2, "x 3": 3}
LABELS = ("x 1", "x 2", "x 3", "y 1", "y 2", "y 3")


def read(**data):
    table = Table({"metric": "Recall()", "over": ROW, **data}, "here", [])
    made = Peak.read(table, Scene(LABELS, (100,)))
    table.close()
    return made, [str(fault) for fault in table.faults]


def test_several_data_sets_have_no_common_top():
    table = Table({"metric": "Recall()", "over": ROW}, "here", [])
    Peak.read(table, Scene(LABELS, (100,), several=True))
    assert any("a peak over several data sets" in str(fault) for fault in table.faults)


def test_a_clear_top(make_run):
    # Setting 2 hits everywhere, the others nowhere: every draw of conversations agrees.
    run = make_run({"x 1": [[0]] * 8, "x 2": [[1]] * 8, "x 3": [[0]] * 8})
    check, faults = read(expect="between", between=[2, 3])
    found = check.measure(run)
    assert faults == []
    assert (found.effect, found.low, found.high, found.n, found.clusters) == (2, 2, 2, 8, 8)
    assert found.favour == 1 / (1 + DRAWS)
    assert found.against == 1.0
    elsewhere = read(expect="between", between=[3, 3])[0].measure(run)
    assert (elsewhere.favour, elsewhere.against) == (1.0, 1 / (1 + DRAWS))


def test_an_open_top(make_run):
    # Setting 1 is best in five conversations of eight, setting 3 in three: a draw has more of
    # the latter with probability P(B(8, 3/8) > 4) = 0.1374, and a tie, which goes to the first,
    # with P(B = 4) = 0.2111.
    ones, threes = [[1]] * 5 + [[0]] * 3, [[0]] * 5 + [[1]] * 3
    run = make_run({"x 1": ones, "x 2": [[0]] * 8, "x 3": threes})
    found = read(expect="between", between=[1, 1])[0].measure(run)
    assert (found.effect, found.low, found.high) == (1, 1, 3)
    from scipy.stats import binom

    assert found.favour == pytest.approx(1 - binom.cdf(4, 8, 3 / 8), abs=0.015)


def test_two_rows(make_run):
    rows = {"x 1": [[0]] * 8, "x 2": [[0]] * 8, "x 3": [[1]] * 8}
    run = make_run(rows | {"y 1": [[1]] * 8, "y 2": [[0]] * 8, "y 3": [[0]] * 8})
    rival = {"y 1": 1, "y 2": 2, "y 3": 3}
    found = read(rival=rival, expect="different")[0].measure(run)
    assert (found.effect, found.low, found.high) == (2, 2, 2)
    assert found.favour == pytest.approx(2 / (1 + DRAWS))
    assert np.isnan(found.against)
    assert read(rival=rival, expect="greater")[0].measure(run).favour == 1 / (1 + DRAWS)
    assert read(rival=rival, expect="less")[0].measure(run).against == 1 / (1 + DRAWS)


def test_probes_without_a_value_are_left_out_of_all(make_run):
    run = make_run({"x 1": [[0]] * 8, "x 2": [[1]] * 8, "x 3": [[0]] * 8})
    check, _ = read(expect="between", between=[2, 2], where={"conversation": "c1"})
    assert (check.measure(run).n, check.measure(run).clusters) == (1, 1)


def test_titles():
    check, _ = read(expect="between", between=[2, 3])
    assert (check.title, check.expectation) == ("best of x 1 … x 3: Recall()", "2 to 3")
    assert not check.difference


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"expect": "between"}, "between = None"),
        ({"expect": "between", "between": [3, 1]}, "between = [3, 1]"),
        ({"expect": "different"}, "'between' for one row"),
        ({"expect": "between", "between": [1, 2], "over": {"x 1": 1}}, "three or more"),
        ({"expect": "between", "between": [1, 2], "over": {**ROW, "z": 4}}, "no strategy 'z'"),
        ({"expect": "between", "between": [1, 2], "over": {**ROW, "x 1": "one"}}, "a number"),
    ],
)
def test_faults(data, message):
    assert any(message in fault for fault in read(**data)[1])


def test_settings_must_be_scored_on_the_same_probes(make_run):
    stats = {"x 1": {"hits": 1, "reads": 2}, "x 2": {"hits": 1, "reads": 2}}
    run = make_run(dict.fromkeys(ROW, [[1]] * 8), stats=stats | {"x 3": {"hits": 0, "reads": 0}})
    table = {"measure": "counter", "options": {"name": "hits", "per": "reads"}, "over": ROW}
    made = Table({**table, "expect": "between", "between": [1, 3]}, "here", [])
    check = Peak.read(made, Scene(LABELS, (100,)))
    assert made.faults == []
    with pytest.raises(ConfigError, match="x 1 and x 3 are scored on other probes"):
        check.measure(run)  # x 3 has 0 of 0, which is left out
