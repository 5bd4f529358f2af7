"""The picture of `memlab bench peers`: a panel per phase, log axes, every memory named once."""

import pandas as pd
import pytest
from matplotlib.text import Text

from memlab.figures.peers import peers


def table(sizes, names=("LangChain $x_1$", "memlab Window")):
    rows = [
        (phase, name, size, size * (k + 1) / 1e3)
        for phase in ("write", "read")
        for k, name in enumerate(names)
        for size in sizes
    ]
    return pd.DataFrame(rows, columns=["phase", "strategy", "size", "ms"])


def test_lines_are_the_times_on_log_axes():
    figure = peers(table([100, 1000, 10_000]))
    write, read = figure.axes[:2]
    for axis in (write, read):
        drawn = [line.get_xydata().tolist() for line in axis.lines]
        assert [[100.0, 0.1], [1000.0, 1.0], [10_000.0, 10.0]] in drawn  # size / 1000 ms
        assert [[100.0, 0.2], [1000.0, 2.0], [10_000.0, 20.0]] in drawn  # twice that
        places = axis.transData.transform([(100, 0.1), (1000, 1.0), (10_000, 10.0)])
        steps = places[1:] - places[:-1]
        assert steps[0] == pytest.approx(steps[1], rel=0.01)  # tenfold is as far everywhere
    assert [axis.get_ylabel() for axis in (write, read)] == [
        "write, median (ms)",
        "read, median (ms)",
    ]


@pytest.mark.parametrize("sizes", [[100], [100, 1000, 10_000]])
def test_every_memory_is_named_and_none_read_as_a_formula(sizes, tmp_path):
    figure = peers(table(sizes))
    figure.savefig(tmp_path / "a.png", dpi=30)
    shown = [text for text in figure.findobj(Text) if text.get_text() == "LangChain $x_1$"]
    assert shown
    assert not any(text.get_parse_math() for text in shown)
    assert any(text.get_text() == "memlab Window" for text in figure.findobj(Text))
