"""What holds for every picture: odd names, odd runs, Chinese, the user's settings, no pyplot.

The curves along a dial have these tests in `test_pictures.py` and `test_fonts.py`.
"""

import pickle
import subprocess
import sys
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from memlab.errors import ConfigError
from memlab.figures import fonts
from memlab.metrics.retrieval import Recall
from memlab.results import Results

METRIC = "Recall(k=1)"
PICTURES = {
    "pareto": lambda plot, **given: plot.pareto(METRIC, **given),
    "categories": lambda plot, **given: plot.categories(METRIC, **given),
    "reads": lambda plot, **given: plot.latency(**given),
    "writes": lambda plot, **given: plot.latency("write", **given),
    "growth": lambda plot, **given: plot.growth(**given),
    "pairs": lambda plot, **given: plot.pairs(METRIC, **given),
}
ODD = ["costs $1_x$ 50%", "_hidden", "Hybrid(" + "a_very_long_name=0.5, " * 8 + ")", "{curly}"]
every = pytest.mark.parametrize("draw", PICTURES.values(), ids=PICTURES)


def texts(figure):
    return [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]


@every
def test_no_name_is_read_as_a_formula_or_left_out(make, draw, tmp_path):
    figure = draw(make(ODD).plot)
    figure.savefig(tmp_path / "a.svg", dpi=30)
    shown = [text for text in texts(figure) if text.get_text() in ODD]
    assert {text.get_text() for text in shown} == set(ODD) - {ODD[2]}
    assert not any(text.get_parse_math() for text in shown)
    (cut,) = {t.get_text() for t in texts(figure) if t.get_text().startswith("Hybrid(")}
    assert "…" in cut
    assert len(cut) <= 40


@every
def test_chinese_labels_have_their_glyphs(make, draw, tmp_path):
    if fonts.cjk_font() is None:
        pytest.skip("no CJK font is installed")
    figure = draw(make(["滑动窗口", "向量检索（全角）"], name="合成对话").plot)
    figure.savefig(tmp_path / "a.png", dpi=30)  # a glyph that is missing would be a warning
    for name in ("滑动窗口", "向量检索（全角）"):
        shown = [text for text in texts(figure) if text.get_text() == name]
        assert shown
        assert all(fonts.cjk_font() in text.get_fontfamily() for text in shown)


