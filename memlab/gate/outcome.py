"""What a check found, for people and for machines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memlab.cells import Cells, html, markdown, plain
from memlab.gate.changes import Lost
from memlab.gate.contrast import BLIND, IMPROVED, REGRESSION, SAME, Contrast
from memlab.gate.junit import junit
from memlab.gate.tables import lost_cells, quality_cells, time_cells, unchanged

_LEFT = 4
_FOUND_FROM = (
    "found from: the change for the worse that 95 % of runs would show, if one probe in five "
    "changes (more, where the runs differ by more)"
)


@dataclass(frozen=True, repr=False)
class Check:
    """What `check` found: it shows its tables, and `ok` says whether nothing got worse.

    `contrasts` holds every comparison, `lost` what vanished or fails anew, `notes` what must be
    known beside them; `alpha` is the family-wise error rate, `failed` of `reads` failed.
    """

    run: str
    baseline: str
    contrasts: Sequence[Contrast]
    lost: Sequence[Lost]
    notes: Sequence[str]
    alpha: float
    reads: int
    failed: int

    @property
    def regressions(self) -> list[Contrast]:
        """What got worse."""
        return [one for one in self.contrasts if one.verdict == REGRESSION]

    @property
    def measured(self) -> bool:
        """Whether anything was: some read did not fail, and something has a value."""
        return self.failed < self.reads and bool(self.contrasts)

    @property
    def ok(self) -> bool:
        """Whether something was measured, nothing got worse and nothing vanished."""
        return self.measured and not self.regressions and not self.lost

    def headline(self) -> str:
        """Return the verdict in a line."""
        if not self.measured:
            return f"nothing was measured: {self.failed} of {self.reads} reads failed"
        better = sum(one.verdict == IMPROVED for one in self.contrasts)
        counts = {
            "got worse": len(self.regressions),
            "vanished or fail anew": len(self.lost),
            "improved": better,
        }
        told = ", ".join(f"{n} {what}" for what, n in counts.items() if n)
        verdict = "ok" if self.ok else "regression"
        return f"{verdict}: {told or 'nothing changed beyond the limits'}"

    def remarks(self) -> list[str]:
        """Return the lines below the tables: what was tested, and what to know of the runs."""
        tests = sum(not math.isnan(one.adjusted) for one in self.contrasts)
        rule = (
            "regression: the change for the worse reaches its limit, and the one-sided p by "
            f"conversation, after Holm over {tests} contrasts, is at most {self.alpha:g}"
        )
        lines = [*unchanged(self.contrasts), rule, _FOUND_FROM]
        if any(one.part == "time" for one in self.contrasts):
            lines.append(
                "times: median over conversations of time / reference + 0.005, encoding apart"
            )
        if blind := sum(one.verdict == BLIND for one in self.contrasts):
            lines.append(
                f"{blind} contrasts cannot be judged: so few conversations allow no p small enough"
            )
        return [*lines, *self.notes]

    def to_json(self) -> dict[str, Any]:
        """Return what `memlab check --json` prints."""
        return {
            "run": self.run,
            "baseline": self.baseline,
            "ok": self.ok,
            "measured": self.measured,
            "headline": self.headline(),
            "alpha": self.alpha,
            "reads": self.reads,
            "failed": self.failed,
            "lost": [one._asdict() for one in self.lost],
            "contrasts": [one.to_json() for one in self.contrasts],
            "notes": list(self.notes),
        }

    def to_junit(self) -> str:
        """Return JUnit XML: a test case for each contrast and each thing that was lost."""
        return junit(self.run, self.contrasts, self.lost, measured=self.measured)

    def to_markdown(self) -> str:
        """Return the tables in Markdown, as for the summary of a CI job."""
        tables = [markdown(cells, _LEFT) for cells in self._tables()]
        notes = "\n".join(f"- {line}" for line in self.remarks())
        head = f"### {self.run} against {self.baseline}\n\n**{self.headline()}**"
        return "\n\n".join([head, *tables, notes]) + "\n"

    def _tables(self) -> list[Cells]:
        """Return the tables; quality that is the same probe by probe is told in a line."""
        quality = [c for c in self.contrasts if c.part == "quality" and c.verdict != SAME]
        times = [c for c in self.contrasts if c.part == "time"]
        tables = (lost_cells(self.lost), quality_cells(quality), time_cells(times))
        return [cells for cells in tables if cells[1]]

    def __repr__(self) -> str:
        tables = [f"{plain(cells, _LEFT)}\n" for cells in self._tables()]
        head = f"{self.run} against {self.baseline}: {self.headline()}\n"
        return "\n".join([head, *tables, *self.remarks()])

    def _repr_html_(self) -> str:
        from html import escape

        tables = "".join(html(cells, _LEFT) for cells in self._tables())
        notes = "<br>".join(escape(line) for line in self.remarks())
        head = escape(f"{self.run} against {self.baseline}: {self.headline()}")
        return f"<div>{head}</div>{tables}<small>{notes}</small>"
