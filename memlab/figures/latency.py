"""Latencies as distributions: the share of calls that took no longer, one line per strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from memlab.figures.costs import logarithmic
from memlab.figures.curves import panel_title, parts
from memlab.figures.key import Entry, add_key, key_height, key_room
from memlab.figures.picture import Picture, finish, panels
from memlab.figures.scales import number, x_label, y_label
from memlab.figures.style import Look, looks

_COLUMNS = 2
_SIZES = {1: (4.4, 2.9), 2: (3.4, 2.7)}
_SHARES = (0.0, 0.25, 0.5, 0.75, 0.95)


def latency(
    table: pd.DataFrame,
    marks: pd.DataFrame,
    *,
    unit: str,
    what: str,
    title: str = "",
    notes: Sequence[str] = (),
) -> Picture:
    """Draw shares of calls against their latency, a panel per budget; p50 and p95 are marked.

    `table` has `strategy`, `budget`, `latency` and `share`, rising within each line; `marks`
    has a row for each line with `n`, `p50`, `p95` and `cold`, which is marked hollow.
    """
    cut = list(parts(table, ("budget",)))
    columns = min(len(cut), _COLUMNS)
    rows = -(-len(cut) // columns)
    styles = looks(table["strategy"])
    told = list(parts(marks, ("budget",)))
    entries = [Entry(styles[name], text) for name, text in _details(told[0][1], unit)]
    if len(cut) > 1:  # what differs between budgets cannot stand in one key
        entries = [Entry(one.look) for one in entries]
    wide, high = _SIZES[columns]
    size = wide, max(high, key_height(entries) + 0.5)
    figure, axes = panels(rows, columns, size, room=key_room(entries))
    every = [*table["latency"], *marks[["p50", "p95", "cold"]].to_numpy().ravel()]
    known = [float(value) for value in every if value > 0]
    for at, (one, (head, part), (_, own)) in enumerate(zip(axes, cut, told, strict=False)):
        for name, line in part.groupby("strategy", sort=False):
            marked = own[own["strategy"] == name].to_dict("records")[0]
            _line(one, line, {str(k): v for k, v in marked.items()}, styles[str(name)])
        logarithmic(one, min(known), max(known), inches=wide - 0.7)
        x_label(one, f"{what} ({unit})")
        _shares(one)
        if at % columns:
            one.set_ylabel("")
        panel_title(one, head, above=4)
    for spare in axes[len(cut) :]:
        spare.remove()
    add_key(axes[columns - 1], entries)
    finish(figure, title, notes)
    return figure


def _details(marks: pd.DataFrame, unit: str) -> list[tuple[str, str]]:
    """Return what the key tells of each strategy."""
    return [
        (
            str(row["strategy"]),
            f"p50 {_three(row['p50'])}, p95 {_three(row['p95'])} {unit}, n {row['n']:,}",
        )
        for row in marks.to_dict("records")
    ]


def _three(value: float) -> str:
    return number(float(f"{value:.3g}"))


def _line(axes: Axes, rows: pd.DataFrame, marks: Mapping[str, Any], look: Look) -> None:
    """Draw one distribution: from 0 at its least value, in steps, with its marks."""
    x, y = rows["latency"].to_numpy(), rows["share"].to_numpy()
    (line,) = axes.plot([x[0], *x], [0.0, *y], label=str(rows["strategy"].iloc[0]))
    line.set(color=look.colour, linewidth=1.4, drawstyle="steps-post", marker="", zorder=3)
    line.set_linestyle((0, look.dashes) if look.dashes else "-")
    (dots,) = axes.plot([marks["p50"], marks["p95"]], [0.5, 0.95], label="_marks")
    dots.set(linestyle="none", marker=look.marker, markersize=5.6, zorder=4)
    dots.set(markerfacecolor=look.colour, markeredgecolor="white", markeredgewidth=0.5)
    if marks["cold"] > 0:
        (first,) = axes.plot([marks["cold"]], [0.5], label="_cold")
        first.set(linestyle="none", marker=look.marker, markersize=5.6, zorder=3.5)
        first.set(markerfacecolor="white", markeredgecolor=look.colour, markeredgewidth=1.2)


def _shares(axes: Axes) -> None:
    axes.set_ylim(-0.03, 1.03)
    axes.set_yticks(_SHARES, labels=[f"{share:.0%}" for share in _SHARES])
    y_label(axes, "calls that took no longer")
