"""What the pictures of a dial share: panels cut from a table, lines, counts above them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from memlab.figures.lines import Line
from memlab.figures.scales import LETTER, short
from memlab.figures.style import FAINT, INK, TEXT, TINY


def parts(table: pd.DataFrame, fields: tuple[str, ...]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the parts of a table by data set and budget, each with a title; "" for one alone."""
    present = [field for field in fields if field in table]
    if not present:
        yield "", table
        return
    shown = [field for field in present if table[field].nunique(dropna=False) > 1]
    for _, part in table.groupby(present, sort=False, dropna=False):
        values = {field: part[field].iloc[0] for field in shown}
        yield " · ".join(_told(field, value) for field, value in values.items()), part


def _told(field: str, value: Any) -> str:  # noqa: ANN401 - a cell
    return budget_text([value]) if field == "budget" else str(value)


def budget_text(budgets: Iterable[float | None]) -> str:
    """Return budgets as a title tells them.

    >>> budget_text([500, 4000]), budget_text([None])
    ('budget 500 / 4,000 tokens', 'no token limit')
    """
    limits = ["none" if b is None or math.isnan(b) else f"{b:,.0f}" for b in budgets]
    return "no token limit" if limits == ["none"] else f"budget {' / '.join(limits)} tokens"


def lines(part: pd.DataFrame, by: str, column: str) -> list[Line]:
    """Return one line per strategy, in the order of the table; those without a value drop out.

    Where a single value is missing the line has a gap.
    """
    found = []
    for name, rows in part.groupby("strategy", sort=False):
        known = rows[rows[by].notna()].sort_values(by)
        nothing = pd.Series(np.nan, index=known.index)
        ends = (known.get(f"{column} {end}", nothing) for end in ("low", "high"))
        x, y, low, high = (
            np.asarray(c, dtype=np.float64) for c in (known[by], known[column], *ends)
        )
        if np.isfinite(y).any():
            found.append(Line(str(name), x, y, low, high))
    return found


def counts_above(
    axes: Axes, part: pd.DataFrame, by: str, *, inches: float, lift: float = 3.0
) -> float:
    """Write above the axes how many probes stand behind each point, at least.

    Where two would touch on axes so many inches wide the second one is raised. `lift` is the
    space below in points. Returns the height of it all in points.
    """
    known = part[part[by].notna()]
    xs = [float(str(x)) for x in sorted(known[by].unique())]
    places = axes.xaxis.get_transform().transform(np.array([*axes.get_xlim(), *xs]))
    scale = 72 * inches / (places[1] - places[0])
    height, edge, raised = TINY, -math.inf, False
    _count(axes, "n =", (0.0, 1.0), (-6, lift), "right")
    for x, place in zip(xs, places[2:] * scale, strict=True):
        least, most = (int(f(known["n"][known[by] == x])) for f in (min, max))
        text = short(most) if least == most else f"≥{short(least)}"
        half = LETTER * TINY * len(text) / 2
        raised = place - half < edge and not raised
        height = 2 * TINY + 1 if raised else height
        _count(axes, text, (x, 1.0), (0, lift + raised * (TINY + 1)), "center")
        edge = place + half + 2
    return height + lift + 4


def _count(
    axes: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], align: str
) -> None:
    axes.annotate(
        text,
        at,
        xytext=offset,
        textcoords="offset points",
        xycoords=("data" if align == "center" else "axes fraction", "axes fraction"),
        ha=align,
        va="bottom",
        fontsize=TINY,
        color=FAINT,
        fontweight="normal",
    )


def panel_title(axes: Axes, title: str, *, above: float) -> None:
    """Write the title of a panel, `above` points over the axes."""
    if title:
        axes.set_title(
            title,
            loc="left",
            pad=above,
            fontsize=TEXT,
            color=INK,
            fontweight="normal",
            parse_math=False,
        )


def span(table: pd.DataFrame, by: str) -> tuple[float, float]:
    """Return where the ranges of a dial begin and end."""
    return float(table[f"{by} from"].min()), float(table[f"{by} to"].max())


def beside(
    axes: Sequence[Axes], drawn: Sequence[list[Line]], columns: int
) -> list[tuple[Axes, list[Line]]]:
    """Return which lines are named beside which panel: each once, at the right if it is there."""
    found, seen = [], set[str]()
    for at in sorted(range(len(axes)), key=lambda at: (-(at % columns), at)):
        new = [line for line in drawn[at] if line.name not in seen]
        seen.update(line.name for line in new)
        if new:
            found.append((axes[at], new))
    return found
