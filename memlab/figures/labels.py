"""Places for names beside points, where they cover neither each other nor the points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle, in points of 1/72 inch."""

    x0: float
    y0: float
    x1: float
    y1: float

    def shared(self, other: Box) -> float:
        """Return the area of what both cover."""
        wide = min(self.x1, other.x1) - max(self.x0, other.x0)
        high = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(wide, 0.0) * max(high, 0.0)

    def inside(self, other: Box) -> bool:
        """Tell whether the other box holds all of this one."""
        return (
            self.x0 >= other.x0
            and self.y0 >= other.y0
            and self.x1 <= other.x1
            and self.y1 <= other.y1
        )

    def nearest(self, point: Point) -> Point:
        """Return the place in the box that is nearest to a point."""
        return min(max(point[0], self.x0), self.x1), min(max(point[1], self.y0), self.y1)


class Label(NamedTuple):
    """The width and height of a text, and the points it may stand at, the best one first."""

    size: tuple[float, float]
    points: Sequence[Point]


class Placed(NamedTuple):
    """Where a text lies, and which of its points it stands at."""

    box: Box
    point: Point
    which: int


_DISTANCES = (5.0, 11.0, 19.0, 29.0, 41.0, 55.0, 71.0, 90.0)
_ANGLES = tuple(math.pi * k / 8 for k in (0, 1, -1, 2, -2, 8, 7, -7, 6, -6, 4, -4, 3, -3, 5, -5))
_LEAST = 7.0
"""A text so far from its point needs a line that leads to it."""


def place(labels: Sequence[Label], avoid: Sequence[Box], bounds: Box) -> list[Placed]:
    """Return places for texts inside the bounds, none on another one.

    What is to be avoided is covered only where there is no place without. Texts for which
    there is no room near their points are stacked along the right end of the bounds. The
    rightmost points choose first.
    """
    placed: dict[int, Placed] = {}
    order = sorted(range(len(labels)), key=lambda i: (-labels[i].points[0][0], i))
    stacked: list[int] = []
    for i in order:
        taken = [one.box for one in placed.values()]
        found = _best(labels[i], taken, list(placed.values()), avoid, bounds)
        if found is None:
            stacked.append(i)
        else:
            placed[i] = found
    for i in stacked:
        placed[i] = _stacked(labels[i], [one.box for one in placed.values()], bounds)
    return [placed[i] for i in range(len(labels))]


def leader(placed: Placed) -> tuple[Point, Point] | None:
    """Return the ends of a line from a text to its point; None where it stands beside it."""
    end = placed.box.nearest(placed.point)
    return (end, placed.point) if math.dist(end, placed.point) > _LEAST else None


def _best(
    label: Label, taken: Sequence[Box], others: Sequence[Placed], avoid: Sequence[Box], bounds: Box
) -> Placed | None:
    """Return the cheapest free place: near its point, and over nothing."""
    best, least = None, math.inf
    for cost, candidate in _candidates(label):
        box = candidate.box
        if cost >= least or not box.inside(bounds) or any(box.shared(one) for one in taken):
            continue
        cost += sum(box.shared(one) for one in avoid)
        line = leader(candidate)
        if line is not None:
            cost += sum(20.0 for one in (*taken, *avoid) if _crosses(line, one))
        cost += sum(20.0 for other in others if (own := leader(other)) and _crosses(own, box))
        if cost < least:
            best, least = candidate, cost
    return best


def _candidates(label: Label) -> Iterator[tuple[float, Placed]]:
    wide, high = label.size
    for rank, (x, y) in enumerate(label.points):
        for distance in _DISTANCES:
            for turn, angle in enumerate(_ANGLES):
                right, up = math.cos(angle), math.sin(angle)
                # The text touches the circle with the side or corner that faces the point.
                x0 = x + distance * right - wide * (1 - right) / 2
                y0 = y + distance * up - high * (1 - up) / 2
                box = Box(x0, y0, x0 + wide, y0 + high)
                yield distance + 0.1 * turn + 8 * rank, Placed(box, (x, y), rank)


def _crosses(line: tuple[Point, Point], box: Box, steps: int = 12) -> bool:
    """Tell whether a line, without its ends, runs through a box."""
    (x0, y0), (x1, y1) = line
    for k in range(1, steps):
        x, y = x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps
        if box.x0 < x < box.x1 and box.y0 < y < box.y1:
            return True
    return False


def _stacked(label: Label, taken: Sequence[Box], bounds: Box) -> Placed:
    """Return the free place at the right end that is nearest in height, or one below it all."""
    wide, high = label.size
    x0, wanted = bounds.x1 - wide, label.points[0][1] - high / 2
    tops = [bounds.y1 - high * (k + 1) for k in range(max(int((bounds.y1 - bounds.y0) / high), 1))]
    for y0 in sorted(tops, key=lambda y: abs(y - wanted)):
        box = Box(x0, y0, x0 + wide, y0 + high)
        if not any(box.shared(one) for one in taken):
            return Placed(box, label.points[0], 0)
    y0 = min([bounds.y0, *(one.y0 for one in taken)]) - high
    return Placed(Box(x0, y0, x0 + wide, y0 + high), label.points[0], 0)
