"""Comparisons of strategies: the table, and what must be known to read it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memlab.cells import Cells, latex, markdown, plain
from memlab.cells import html as html_table
from memlab.contrasts import Contrast, Method
from memlab.stats import FEW
from memlab.tokencurves import Tokens

if TYPE_CHECKING:
    import pandas as pd

_TESTS = {
    "sign flip": "p: sign flip test by conversation, two-sided",
    "wilcoxon": "p: Wilcoxon's signed rank test on conversation means, two-sided",
}
_INTERVALS = {
    "cr3": "conversations as clusters (CR3, t)",
    "bootstrap": "percentile bootstrap of conversations, too narrow with few of them",
}
_TESTED = ("better", "worse", "not separated")
_ADJUSTED = {
    "holm": "Holm",
    "bh": "Benjamini-Hochberg: to explore",
    "none": "not adjusted",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A contrast and its place in the table; `value` is that of the field, if there is one."""

    metric: str
    strategy: str
    baseline: str
    budget: int | None
    contrast: Contrast
    value: Any = None


class Comparison:
    """Paired comparisons with intervals, adjusted p-values and verdicts.

    `table` has one line for each metric and contrast. In a notebook it shows itself.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        method: Method,
        adjustments: Sequence[str],
        *,
        field: str = "",
        tokens: Tokens | None = None,
        about: Sequence[str] = (),
    ) -> None:
        self.entries = tuple(entries)
        self.method = method
        self.adjustments = tuple(dict.fromkeys(adjustments))
        self.field = field
        self.tokens = tokens
        self.about = tuple(about)

    @property
    def alpha(self) -> float:
        """The level of the tests: 1 - level of the intervals."""
        return 1 - self.method.level

    @property
    def table(self) -> pd.DataFrame:
        """One line for each metric, contrast, budget and value of the field."""
        import pandas as pd

        return pd.DataFrame([self._row(entry) for entry in self.entries])

    def _row(self, entry: Entry) -> dict[str, Any]:
        made = entry.contrast
        row: dict[str, Any] = {
            "metric": entry.metric,
            "strategy": entry.strategy,
            "baseline": entry.baseline,
        }
        if self.tokens is None:
            row["budget"] = entry.budget
        else:
            row["tokens"] = self.tokens
        if self.field:
            row[self.field] = entry.value
        row |= {
            "value": made.value,
            "baseline value": made.baseline_value,
            "difference": made.found.mean,
            "low": made.found.low,
            "high": made.found.high,
            "p": made.p,
            "p adjusted": made.adjusted,
            "smallest p": made.smallest,
            "wins": made.effects.wins,
            "ties": made.effects.ties,
            "losses": made.effects.losses,
            "d": made.effects.d if made.upward else -made.effects.d,
            "detectable": made.detectable,
            "n": made.found.n,
            "clusters": made.found.clusters,
            "verdict": made.verdict(self.alpha),
        }
        if made.equivalent is not None and made.not_inferior is not None:
            row["equivalent"] = made.equivalent.held
            row["not inferior"] = made.not_inferior.held
        return row

    @property
    def cells(self) -> Cells:
        """The table as texts, without what is the same in every line."""
        several = len({entry.budget for entry in self.entries}) > 1 and self.tokens is None
        header = ["metric", "strategy", "baseline"]
        header += ["budget"] * several + [self.field] * bool(self.field)
        header += ["value", "difference", f"{self.method.level:.0%} interval".replace("%", " %")]
        header += ["p", "p adjusted", "wins", "ties", "losses", "n", "verdict"]
        header += ["equivalent", "not inferior"] * (self.method.margin is not None)
        rows = [self._texts(entry, several) for entry in self.entries]
        return header, rows

    def _texts(self, entry: Entry, several: bool) -> list[str]:
        made, found = entry.contrast, entry.contrast.found
        row = [entry.metric, entry.strategy, entry.baseline]
        row += ["none" if entry.budget is None else str(entry.budget)] * several
        row += [str(entry.value)] * bool(self.field)
        interval = f"[{found.low:+.3f}, {found.high:+.3f}]"
        unknown = found.descriptive or math.isnan(found.low)
        row += [_number(made.value), _signed(found.mean), "–" if unknown else interval]
        row += [_p(made.p), _p(made.adjusted)]
        row += [str(n) for n in made.effects[:3]] + [str(found.n), made.verdict(self.alpha)]
        for margin in (made.equivalent, made.not_inferior):
            if margin is not None:
                row.append({True: "yes", False: "not shown", None: "–"}[margin.held])
        return row

    @property
    def notes(self) -> list[str]:
        """What was tested and how, and what was left out."""
        return list(self._notes())

    def _notes(self) -> Iterator[str]:
        yield from self.about
        if isinstance(self.tokens, tuple):
            low, high = self.tokens
            yield f"values: mean height of the curve from {low:.0f} to {high:.0f} tokens"
        elif self.tokens is not None:
            yield f"values: at {self.tokens:.0f} tokens, between the budgets that were run"
        yield "difference: strategy minus baseline over the probes that both have a value on"
        yield (
            f"interval: {self.method.level:.0%}".replace("%", " %")
            + ", not adjusted, "
            + (_INTERVALS[self.method.interval])
        )
        sizes = Counter(entry.metric for entry in self.entries)
        family = max(sizes.values(), default=0)
        ways = ", ".join(_ADJUSTED[way] for way in self.adjustments)
        yield f"{_TESTS[self.method.test]}; adjusted over {family} contrasts of a metric ({ways})"
        yield from self._reach()
        yield from self._conclusions()

    def _reach(self) -> Iterator[str]:
        """Yield what so few conversations cannot show."""
        numbers = sorted({e.contrast.found.clusters for e in self.entries if e.contrast.found.n})
        if not numbers:
            return
        told = " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))
        tested = [e.contrast for e in self.entries if e.contrast.verdict(self.alpha) in _TESTED]
        smallest = min((one.smallest for one in tested), default=math.nan)
        least = "" if math.isnan(smallest) else f"; the smallest p they allow is {_p(smallest)}"
        yield f"{told} conversations{least}"
        few = sum(e.contrast.verdict(self.alpha) == "descriptive" for e in self.entries)
        if few:
            yield (
                f"descriptive, so no conclusion: {few} contrasts with fewer than {FEW} "
                "conversations, or with a data set that has fewer"
            )

    def _conclusions(self) -> Iterator[str]:
        verdicts = [entry.contrast.verdict(self.alpha) for entry in self.entries]
        open_ = [e for e, v in zip(self.entries, verdicts, strict=True) if v == "not separated"]
        effects = [e.contrast.detectable for e in open_ if not math.isnan(e.contrast.detectable)]
        if effects:
            ends = " to ".join(dict.fromkeys(_number(e) for e in (min(effects), max(effects))))
            yield (
                f"not separated is not equal: differences of {ends} would have been found "
                "with 80 % power (one contrast, not adjusted)"
            )
        ignored = max((e.contrast.found.ignored for e in self.entries), default=0)
        if ignored:
            yield f"left out: up to {ignored} probes on which one of the two has no value"
        if self.method.margin is not None:
            yield (
                f"margin {self.method.margin:g}: equivalent (two one-sided tests) and not "
                f"inferior at {self.alpha:.2g}"
            )

    def to_markdown(self) -> str:
        """Return the table and its notes in Markdown."""
        notes = "\n".join(f"- {note}" for note in self.notes)
        return f"{markdown(self.cells, left=3)}\n\n{notes}\n"

    def to_latex(self, caption: str = "") -> str:
        """Return the table in LaTeX (booktabs)."""
        return latex(self.cells, left=3, caption=caption)

    def to_json(self) -> dict[str, Any]:
        """Return what `memlab compare --json` prints: the rows and the notes; NaN is null."""
        rows = [{k: _json(v) for k, v in self._row(e).items()} for e in self.entries]
        return {"contrasts": rows, "notes": self.notes}

    def __repr__(self) -> str:
        return "\n".join([plain(self.cells, left=3), "", *self.notes])

    def _repr_html_(self) -> str:
        from html import escape

        notes = "<br>".join(map(escape, self.notes))
        return f"<div>{html_table(self.cells, left=3)}<small>{notes}</small></div>"


def _json(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    return list(value) if isinstance(value, tuple) else str(value)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _signed(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:+.3f}"


def _p(value: float) -> str:
    """Return a p-value with two digits that count.

    >>> _p(0.0312), _p(0.00002), _p(1.0)
    ('.031', '<.0001', '1')
    """
    if math.isnan(value):
        return "–"
    if value < 0.0001:
        return "<.0001"
    return f"{value:.2g}".removeprefix("0") if value >= 0.001 else f"{value:.4f}".removeprefix("0")