@every
def test_a_missing_font_is_told_once_at_the_users_line(make, draw, monkeypatch):
    monkeypatch.setattr(fonts, "FAMILIES", ())
    results = make(["滑动窗口", "b"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        draw(results.plot)
    told = [w for w in caught if "fonts-noto-cjk" in str(w.message)]
    assert len(told) == 1
    assert told[0].filename == __file__


@every
@pytest.mark.parametrize(
    "given", [{"budgets": (100, None)}, {"datasets": ("x", "y")}, {"talks": 1}, {"talks": 5}]
)
def test_every_kind_of_run_can_be_drawn(make, draw, given):
    figure = draw(make(**given).plot)
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()


@every
def test_twenty_strategies_can_be_drawn(make, draw):
    labels = [f"strategy {n}" for n in range(20)]
    figure = draw(make(labels, talks=6).plot)
    assert {text.get_text() for text in texts(figure)} >= set(labels)


@pytest.mark.parametrize("draw", [d for n, d in PICTURES.items() if n != "pairs"])
def test_one_strategy_is_enough(make, draw):
    assert draw(make(["alone"]).plot).axes
    assert draw(make(["a", "b"]).plot, strategies=["b"]).axes


@every
def test_a_run_of_failures_is_drawn_as_such_or_refused(make, draw):
    whole = make()
    failed = [
        type(r)(**{n: getattr(r, n) for n in r.__slots__} | {"ranked": (), "error": "broke"})
        for r in whole.records
    ]
    latencies = [u | {"read": {"100": []}, "write": {"total": 0, "buckets": []}} for u in
                 whole.latencies]  # fmt: skip
    facts = [{n: f[n] for n in ("strategy", "conversation", "tokens_written")} for f in whole.facts]
    results = Results(failed, facts, latencies, whole.manifest, [Recall(k=1)])
    try:
        figure = draw(results.plot)
    except ConfigError as error:
        assert "did not fail" in str(error) or "no strategy has both" in str(error)  # noqa: PT017
    else:
        figure.draw_without_rendering()


@every
def test_an_empty_run_is_refused(draw):
    with pytest.raises(ConfigError):
        draw(Results([], [], [], {}, [Recall(k=1)]).plot)


@every
def test_strategies_that_are_not_there_are_all_named(make, draw):
    results = make(["a", "b", "c"])
    with pytest.raises(ConfigError, match=r"no strategy 'd'.*\n.*no strategy 'e'"):
        draw(results.plot, strategies=["d", "a", "e"])
    with pytest.raises(ConfigError, match="strategies="):
        draw(results.plot, strategies=[])


@every
def test_nothing_global_changes_and_a_figure_can_be_kept(make, draw, tmp_path):
    before, defaults = mpl.rcParams.copy(), dict(mpl.rcParamsDefault)
    figure = draw(make().plot)
    figure.savefig(tmp_path / "a.pdf")
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert len(pickle.loads(pickle.dumps(figure)).axes) == len(figure.axes)
    assert mpl.rcParams.copy() == before
    assert dict(mpl.rcParamsDefault) == defaults


@every
def test_the_users_settings_do_not_show(make, draw, tmp_path):
    plain, odd = tmp_path / "plain.png", tmp_path / "odd.png"
    draw(make().plot).savefig(plain, dpi=60)
    settings = {
        "axes.facecolor": "black", "figure.facecolor": "black", "lines.linewidth": 5,
        "lines.markerfacecolor": "red", "lines.markeredgecolor": "red", "xtick.top": True,
        "axes.labelpad": 20, "axes.titlepad": 20, "xtick.color": "red", "axes.axisbelow": False,
        "figure.labelsize": 30, "figure.titleweight": "bold", "xtick.major.pad": 20,
        "lines.marker": "x", "lines.linestyle": ":", "axes.grid": True, "font.size": 20,
        "axes.labelsize": 20, "axes.titleweight": "bold", "text.color": "red",
        "axes.labelcolor": "red", "xtick.minor.visible": True, "ytick.minor.visible": True,
        "axes.spines.top": True, "lines.markersize": 12, "image.cmap": "jet",
        "axes.labelweight": "bold", "patch.edgecolor": "red",
        "pcolor.shading": "gouraud", "text.parse_math": True,
    }  # fmt: skip
    with mpl.rc_context(settings):
        draw(make().plot).savefig(odd, dpi=60, facecolor="white", edgecolor="white")
    first, second = (mpl.image.imread(path) for path in (plain, odd))
    assert first.shape == second.shape
    assert np.abs(first - second).max() == 0


def ticks_beyond(figure):
    """Return the labels of ticks outside the axes, which are there but not drawn."""
    found = []
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        found += [t.label1 for t in axis.get_major_ticks() if not low <= t.get_loc() <= high]
    return found


@every
def test_texts_do_not_lie_over_each_other_or_outside(make, draw):
    figure = draw(make(["short", "a rather long name", "another name", "x"]).plot)
    figure.draw_without_rendering()
    shown = [t for t in texts(figure) if t.get_rotation() in (0, 90)]
    beyond = ticks_beyond(figure)
    boxes = [(t.get_text(), t.get_window_extent().padded(-1)) for t in shown if t not in beyond]
    page = figure.bbox.padded(2)
    for text, box in boxes:
        assert page.contains(box.x0, box.y0), text
        assert page.contains(box.x1, box.y1), text
    for at, (text, box) in enumerate(boxes):
        for other, there in boxes[:at]:
            assert not box.overlaps(there), (text, other)


def test_pyplot_is_not_imported():
    code = (
        "import sys, memlab as ml\n"
        "results = ml.evaluate({'w': 'Window()', 'r': 'Random()'}, 'quickstart', ['MRR()'])\n"
        "assert 'matplotlib' not in sys.modules\n"
        "plot = results.plot\n"
        "plot.pareto(), plot.categories(), plot.latency(), plot.growth(), plot.pairs()\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
