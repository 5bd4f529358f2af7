"""Comparisons of strategies: the table, and what must be known to read it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memlab.cells import Cells, escape_markdown, latex, markdown, plain
from memlab.cells import html as html_table
from memlab.contrasts import Entry, Method
from memlab.remarks import Seen, p_text, percent, remarks
from memlab.tokencurves import Tokens

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("metric", "strategy", "baseline", "budget", "tokens", "value", "baseline value"),
    *("difference", "low", "high", "p", "p adjusted", "smallest p", "wins", "ties", "losses"),
    *("d", "detectable", "n", "clusters", "verdict", "equivalent", "not inferior"),
)
"""What a line of the table may have beside a field."""


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
        return self.method.alpha

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
        header += ["value", "difference", f"{percent(self.method.level)} interval"]
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
        row += [p_text(made.p), p_text(made.adjusted)]
        row += [str(n) for n in made.effects[:3]] + [str(found.n), made.verdict(self.alpha)]
        for margin in (made.equivalent, made.not_inferior):
            if margin is not None:
                row.append({True: "yes", False: "not shown", None: "–"}[margin.held])
        return row

    @property
    def notes(self) -> list[str]:
        """What was tested and how, and what was left out."""
        seen = Seen(self.entries, self.method, self.adjustments)
        return [*self.about, *remarks(seen, self.tokens)]

    def to_markdown(self) -> str:
        """Return the table and its notes in Markdown."""
        notes = "\n".join(f"- {escape_markdown(note)}" for note in self.notes)
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
