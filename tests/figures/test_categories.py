"""The dot plot of categories: rows, marks, intervals, order, counts."""

import numpy as np
import pytest
from matplotlib.text import Text

from memlab.categories import categories
from memlab.errors import ConfigError
from memlab.metrics import Abstention
from memlab.metrics.retrieval import Recall

METRIC = "Recall(k=1)"


def texts(figure):
    return [t.get_text() for t in figure.findobj(Text) if t.get_text() and t.get_visible()]


def rows(axes):
    """Return the names of the rows from the top."""
    return [label.get_text() for label in axes.get_yticklabels()]


def test_categories_come_by_their_mean_over_all_strategies(make):
    results = make(["a", "b"])
    table = categories(results, Recall(k=1), "category")
    # a finds 4 of 8 in each; b finds 3 of 8 at distance 0 (hard) and 3 (easy), 2 of 8 at 40;
    # equal means come by name.
    assert list(dict.fromkeys(table["category"])) == ["easy", "hard", "middling"]
    assert table[METRIC].tolist() == pytest.approx([0.5, 3 / 8, 0.5, 3 / 8, 0.5, 2 / 8])
    (axes,) = results.plot.categories(METRIC, strategies=["b"]).axes
    assert rows(axes) == ["easy", "hard", "middling"]


def test_numbers_come_by_size_and_the_field_is_named(make):
    (axes,) = make().plot.categories(METRIC, by="distance").axes
    assert rows(axes) == ["0", "3", "40"]
    assert axes.get_ylabel() == "distance (turns since the evidence)"


def test_marks_are_the_means_in_the_row_of_their_category(make):
    (axes,) = make(["a", "b"]).plot.categories(METRIC).axes
    marks = {line.get_label(): line.get_xydata() for line in axes.lines}
    assert marks["a"][:, 0].tolist() == [0.5, 0.5, 0.5]
    assert marks["b"][:, 0].tolist() == pytest.approx([3 / 8, 3 / 8, 2 / 8])
    for points in marks.values():
        assert np.round(points[:, 1]).tolist() == [0, 1, 2]
    assert (marks["a"][:, 1] < marks["b"][:, 1]).all()  # the first strategy above (y points down)
    assert axes.get_ylim()[0] > axes.get_ylim()[1]


def test_bars_are_the_intervals(make):
    results = make(["a"])
    (bars,) = results.plot.categories(METRIC).axes[0].collections
    table = categories(results, Recall(k=1), "category")
    ends = np.array(bars.get_segments())[:, :, 0]
    np.testing.assert_allclose(ends, table[[f"{METRIC} low", f"{METRIC} high"]])
    assert not make(["a"], talks=5).plot.categories(METRIC).axes[0].collections[0].get_segments()


def test_n_stands_beside_each_row(make):
    figure = make(["a", "b"], talks=8).plot.categories(METRIC)
    assert texts(figure).count("8") == 3
    assert "n" in texts(figure)


def test_data_sets_are_rows_of_panels_and_budgets_columns(make):
    figure = make(datasets=("x", "y"), budgets=(100, None)).plot.categories(METRIC)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [
        "x · budget 100 tokens",
        "x · no token limit",
        "y · budget 100 tokens",
        "y · no token limit",
    ]


def test_a_category_without_a_value_is_told_not_drawn(make):
    results = make(["a"])
    records = [
        type(r)(
            **{n: getattr(r, n) for n in r.__slots__}
            | ({"evidence": (), "category": ""} if r.probe == "p40" else {})
        )
        for r in results.records
    ]
    partly = type(results)(records, results.facts, results.latencies, {}, [Recall(k=1)])
    figure = partly.plot.categories(METRIC)
    assert rows(figure.axes[0]) == ["easy", "hard"]
    assert any("not shown: (none) (no Recall(k=1))" in text for text in texts(figure))


def test_failed_reads_are_counted_with_what_they_score(make):
    results = make(["a", "b"])
    records = [
        type(r)(
            **{n: getattr(r, n) for n in r.__slots__}
            | ({"error": "broke", "ranked": ()} if r.probe == "p3" and r.strategy == "b" else {})
        )
        for r in results.records
    ]
    failed = type(results)(records, results.facts, results.latencies, {}, [Recall(k=1)])
    told = [t for t in texts(failed.plot.categories(METRIC)) if "failed reads" in t]
    assert "failed reads: 8, of which 8 score 0" in told[0]
    assert not any("failed" in t for t in texts(failed.plot.categories(METRIC, strategies=["a"])))


def test_without_values_or_fields_it_is_refused(make):
    with pytest.raises(ConfigError, match="has no value on any probe"):
        make().plot.categories(Abstention())
    with pytest.raises(ConfigError, match="no record has a field 'mood'"):
        make().plot.categories(METRIC, by="mood")
