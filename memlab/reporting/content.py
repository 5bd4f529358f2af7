"""Everything that a report says, gathered once for every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memlab.errors import ConfigError, MemlabError, suggest
from memlab.reporting.about import (
    Facts,
    definitions,
    facts,
    headline,
    licences,
    manifest_json,
    notes,
    run_name,
    strategies,
)
from memlab.reporting.browser import Browser, browser
from memlab.reporting.compared import compared
from memlab.reporting.counted import counted
from memlab.reporting.grid import Grid
from memlab.reporting.overview import by_field, overview
from memlab.reporting.pictures import Picture, pictures
from memlab.reporting.shown import placeless
from memlab.results import Results
from memlab.tables import datasets

METRIC = "Recall()"
"""What the failure browser looks for: evidence that is missing from the whole context."""
ROOM = 3_000_000
"""Bytes of dialogue that a report holds."""


@dataclass(frozen=True, slots=True)
class Content:
    """A report before it is written; `left_out` says what is missing and why."""

    title: str
    headline: str
    tables: tuple[Grid, ...]
    details: tuple[Grid, ...]
    pictures: tuple[Picture, ...]
    browser: Browser | None
    facts: Facts
    manifest: str
    licences: tuple[str, ...]
    notes: tuple[str, ...]
    left_out: tuple[str, ...]


def gather(
    results: Results,
    baseline: str | None,
    by: Sequence[str],
    failures: int,
    title: str,
    *,
    rich: bool,
) -> Content:
    """Return what a report says; `rich` adds pictures and the failure browser."""
    left_out: list[str] = []
    tables = [overview(results), *_comparisons(results, baseline, left_out)]
    tables += _fields(results, by, left_out)
    drawn: list[Picture] = []
    browsed = None
    if rich:
        drawn, missing = pictures(results)
        left_out += missing
        browsed = _browsed(results, failures, left_out)
    return Content(
        title=title or run_name(results),
        headline=headline(results),
        tables=tuple(tables),
        details=(strategies(results), definitions(results), counted(results)),
        pictures=tuple(drawn),
        browser=browsed,
        facts=facts(results),
        manifest=manifest_json(results),
        licences=tuple(licences(results)),
        notes=tuple(notes(results)),
        left_out=tuple(left_out),
    )


def check_baseline(results: Results, baseline: str | None) -> None:
    """Check the label of a baseline.

    Raises:
        ConfigError: no strategy of the run has it.
    """
    labels = dict.fromkeys(label for label, _ in results.groups)
    if baseline is not None and baseline not in labels:
        raise ConfigError(
            f"no strategy {baseline!r} in this run, to be the baseline",
            "",
            suggest(baseline, labels),
        )


def _comparisons(results: Results, baseline: str | None, left_out: list[str]) -> list[Grid]:
    if baseline is None:
        left_out.append("no comparison: no baseline was named (--baseline NAME)")
        return []
    if len({label for label, _ in results.groups}) < 2:
        left_out.append("no comparison: the run has one strategy")
        return []
    if len(datasets(results)) < 2:
        return [compared(results.compare(baseline))]
    return [
        compared(results.compare(baseline), "mean of the data sets"),
        compared(results.compare(baseline, by="dataset"), "by data set", "comparison-parts"),
    ]


def _fields(results: Results, by: Sequence[str], left_out: list[str]) -> list[Grid]:
    grids = []
    for field in by:
        grid = by_field(results, field)
        if len({row[0].text for row in grid.rows}) > 1:
            grids.append(grid)
        else:
            left_out.append(f"no table by {field}: the probes that are scored have one value of it")
    return grids


def _browsed(results: Results, failures: int, left_out: list[str]) -> Browser | None:
    if not failures:
        left_out.append("no failures and no dialogues: left out on request")
        return None
    try:
        return browser(results, METRIC, failures, ROOM)
    except (MemlabError, OSError) as error:
        left_out.append(f"no failure browser, which needs the dialogues: {placeless(str(error))}")
        return None
