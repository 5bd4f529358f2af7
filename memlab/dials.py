"""Results along a dial of the probes: the tables behind the curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memlab import tables
from memlab.bins import Bin, make_bins, place
from memlab.errors import ConfigError
from memlab.naming import spell
from memlab.protocols import Metric
from memlab.scoring import as_metric
from memlab.types import Conversation, Probe, Turn

if TYPE_CHECKING:
    import pandas as pd

    from memlab.rundata import RunData

SIZES = ("history", "candidates")
"""Dials that are sizes of the history: turns said, and turns that could be returned."""
LOGARITHMIC = ("distance", *SIZES)
"""Dials whose ranges are always logarithmic."""
_SPAN = 100

WITHOUT, UNSCORED = -1, -2
"""In place of a range: a scored probe without the dial, and one the metric is not about."""


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The probes of a run by the ranges of a dial; `index` (n,) has one entry per record."""

    metric: Metric
    by: str
    log: bool
    bins: tuple[Bin, ...]
    index: NDArray[np.intp]

    def limits(self, at: int) -> dict[str, float]:
        """Return the centre and the ends of a range; NaN for probes without the dial."""
        low, high, centre = self.bins[at] if at >= 0 else Bin(math.nan, math.nan, math.nan)
        return {self.by: centre, f"{self.by} from": low, f"{self.by} to": high}

    def probes(self, results: RunData, at: int | None = None) -> set[tuple[str, str]]:
        """Return the conversations and ids of the probes in a range; None takes in every one."""
        return {
            (record.conversation, record.probe)
            for record, position in zip(results.records, self.index, strict=True)
            if (position >= 0 if at is None else position == at)
        }


def cut(
    results: RunData, metric: Metric | str, by: str, edges: Sequence[float] | None = None
) -> Cut:
    """Cut the probes that a metric scores into ranges of a dial, the same for all strategies.

    Raises:
        ConfigError: no numbers or one value of the dial, no score, or edges that cannot work.
    """
    measure = as_metric(metric)
    numbers, values = dial(results, by), results.values(measure)
    keys = [(record.conversation, record.probe) for record in results.records]
    scored = {key for key, value in zip(keys, values, strict=True) if not math.isnan(value)}
    if not scored:
        raise ConfigError(f"{spell(measure)} has no value on any probe", "a metric of these data")
    asked = np.array([key in scored for key in keys])
    known = {
        key: float(number)
        for key, number in zip(keys, numbers, strict=True)
        if key in scored and not math.isnan(number)
    }
    _check_spread(set(known.values()), by)
    log = _is_log(by, known.values())
    bins = make_bins(list(known.values()), log=log, edges=edges)
    index = np.where(asked, place(bins, numbers), UNSCORED)
    return Cut(measure, by, log, bins, index)


def dial(results: RunData, by: str) -> NDArray[np.float64]:
    """Return the number a dial has on each record; NaN where it has none.

    Where the data do not give them, `history` is the number of turns that could have been
    returned, and `distance` the turns between the last evidence and the probe.

    Raises:
        ConfigError: an unknown name, or one that stands for no numbers.
        RunError: distances must be computed and the data are not at hand.
    """
    if by in SIZES:
        found = [record.dials.get(by, record.candidates) for record in results.records]
    elif by == "distance":
        found = _distances(results)
    else:
        found = results.field(by)
    numbers = np.array([_number(value) for value in found], dtype=np.float64)
    if np.isnan(numbers).all() and any(value is not None for value in found):
        raise ConfigError(f"{by!r} has no numbers", "a numeric dial", f"use results.by({by!r})")
    return numbers


def _distances(results: RunData) -> list[Any]:
    """Return the dial `distance`; for data sets that have none it is computed."""
    given = {record.dataset for record in results.records if "distance" in record.dials}
    found = [record.dials.get("distance") for record in results.records]
    if all(record.dataset in given for record in results.records):
        return found
    since = turns_since(results.dataset)
    return [
        value if record.dataset in given else since.get((record.conversation, record.probe))
        for value, record in zip(found, results.records, strict=True)
    ]


def turns_since(conversations: Iterable[Conversation]) -> dict[tuple[str, str], int]:
    """Return, by conversation and probe, the turns between its last evidence and itself.

    0 stands for evidence in the turn right before the probe, as in `meta["distance"]` of the
    data sets that give it. Probes without evidence that was said by then are left out.
    """
    found: dict[tuple[str, str], int] = {}
    for talk in conversations:
        said: dict[str, int] = {}
        for event in talk.events:
            if isinstance(event, Turn):
                said[event.id] = len(said)
            elif isinstance(event, Probe):
                last = max((said[turn] for turn in event.evidence if turn in said), default=-1)
                if last >= 0:
                    found[talk.id, event.id] = len(said) - 1 - last
    return found


def _number(value: Any) -> float:  # noqa: ANN401
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if numeric and math.isfinite(value) else math.nan


def _check_spread(distinct: set[float], by: str) -> None:
    if len(distinct) > 1:
        return
    has = f"{by} = {min(distinct):g}" if distinct else f"no {by}"
    raise ConfigError(
        f"every scored probe has {has}", "two values at least", "choose another dial, or more data"
    )


def _is_log(by: str, values: Iterable[float]) -> bool:
    low, high = min(values := list(values)), max(values)
    return low >= 0 and (by in LOGARITHMIC or high >= _SPAN * max(low, 1.0))


def forgetting(results: RunData, made: Cut) -> pd.DataFrame:
    """Return a metric along a dial: one line per data set, strategy, budget and range."""
    import pandas as pd

    rows = []
    names = tables.datasets(results)
    of = np.array([record.dataset for record in results.records])
    for name in names or [""]:
        for (strategy, budget), at in results.groups.items():
            for position in (*range(len(made.bins)), WITHOUT):
                chosen = at[(made.index[at] == position) & (of[at] == name)]
                if not len(chosen):
                    continue
                row: dict[str, Any] = {"dataset": name} if names else {}
                row |= {"strategy": strategy, "budget": budget, **made.limits(position)}
                rows.append(row | quality(results, made.metric, chosen))
    return pd.DataFrame(rows)


def quality(results: RunData, metric: Metric, at: NDArray[np.intp]) -> dict[str, Any]:
    """Return the cells of a metric over some records: no interval below six clusters.

    `n` records have a value, `ignored` could not be measured.
    """
    found, name = tables.estimate(results, metric, at), spell(metric)
    low, high = (math.nan, math.nan) if found.descriptive else (found.low, found.high)
    means = {name: found.mean, f"{name} low": low, f"{name} high": high}
    return means | {"n": found.n, "ignored": found.ignored, "clusters": found.clusters}
