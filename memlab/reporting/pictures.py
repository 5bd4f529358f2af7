"""The pictures of a report: those that the run allows, as images inside the page."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memlab.errors import MemlabError
from memlab.naming import spell
from memlab.reporting.embed import data_uri
from memlab.reporting.shown import placeless
from memlab.scoring import as_metric

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from memlab.results import Results

_HEAVY = 250_000
"""Bytes beyond which a picture is embedded as pixels."""
_DPI = 160


class Picture(NamedTuple):
    """A picture of the page: the address of its image, and its size in pixels at 96 dpi."""

    name: str
    title: str
    alt: str
    uri: str
    width: int
    height: int


class Wanted(NamedTuple):
    """A picture that is asked for."""

    name: str
    title: str
    alt: str
    draw: Callable[[], Figure]


def wanted(results: Results) -> list[Wanted]:
    """Return the pictures of a report, in its order."""
    metric, plot = results.metrics[0] if results.metrics else as_metric("Recall()"), results.plot
    name, recall = spell(metric), "Recall of evidence in the context against the"
    settings = "by strategy and budget"
    rows: list[tuple[str, str, str, Callable[[], Figure]]] = [
        (
            *("pareto", "Quality against tokens", f"{recall} tokens read, {settings}"),
            lambda: plot.pareto(cost="tokens"),
        ),
        (
            *("latency-front", "Quality against read time", f"{recall} time of a read, {settings}"),
            lambda: plot.pareto(cost="read_ms"),
        ),
        (
            *("pairs", "Every two strategies"),
            f"Paired differences of {name} between every two strategies",
            lambda: plot.pairs(metric),
        ),
        (
            *("categories", "By category"),
            f"{name} by category of question, a mark for each strategy",
            lambda: plot.categories(metric),
        ),
        (
            *("forgetting", "By distance"),
            "Recall by the number of turns between evidence and question",
            lambda: plot.forgetting("Recall()"),
        ),
        (
            *("latency", "Read times", "Share of reads that took at most so long, by strategy"),
            lambda: plot.latency("read"),
        ),
        (
            *("growth", "Growth of memory"),
            "What a memory holds as the conversation grows, by strategy",
            plot.growth,
        ),
    ]
    return [Wanted(*row) for row in rows]


def pictures(results: Results) -> tuple[list[Picture], list[str]]:
    """Return the pictures that the run allows, and why others are missing."""
    made: list[Picture] = []
    left_out: list[str] = []
    for one in wanted(results):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                figure = one.draw()
                content, kind = _rendered(figure)
            except MemlabError as error:
                left_out.append(f"no picture '{one.title}': {placeless(str(error))}")
                continue
        width, height = (int(side * 96) for side in figure.get_size_inches())
        made.append(Picture(one.name, one.title, one.alt, data_uri(content, kind), width, height))
        left_out += [f"picture '{one.title}': {text}" for text in _summed(told)]
    return made, left_out


def _summed(told: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return the first of some warnings, and how many there were."""
    texts = list(dict.fromkeys(str(one.message) for one in told))
    more = f" (and {len(texts) - 1} more warnings)" if len(texts) > 1 else ""
    return [f"{text}{more}" for text in texts[:1]]


def _rendered(figure: Figure) -> tuple[bytes, str]:
    """Return a figure as SVG, whose letters are outlines; as PNG if that is too large."""
    from matplotlib import rc_context

    file = io.BytesIO()
    with rc_context({"svg.hashsalt": "memlab", "svg.fonttype": "path"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    if file.tell() <= _HEAVY:
        return file.getvalue(), "image/svg+xml"
    pixels = io.BytesIO()
    figure.savefig(pixels, format="png", dpi=_DPI, metadata={"Software": None})
    return pixels.getvalue(), "image/png"
