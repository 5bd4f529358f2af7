"""The board as a page of the docs, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memlab import cells
from memlab.board.claims import Workload
from memlab.board.entries import Measured
from memlab.board.shown import counts, effect, p_of, verdict

if TYPE_CHECKING:
    from memlab.board.board import Line

_HEAD = """# Hypotheses

Claims about the memory of agents, each with the workloads that test it: where it should hold,
and where it should not, or a control. `memlab hypotheses` prints this board,
`memlab hypotheses --run` measures it. The claims are in `experiments/hypotheses/`; what was
expected stood there before the run.

**held**: every check came out as expected. **refuted**: at least one speaks against it, on these
workloads. **not separated**: the data decide neither way. **descriptive**: fewer than six
conversations. **not measurable yet**: memlab lacks a part.

p is two-sided where a sign is foretold (sign flip by conversation), one-sided against limits and
margins (t with CR3 errors), and adjusted over all checks of a claim (Holm). Intervals are 95 %,
with conversations as clusters; n counts probes, in so many conversations.
"""


def page(lines: Sequence[Line]) -> str:
    """Return the page: the table of all claims, then each with its workloads and checks."""
    rows = [
        [f"[{line.claim.id}](#{line.claim.id.lower()})", verdict(line), line.claim.claim]
        for line in lines
    ]
    table = "\n".join(["| claim | verdict | says |", "| --- | --- | --- |", *map(_row, rows)])
    return "\n\n".join([_HEAD.strip(), counts(lines) + ".", table, *map(_section, lines)]) + "\n"


def _row(row: Sequence[str]) -> str:
    link, *texts = row
    return f"| {' | '.join([link, *map(cells.escape_markdown, texts)])} |"


def _section(line: Line) -> str:
    claim = line.claim
    parts = [f"## {claim.id}", f"**{verdict(line)}** · {cells.escape_markdown(claim.claim)}"]
    parts += [cells.escape_markdown(claim.note)] if claim.note else []
    parts += ["\n".join(f"- {cells.escape_markdown(why)}" for why in line.why)] if line.why else []
    done = {m.workload: m for m in line.entry.workloads} if line.entry else {}
    for workload in claim.workloads:
        parts += _workload(workload, done.get(workload.name))
    return "\n\n".join(parts)


def _workload(workload: Workload, measured: Measured | None) -> Iterator[str]:
    run = f" Run: `{measured.run}`." if measured else ""
    yield f"*{cells.escape_markdown(workload.name)}.* {cells.escape_markdown(workload.why)}{run}"
    if measured is None:
        rows = [[check.title, str(check.expectation)] for check in workload.checks]
        yield cells.markdown((["check", "expected"], rows), left=2)
        return
    found = [[c.check, c.expected, effect(c), p_of(c)] for c in measured.checks]
    yield cells.markdown((["check", "expected", "found", "p"], found), left=3)
    told = [c for c in measured.checks if c.note and c.low is not None]
    if told:
        yield "\n".join(f"- {cells.escape_markdown(f'{c.check}: {c.note}')}" for c in told)
