"""The tables of a check as cells of text; what got worse comes first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from memlab.cells import Cells
from memlab.gate.changes import Lost
from memlab.gate.contrast import BLIND, IMPROVED, REGRESSION, SAME, Contrast

_FIRST = (REGRESSION, IMPROVED, BLIND)


def lost_cells(lost: Sequence[Lost]) -> Cells:
    """Return what vanished or fails anew."""
    rows = [[f"{REGRESSION}: {one.kind}", one.strategy, _at(one.budget), one.text] for one in lost]
    return ["verdict", "strategy", "budget", "what"], rows


def quality_cells(contrasts: Sequence[Contrast]) -> Cells:
    """Return the quality side: differences as run - baseline."""
    header = "verdict|strategy|budget|metric|baseline|run|change|95 %|limit|p adj|found from|n"
    rows = [
        [
            *[one.verdict, one.strategy, _at(one.budget), one.measure],
            *[_number(one.baseline), _number(one.run), _signed(one.change)],
            _interval(_signed(one.low), _signed(one.high)),
            *[_number(one.limit), _p(one.adjusted), _number(one.detectable), str(one.n)],
            *[str(one.clusters), str(one.worse)],
        ]
        for one in _ordered(contrasts)
    ]
    return [*header.split("|"), "conversations", "probes worse"], rows


def time_cells(contrasts: Sequence[Contrast]) -> Cells:
    """Return the time side: times in units of the reference, changes as ratios."""
    header = "verdict|strategy|budget|time of|baseline|run|ratio|95 %|limit|p adj|found from"
    rows = [
        [
            *[one.verdict, one.strategy, _at(one.budget, one.measure), one.measure],
            *[f"{one.baseline:.3g}", f"{one.run:.3g}", f"{one.change:.2f}"],
            _interval(f"{one.low:.2f}", f"{one.high:.2f}"),
            *[f"{one.limit:.2f}", _p(one.adjusted), f"{one.detectable:.2f}"],
            *[str(one.clusters), str(one.worse)],
        ]
        for one in _ordered(contrasts)
    ]
    return [*header.split("|"), "conversations", "beyond limit"], rows


def unchanged(contrasts: Sequence[Contrast]) -> list[str]:
    """Return what stands in place of the contrasts that are the same probe by probe."""
    alike = [one for one in contrasts if one.part == "quality" and one.verdict == SAME]
    found: dict[str, float] = {}
    for one in alike:
        if one.limit:
            found[one.measure] = max(found.get(one.measure, 0.0), one.detectable)
    if not alike:
        return []
    seen = ", ".join(f"{measure} {drop:.3f}" for measure, drop in found.items())
    line = f"the same, probe by probe: {len(alike)} contrasts of quality"
    return [f"{line}; a drop is found from {seen}" if seen else line]


def _ordered(contrasts: Sequence[Contrast]) -> list[Contrast]:
    def place(one: Contrast) -> int:
        return _FIRST.index(one.verdict) if one.verdict in _FIRST else len(_FIRST)

    return sorted(contrasts, key=place)


def _at(budget: int | None, measure: str = "read") -> str:
    if measure != "read":
        return "–"
    return "none" if budget is None else str(budget)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _signed(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.4f}"


def _interval(low: str, high: str) -> str:
    return "–" if "nan" in low or low == "–" else f"[{low}, {high}]"


def _p(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"
