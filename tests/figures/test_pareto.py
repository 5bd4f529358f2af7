"""The picture of quality against cost shows its table, the front, and every name once."""

import numpy as np
import pytest
from matplotlib.text import Annotation, Text

from memlab.errors import ConfigError
from memlab.metrics.retrieval import Recall

METRIC = "Recall(k=1)"


def lines(figure):
    return {line.get_label(): line.get_xydata() for line in figure.axes[0].lines}


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_points_are_those_of_the_table(make):
    results = make(["a", "b", "c"])
    table, drawn = results.pareto(METRIC), lines(results.plot.pareto(METRIC))
    for name, rows in table.groupby("strategy"):
        np.testing.assert_array_equal(drawn[name], rows[["tokens", METRIC]])
    # a costs 10 tokens and finds half of all; b costs 20 and finds 8 of 24 (see conftest).
    assert drawn["a"].tolist() == [[10, 0.5]]
    assert drawn["b"].tolist() == [[20, pytest.approx(1 / 3)]]


def test_the_front_goes_on_level_from_the_best(make):
    results = make(["a", "b"])
    front = lines(results.plot.pareto(METRIC))["_front"]
    assert front[0].tolist() == [10, 0.5]
    assert front[-1][1] == 0.5
    assert front[-1][0] > 20


def test_the_front_is_that_of_the_strategies_shown(make):
    results = make(["a", "b", "c"])
    assert not results.pareto(METRIC)["front"][1:].any()
    front = lines(results.plot.pareto(METRIC, strategies=["c", "b"]))["_front"]
    assert front[0].tolist() == [20, pytest.approx(1 / 3)]


def test_a_metric_of_which_less_is_better_has_its_front_below(make):
    from memlab.metrics import ContextTokens

    figure = make(["a", "b"]).plot.pareto(ContextTokens(), "bytes")
    # Equal bytes (4,500 for all); the fewer tokens are a's 10.
    assert lines(figure)["_front"][0].tolist() == [4500, 10]


def test_whiskers_are_the_intervals_and_few_conversations_have_none(make):
    results = make(["a"])
    (bars,) = results.plot.pareto(METRIC).axes[0].collections
    (row,) = results.pareto(METRIC).to_dict("records")
    ends = [[10, row[f"{METRIC} low"]], [10, row[f"{METRIC} high"]]]
    np.testing.assert_allclose(bars.get_segments(), [ends])
    few = make(["a"], talks=5).plot.pareto(METRIC)
    assert not few.axes[0].collections[0].get_segments()
    assert any("no intervals: fewer than 6 conversations" in text for text in texts(few))


def test_budgets_of_a_strategy_are_joined_and_named_once(make):
    figure = make(["a", "b"], budgets=(100, 200)).plot.pareto(METRIC)
    assert len(lines(figure)["a"]) == 2
    assert texts(figure).count("a") == 1
    assert figure.get_suptitle() == (
        "set · budget 100 / 200 tokens · n = 24 probes in 8 conversations"
    )


def test_names_in_a_crowd_are_led_to_their_points(make):
    labels = [f"strategy {n}" for n in range(12)]
    figure = make(labels).plot.pareto(METRIC, "bytes")  # all at 4,500 bytes
    figure.draw_without_rendering()
    named = [a for a in figure.findobj(Annotation) if a.get_text() in labels]
    assert len(named) == 12
    page = figure.bbox.padded(1)
    boxes = [text.get_window_extent() for text in named]
    assert all(page.contains(b.x0, b.y0) and page.contains(b.x1, b.y1) for b in boxes)
    assert any(text.arrow_patch is not None for text in named)
    drawn = lines(figure)
    for text in named:
        assert list(text.xy) in drawn[text.get_text()].tolist()


def test_a_cost_over_a_decade_is_logarithmic_and_0_has_a_place(make):
    results = make([f"s{n}" for n in range(12)])  # 10 to 120 tokens
    assert results.plot.pareto(METRIC).axes[0].get_xscale() == "log"
    assert make(["a", "b"]).plot.pareto(METRIC).axes[0].get_xscale() == "linear"
    records = [
        type(r)(**{n: getattr(r, n) for n in r.__slots__} | {"tokens": r.tokens - 10})
        for r in results.records
    ]
    free = type(results)(records, results.facts, results.latencies, {}, [Recall(k=1)])
    axes = free.plot.pareto(METRIC).axes[0]
    assert axes.get_xscale() == "symlog"  # 0, 10 … 110 tokens
    shown = [tick for tick in axes.get_xticks() if axes.get_xlim()[0] <= tick]
    assert shown[:3] == [0, 10, 15]


def test_what_has_no_cost_is_told_and_what_nobody_has_is_refused(make):
    results = make(["a", "b"])
    results.facts = tuple(
        {n: v for n, v in f.items() if f["strategy"] == "a" or n != "bytes"} for f in results.facts
    )
    figure = results.plot.pareto(METRIC, "bytes")
    assert list(lines(figure))[1:2] == ["a"]
    assert any(
        "not shown: b (no bytes or no Recall(k=1))" in t.replace("\n", " ") for t in texts(figure)
    )
    with pytest.raises(ConfigError, match="no strategy has both"):
        results.plot.pareto(METRIC, "bytes", strategies=["b"])
    with pytest.raises(ConfigError, match="cost='money'"):
        results.plot.pareto(METRIC, "money")


def test_units_side_by_side_are_told(make):
    figure = make(jobs=4).plot.pareto(METRIC, "read_ms")
    assert any("measured with 4 units side by side" in text for text in texts(figure))
