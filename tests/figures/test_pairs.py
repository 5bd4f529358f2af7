"""The matrix of pairs: numbers, colours in every kind of sight, what is muted."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text

from memlab.errors import ConfigError
from memlab.figures.pairs import pairs, signed

METRIC = "Recall(k=1)"
NAMES = ["x", "y", "z"]


def table(rows):
    names = "strategy baseline budget difference wins losses verdict".split()
    return pd.DataFrame(rows, columns=names)


THREE = table(
    [
        ("x", "y", 100, 0.4, 30, 2, "better"),
        ("x", "z", 100, -0.02, 3, 5, "not separated"),
        ("y", "z", 100, -0.4, 2, 30, "worse"),
    ]
)


def cell(figure, row, column):
    """Return the texts and the colour of a cell."""
    (axes,) = figure.axes
    inside = [t for t in axes.texts if int(t.get_position()[0]) == column]
    inside = [t for t in inside if int(t.get_position()[1]) == row]
    (mesh,) = axes.collections
    colour = mesh.get_facecolor()[row * len(axes.get_xticks()) + column]
    return inside, colour[:3]


def test_the_reverse_of_a_pair_is_its_mirror():
    figure = pairs(THREE, NAMES, metric=METRIC)
    assert [t.get_text() for t in cell(figure, 0, 1)[0]] == ["+0.40", "30–2"]
    assert [t.get_text() for t in cell(figure, 1, 0)[0]] == ["−0.40", "2–30"]
    assert [t.get_text() for t in cell(figure, 2, 1)[0]] == ["+0.40", "30–2"]
    assert cell(figure, 1, 1)[0] == []


def test_what_is_separated_is_bold_on_full_colour_and_the_rest_muted():
    figure = pairs(THREE, NAMES, metric=METRIC)
    (number, _), strong = cell(figure, 0, 1)
    assert number.get_fontweight() == "bold"
    (number, _), pale = cell(figure, 0, 2)
    assert number.get_fontweight() == "normal"
    assert number.get_color() == "#6a6a6a"
    assert pale.min() > 0.9 > strong.min()


def test_better_is_darker_than_worse_in_grey_and_bluer_in_colour():
    figure = pairs(THREE, NAMES, metric=METRIC)
    (_, better), (_, worse) = cell(figure, 0, 1), cell(figure, 1, 0)
    grey = [0.2126, 0.7152, 0.0722]
    assert better @ grey < worse @ grey - 0.2
    assert better[2] - better[0] > 0.5 > 0 > worse[2] - worse[0]


def test_less_is_better_turns_the_colours_not_the_numbers():
    rows = table([("x", "y", 100, -0.4, 30, 2, "better")])
    figure = pairs(rows, ["x", "y"], metric="Leak()", higher_is_better=False)
    (number, below), colour = cell(figure, 0, 1)
    assert (number.get_text(), below.get_text()) == ("−0.40", "30–2")
    assert colour[2] > colour[0]


def test_descriptive_identical_and_missing_pairs_claim_nothing():
    rows = table(
        [
            ("x", "y", 100, 0.4, 5, 0, "descriptive"),
            ("x", "z", 100, 0.0, 0, 0, "identical"),
            ("y", "z", 100, float("nan"), 0, 0, "no pairs"),
        ]
    )
    figure = pairs(rows, NAMES, metric=METRIC)
    assert [t.get_text() for t in cell(figure, 0, 1)[0]] == ["+0.40", "5–0"]
    assert cell(figure, 0, 1)[1].min() > 0.7
    assert [t.get_text() for t in cell(figure, 0, 2)[0]] == ["same", "0–0"]
    assert [t.get_text() for t in cell(figure, 1, 2)[0]] == ["–"]
    assert all(t.get_fontweight() == "normal" for t in figure.axes[0].texts)


def test_numbers_can_be_read_on_their_colour():
    figure = pairs(THREE, NAMES, metric=METRIC)
    for row, column in ((0, 1), (1, 0), (0, 2)):
        (number, _), colour = cell(figure, row, column)
        ink = np.array([{"white": 1.0, "#222222": 0x22 / 255, "#6a6a6a": 0x6A / 255}[
            number.get_color()]] * 3)  # fmt: skip
        light, dark = sorted((luminance(colour), luminance(ink)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) > 4.0


def luminance(colour):
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_the_picture_of_a_run_is_its_table(make):
    results = make(["a", "b", "c"])
    figure = results.plot.pairs(METRIC, strategies=["c", "a"])
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["c", "a"]
    rows = results.pairs(METRIC).table.set_index(["strategy", "baseline"])
    found = rows.loc[("a", "c")]
    assert cell(figure, 1, 0)[0][0].get_text() == signed(found["difference"])
    assert cell(figure, 1, 0)[0][1].get_text() == f"{found['wins']}–{found['losses']}"
    assert cell(figure, 0, 1)[0][1].get_text() == f"{found['losses']}–{found['wins']}"


def test_notes_tell_the_test_the_family_and_too_few_conversations(make):
    def notes(**given):
        figure = make(["a", "b"], **given).plot.pairs(METRIC)
        return " ".join(t.get_text() for t in figure.findobj(Text)).replace("\n", " ")

    assert "sign flip test by conversation" in notes()
    assert "descriptive, so no conclusion" in notes(talks=5)


def test_budgets_have_a_panel_each_or_one_is_chosen(make):
    results = make(["a", "b"], budgets=(100, None))
    titles = [axes.get_title(loc="left") for axes in results.plot.pairs(METRIC).axes]
    assert titles == ["budget 100 tokens", "no token limit"]
    assert len(results.plot.pairs(METRIC, budget=100).axes) == 1
    assert "budget 100 tokens" in results.plot.pairs(METRIC, budget=100).get_suptitle()


def test_one_strategy_is_refused(make):
    with pytest.raises(ConfigError, match="two at least"):
        make(["a"]).plot.pairs(METRIC)
    with pytest.raises(ConfigError, match="two at least"):
        make(["a", "b"]).plot.pairs(METRIC, strategies=["b"])


@given(st.floats(-1, 1))
def test_a_difference_keeps_its_sign_and_its_size(difference):
    text = signed(difference)
    if text in ("≈ 0", "0"):
        assert abs(difference) < 0.0005
    else:
        shown = float(text.replace("−", "-"))
        assert shown * difference > 0
        assert shown == pytest.approx(difference, abs=0.0051)
