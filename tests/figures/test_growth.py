"""The picture of memory growth: lines on the way, hollow marks at the ends."""

import numpy as np
import pytest
from matplotlib.text import Text

from memlab.errors import ConfigError


def texts(figure):
    return [t.get_text() for t in figure.findobj(Text) if t.get_text() and t.get_visible()]


def drawn(axes, label):
    return [line.get_xydata().tolist() for line in axes.lines if line.get_label() == label]


def test_panels_are_the_columns_of_the_table(make):
    saved, held = make(["a", "b"]).plot.growth().axes
    assert (saved.get_ylabel(), held.get_ylabel()) == ("saved state (bytes)", "held (tokens)")
    assert saved.get_xlabel() == "turns written"
    # b holds 2 bytes a turn on the way; at the end 1,000 … 8,000 bytes, in the mean 4,500.
    assert drawn(saved, "b") == [[[16, 32], [32, 64]]]
    assert drawn(saved, "_end") == [[[40, 4500]], [[40, 4500]]]
    assert drawn(held, "a") == [[[16, 80], [32, 160]]]
    assert drawn(held, "_end") == [[[40, 200]], [[40, 200]]]


def test_ends_are_hollow_with_their_intervals(make):
    results = make(["a"])
    axes = results.plot.growth().axes[0]
    (end,) = [line for line in axes.lines if line.get_label() == "_end"]
    assert end.get_markerfacecolor() == "white"
    segments = [c.get_segments() for c in axes.collections if hasattr(c, "get_segments")]
    last = results.growth().iloc[-1]
    wanted = [[40, last["bytes low"]], [40, last["bytes high"]]]
    assert any(np.allclose(s, [wanted]) for s in segments if len(s))


def test_a_run_that_tells_nothing_of_the_way_has_its_ends(make):
    results = make(["a"])
    results.facts = tuple({n: v for n, v in f.items() if n != "growth"} for f in results.facts)
    figure = results.plot.growth()
    assert drawn(figure.axes[0], "a") == []
    assert drawn(figure.axes[0], "_end") == [[[40, 4500]]]
    assert "a" in texts(figure)


def test_what_nobody_tells_is_left_out_and_who_tells_nothing_is_named(make):
    results = make(["a", "b"])
    results.facts = tuple(
        {"strategy": f["strategy"], "conversation": f["conversation"], "turns": 40}
        | ({"bytes": f["bytes"]} if f["strategy"] == "a" else {})
        for f in results.facts
    )
    figure = results.plot.growth()
    assert len(figure.axes) == 1
    assert any("not shown: b (nothing told" in text for text in texts(figure))
    with pytest.raises(ConfigError, match="none of these strategies tells what it holds"):
        results.plot.growth(strategies=["b"])


def test_data_sets_have_a_row_each_and_n_stands_above(make):
    figure = make(datasets=("x", "y"), talks=7).plot.growth()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["x", "", "y", ""]
    assert texts(figure).count("7") == 4  # at 16 and 32 turns, in both rows
    assert figure.get_suptitle() == "set · 14 conversations"
