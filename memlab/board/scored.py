"""What a check scores: a metric or a measure, at a budget or at equal tokens, on some probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memlab.board.measures import MEASURES, read_measure
from memlab.board.needs import named
from memlab.board.strict import Table
from memlab.board.where import Where, chosen, read_where, restricted
from memlab.board.where import words as where_words
from memlab.errors import ConfigError, MemlabError, suggest
from memlab.parsing import parse
from memlab.probewise import OfRun, Scores
from memlab.protocols import Metric
from memlab.registry import COMPONENTS
from memlab.rundata import RunData
from memlab.scoring import as_metric
from memlab.tokencurves import Tokens, common_range, curves


@dataclass(frozen=True, slots=True)
class Scene:
    """What a check may refer to: the labels and budgets of a workload, and names to come.

    `several` tells whether it has several data sets.
    """

    labels: tuple[str, ...]
    budgets: tuple[int | None, ...]
    future: tuple[str, ...] = ()
    several: bool = False

    @property
    def largest(self) -> int | None:
        """The largest budget; None is larger than any number."""
        return None if None in self.budgets else max(b for b in self.budgets if b is not None)

    def label(self, table: Table, key: str) -> str:
        """Read the label of a strategy."""
        found = table.text(key)
        self.check(table, found)
        return found

    def check(self, table: Table, label: str) -> None:
        """Note a label that the workload does not have."""
        if label and label not in self.labels:
            table.fault(f"no strategy {label!r} in this workload", "", suggest(label, self.labels))

    def check_metric(self, table: Table, spelt: str) -> None:
        """Note a metric that cannot be read, unless a need names it that is not met yet."""
        if any(name in self.future and name not in COMPONENTS for name in named(spelt)):
            return
        try:
            if spelt:
                as_metric(parse(spelt))
        except MemlabError as error:
            table.fault(f"metric = {spelt!r}: {error}")

    def budget(self, table: Table) -> int | None:
        """Read `budget`, which only several budgets need; "none" stands for no limit."""
        given = table.value("budget", self.budgets[0] if len(self.budgets) == 1 else ...)
        found = None if given == "none" else given
        if found is ...:
            table.fault("no 'budget', and the workload has several", "one of them, or tokens")
            return None
        if found not in self.budgets:
            table.fault(f"budget = {given!r}", f"one of {list(self.budgets)}")
            return None
        return None if found is None else int(found)


@dataclass(frozen=True, slots=True)
class Scored:
    """A metric (as its repr) or a measure with its options; where and at what size of context.

    `tokens`: None for the budget, a number, a range (the mean height of the curve), "area" for
    the range that the strategies share, "baseline" for what the last of them takes uncut.
    `told`: the budget is one of several, so its words name it.
    """

    metric: str = ""
    measure: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    budget: int | None = None
    tokens: Tokens | str | None = None
    where: Where = field(default_factory=dict)
    told: bool = False

    @classmethod
    def read(cls, table: Table, scene: Scene) -> Scored:
        """Read `metric` or `measure` with `options`, `budget` or `tokens`, and `where`."""
        metric, measure = "", ""
        options: dict[str, Any] = {}
        if "measure" in table:
            measure, options = read_measure(table)
            if "metric" in table:
                table.fault("both metric and measure", "one of them")
            table.value("metric")
        else:
            metric = table.text("metric")
            scene.check_metric(table, metric)
        tokens = _tokens(table)
        if tokens is not None and measure:
            table.fault("tokens with a measure", "tokens with a metric")
        if tokens is not None and "budget" in table:
            table.fault("both tokens and budget", "one of them")
        if tokens == "baseline" and ("baseline" not in table or scene.several):
            table.fault("tokens = 'baseline'", "a baseline, and one data set")
        budget = scene.budget(table) if tokens is None else table.value("budget")
        told = len(scene.budgets) > 1
        return cls(metric, measure, options, budget, tokens, read_where(table), told)

    def scores(self, results: RunData, label: str, others: Sequence[str] = ()) -> Scores:
        """Return a strategy's scores; `others` share the range of tokens "area" with it."""
        kept = chosen(results, self.where)
        if self.measure:
            found = MEASURES[self.measure](results, label, self.budget, **self.options)
            return found if kept is None else found.kept(kept)
        measured = restricted(results, kept)
        metric = as_metric(self.metric)
        tokens = self.tokens
        if tokens == "baseline":
            tokens = _uncut(measured, metric, others[-1])
        elif isinstance(tokens, str):
            tokens = common_range(measured, metric, [label, *others])
        return OfRun(measured).scores(metric, label, self.budget, tokens)

    def __str__(self) -> str:
        options = ", ".join(f"{k} {v}" for k, v in self.options.items())
        named = self.metric or self.measure.replace("_", " ") + (f" ({options})" if options else "")
        return ", ".join(part for part in (named, self._size(), where_words(self.where)) if part)

    def _size(self) -> str:
        if self.tokens is None:
            budget = "no limit" if self.budget is None else f"{self.budget:,} tokens"
            return f"budget {budget}" if self.told else ""
        if isinstance(self.tokens, str):
            sizes = {"area": "at equal tokens (area)", "baseline": "at the baseline's tokens"}
            return sizes[self.tokens]
        if isinstance(self.tokens, tuple):
            return "at {:g} to {:g} equal tokens".format(*self.tokens)
        return f"at {self.tokens:g} equal tokens"


def _uncut(results: RunData, metric: Metric, label: str) -> float:
    """Return the mean tokens that a strategy takes where the budget does not cut it.

    Raises:
        ConfigError: several data sets, or the largest budget still cuts it.
    """
    drawn = [curve for (_, name), curve in curves(results, metric).items() if name == label]
    if len(drawn) != 1 or not drawn[0].saturated:
        raise ConfigError(
            f"{label!r} is cut by the largest budget, or there are several data sets",
            "a baseline with a size of its own, on one data set",
        )
    return float(drawn[0].tokens[-1])


def _tokens(table: Table) -> Tokens | str | None:
    given = table.value("tokens")
    if given in (None, "area", "baseline"):
        return given  # type: ignore[no-any-return]
    if isinstance(given, list) and len(given) == 2 and all(map(_number, given)):
        if 0 <= given[0] < given[1]:
            return float(given[0]), float(given[1])
    elif _number(given) and given > 0:
        return float(given)
    table.fault(f"tokens = {given!r}", 'a number, [low, high], "area" or "baseline"')
    return None


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
