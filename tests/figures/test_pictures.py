"""Pictures show the numbers of the tables, change nothing global and need no pyplot."""

import pickle
import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from memlab.errors import ConfigError
from memlab.results import Results

METRIC = "Recall(k=1)"


def drawn(axes):
    """Return the points of each named line of the axes."""
    return {line.get_label(): line.get_xydata() for line in axes.lines}


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def points(table, by, column):
    return {
        name: rows[[by, column]].to_numpy(dtype=float)
        for name, rows in table.groupby("strategy", sort=False)
    }


def assert_same(found, wanted):
    assert list(found) == list(wanted)
    for name, rows in wanted.items():
        np.testing.assert_array_equal(found[name], rows)


def test_the_forgetting_curve_is_its_table(make):
    results = make()
    figure, table = results.plot.forgetting(METRIC), results.forgetting(METRIC)
    (axes,) = figure.axes
    assert isinstance(figure, Figure)
    assert_same(drawn(axes), points(table, "distance", METRIC))
    # Strategy a hits where talk + distance is even: 4 of 8 conversations each time.
    assert table[METRIC][:3].tolist() == [0.5, 0.5, 0.5]
    # b hits in every third: 0, 3, 6 for distances 0 and 3, and 2, 5 for 40 (1 modulo 3).
    assert table[METRIC][3:].tolist() == pytest.approx([3 / 8, 3 / 8, 2 / 8])


def test_bands_are_the_intervals(make):
    results = make(["a"])
    (band,) = results.plot.forgetting(METRIC).axes[0].collections
    table = results.forgetting(METRIC)
    corners = {tuple(vertex) for path in band.get_paths() for vertex in path.vertices}
    for end in ("low", "high"):
        assert set(zip(table["distance"], table[f"{METRIC} {end}"], strict=True)) <= corners


def test_without_intervals_there_are_no_bands_and_it_is_said(make):
    figure = make(talks=5).plot.forgetting(METRIC)
    assert not figure.axes[0].collections
    assert any("no intervals: fewer than 6 conversations" in text for text in texts(figure))


def test_title_says_data_budget_and_n_and_labels_have_units(make):
    figure = make(talks=11, name="some data").plot.forgetting(METRIC)
    assert figure.get_suptitle() == (
        "some data · budget 100 tokens · n = 33 probes in 11 conversations"
    )
    (axes,) = figure.axes
    assert axes.get_xlabel() == "distance (turns since the evidence)"
    assert axes.get_ylabel() == "Recall(k=1)\nmean, 0 to 1"
    assert axes.get_xscale() == "function"
    assert texts(figure).count("11") == 3  # n above each point


def test_each_line_is_named_once_beside_its_end(make):
    figure = make(["a", "b", "c"]).plot.forgetting(METRIC)
    assert [texts(figure).count(name) for name in "abc"] == [1, 1, 1]
    figure.draw_without_rendering()
    boxes = [b.get_window_extent() for b in figure.axes[0].artists]
    heights = sorted((box.y0, box.y1) for box in boxes)
    assert all(low[1] <= high[0] + 1 for low, high in pairwise(heights))


def test_names_are_not_read_as_formulas(make):
    figure = make(["costs $1_x$", "_hidden"]).plot.forgetting(METRIC)
    named = [t for t in figure.findobj(Text) if t.get_text() in ("costs $1_x$", "_hidden")]
    assert len(named) == 2
    assert not any(text.get_parse_math() for text in named)


def test_budgets_and_data_sets_have_panels_of_their_own(make):
    results = make(budgets=(100, None), datasets=("x", "y"))
    figure = results.plot.forgetting(METRIC)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == [
        "x · budget 100 tokens",
        "x · no token limit",
        "y · budget 100 tokens",
        "y · no token limit",
    ]
    table = results.forgetting(METRIC)
    part = table[(table["dataset"] == "y") & (table["budget"] == 100)]
    assert_same(drawn(figure.axes[2]), points(part, "distance", METRIC))


