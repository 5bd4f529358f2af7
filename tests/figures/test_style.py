"""Lines can be told apart without colour; ticks and names do not touch."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.figures.lines import spread
from memlab.figures.scales import expm1, log1p, number, round_numbers
from memlab.figures.style import COLOURS, looks


def test_looks_differ_in_every_way_at_first_and_never_repeat_soon():
    found = list(looks(f"s{i}" for i in range(280)).values())
    assert len(set(found)) == 280
    for way in zip(*found[:5], strict=True):
        assert len(set(way)) == 5
    assert len({(look.marker, look.dashes) for look in found[:40]}) == 40  # in grey, too


def test_looks_follow_the_order_of_names_not_how_often_they_come():
    assert looks(["a", "a", "b"]) == looks(["a", "b", "a"])


def test_colours_are_dark_enough_for_white_paper():
    def luminance(colour):
        channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(
            channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        )
        return linear @ [0.2126, 0.7152, 0.0722]

    assert max(luminance(colour) for colour in COLOURS) < 0.45  # yellow has 0.83


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.01, 0.2))
def test_names_are_apart_in_order_and_inside(wanted, gap):
    places = spread(wanted, gap)
    ordered = sorted(places)
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(ordered))
    pairs = sorted(zip(wanted, places, strict=True))
    assert all(a[1] < b[1] for a, b in pairwise(pairs) if a[0] < b[0])
    if gap * (len(wanted) - 1) <= 1:
        assert ordered[0] >= -1e-9
        assert ordered[-1] <= 1 + 1e-9


def test_names_with_room_stay_where_they_are():
    assert spread([0.9, 0.1, 0.5], 0.2) == pytest.approx([0.9, 0.1, 0.5])


@given(st.integers(0, 10**6), st.integers(2, 10**6), st.floats(120, 400))
def test_ticks_are_rising_whole_and_inside(low, more, width):
    high = low + more
    ticks = round_numbers(low, high, width)
    assert len(ticks) >= 2
    assert all(a < b for a, b in pairwise(ticks))
    assert low <= ticks[0] <= ticks[-1] <= high
    assert all(tick.is_integer() for tick in ticks)
    assert all(float(number(t).rstrip("kM").replace(",", "")) is not None for t in ticks)


@given(st.floats(0, 1e6))
def test_the_axis_goes_there_and_back(x):
    assert expm1(log1p(x)) == pytest.approx(x, rel=1e-9, abs=1e-9)
