"""Places of names: none on another, all inside, beside their points where there is room."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.figures.labels import Box, Label, leader, place
from memlab.figures.names import MOST, abridged, letters

BOUNDS = Box(0, 0, 400, 300)
points = st.tuples(st.floats(0, 330), st.floats(0, 300))
labels = st.lists(
    st.builds(
        Label, st.tuples(st.floats(10, 60), st.just(12.0)), st.lists(points, min_size=1, max_size=3)
    ),
    max_size=20,
)


@given(labels)
def test_no_name_lies_on_another_or_outside(asked):
    avoid = [Box(x - 4, y - 4, x + 4, y + 4) for one in asked for x, y in one.points]
    placed = place(asked, avoid, BOUNDS)
    assert all(one.box.inside(BOUNDS) for one in placed)
    assert not any(a.box.shared(b.box) > 1e-9 for a, b in combinations(placed, 2))
    for one, found in zip(asked, placed, strict=True):
        assert found.point == one.points[found.which]
        size = found.box.x1 - found.box.x0, found.box.y1 - found.box.y0
        assert size == pytest.approx(one.size)


def test_a_name_alone_stands_right_of_its_point_without_a_line():
    (found,) = place([Label((30, 12), [(100, 100)])], [Box(96, 96, 104, 104)], BOUNDS)
    assert found.box == pytest.approx((105, 94, 135, 106))
    assert leader(found) is None


def test_at_the_right_end_it_stands_left_and_what_is_drawn_is_left_free():
    (found,) = place([Label((30, 12), [(390, 100)])], [], BOUNDS)
    assert found.box.x1 <= 390
    wall = Box(104, 0, 108, 300)
    (found,) = place([Label((30, 12), [(100, 100)])], [wall], BOUNDS)
    assert found.box.shared(wall) == 0


def test_names_of_one_place_are_led_to_it():
    placed = place([Label((50, 12), [(200, 150)])] * 15, [Box(196, 146, 204, 154)], BOUNDS)
    far = [one for one in placed if leader(one)]
    assert far
    for one in far:
        end, point = leader(one)
        assert point == (200, 150)
        assert one.box.nearest(point) == end
        assert math.dist(end, point) > 7


def test_where_there_is_no_room_names_are_stacked_below_one_another():
    small = Box(0, 0, 60, 24)
    placed = place([Label((50, 12), [(5, 12)])] * 5, [], small)
    assert not any(a.box.shared(b.box) for a, b in combinations(placed, 2))


@given(st.lists(st.text(max_size=80), max_size=30))
def test_abridged_names_are_short_and_stay_apart(names):
    shown = abridged(names)
    assert list(shown) == list(dict.fromkeys(names))
    assert len(set(shown.values())) == len(shown)
    assert all(letters(text) <= MOST + 1e-9 for text in shown.values())
    assert all("\n" not in text and text for text in shown.values())


def test_a_short_name_is_kept_and_of_a_long_one_both_ends():
    assert abridged(["bm25", "滑动窗口"]) == {"bm25": "bm25", "滑动窗口": "滑动窗口"}
    (shown,) = abridged(["Hybrid(" + "x" * 100 + "fusion='rrf')"]).values()
    assert shown.startswith("Hybrid(")
    assert shown.endswith("fusion='rrf')")


def test_long_names_that_differ_in_the_middle_are_numbered():
    names = ["a" * 50 + middle + "z" * 50 for middle in "xyz"]
    first, second, third = abridged(names).values()
    assert "…" in first
    assert second.endswith(" (2)")
    assert third.endswith(" (3)")