def test_scaling_panels_are_the_columns_of_the_table(make):
    results = make()
    figure, table = results.plot.scaling(METRIC), results.scaling(METRIC)
    columns = [METRIC, "read_ms_p50", "tokens_read", "bytes_saved"]
    labels = ["Recall(k=1)\nmean, 0 to 1", "read, p50 (ms)", "context (tokens per read)"]
    assert [a.get_ylabel() for a in figure.axes] == [*labels, "saved state (bytes)"]
    for axes, column in zip(figure.axes, columns, strict=True):
        assert_same(drawn(axes), points(table, "history", column))
    assert table["tokens_read"].tolist() == [10] * 4 + [20] * 4
    assert table["read_ms_p50"].tolist() == pytest.approx([0.15] * 4 + [0.25] * 4)
    # Conversations 0 and 4 have 100 turns: (1000 + 5000) / 2 bytes.
    assert table["bytes_saved"].tolist() == [3000, 4000, 5000, 6000] * 2


def test_scaling_has_a_row_for_each_budget_and_leaves_out_what_nobody_has(make):
    results = make(budgets=(100, 200))
    results.facts = ()
    figure = results.plot.scaling(METRIC, by="overlap")
    assert len(figure.axes) == 2 * 3
    assert figure.axes[3].get_title(loc="left") == "budget 200 tokens"


def test_times_nobody_has_are_left_out(make):
    results = make()
    results.latencies = ()
    labels = [a.get_ylabel() for a in results.plot.scaling(METRIC, by="overlap").axes]
    assert labels[1:] == ["context (tokens per read)"]


def test_first_reads_stand_in_where_there_are_no_others(make):
    whole = make()
    records = [record for record in whole.records if record.probe == "p3"]
    latencies = [unit | {"read": {"100": [3 * 10**6]}} for unit in whole.latencies]
    results = Results(records, (), latencies, whole.manifest, whole.metrics)
    figure = results.plot.scaling(METRIC)
    assert figure.axes[1].get_ylabel() == "first read, p50 (ms)"
    assert drawn(figure.axes[1])["a"][:, 1].tolist() == [3] * 4


def test_strategies_choose_and_order_the_lines(make):
    results = make(["a", "b", "c"])
    assert list(drawn(results.plot.forgetting(METRIC, strategies=["c", "a"]).axes[0])) == ["c", "a"]
    with pytest.raises(ConfigError, match="no strategy 'd'"):
        results.plot.forgetting(METRIC, strategies=["d"])
    with pytest.raises(ConfigError, match="strategies="):
        results.plot.scaling(METRIC, strategies=[])


def test_nothing_global_changes(make, tmp_path):
    before, locale = mpl.rcParams.copy(), dict(mpl.rcParamsDefault)
    figure = make().plot.scaling(METRIC)
    figure.savefig(tmp_path / "a.png")
    figure.savefig(tmp_path / "a.pdf")
    assert mpl.rcParams.copy() == before
    assert dict(mpl.rcParamsDefault) == locale


def test_the_users_settings_do_not_show(make, tmp_path):
    plain, dark = tmp_path / "plain.png", tmp_path / "dark.png"
    make().plot.scaling(METRIC).savefig(plain)
    with mpl.rc_context():
        mpl.rcParams.update(
            {"axes.facecolor": "black", "text.color": "red", "font.size": 20, "axes.grid": True}
        )
        make().plot.scaling(METRIC).savefig(dark)
    assert plain.read_bytes() == dark.read_bytes()


def test_a_notebook_shows_it_and_it_can_be_kept(make):
    figure = make().plot.forgetting(METRIC)
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert len(pickle.loads(pickle.dumps(figure)).axes) == 1
    names = "categories, forgetting, growth, latency, pairs, pareto, scaling"
    assert repr(make().plot) == f"<pictures: {names}>"


def test_pyplot_is_not_imported():
    code = (
        "import sys, memlab as ml\n"
        "results = ml.evaluate({'w': 'Window()'}, 'quickstart', ['MRR()'])\n"
        "assert 'matplotlib' not in sys.modules\n"
        "results.plot.forgetting('MRR()'), results.plot.scaling('MRR()')\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
