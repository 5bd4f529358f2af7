"""The board as text and HTML: a line for each claim, or all of a few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memlab import cells
from memlab.board.entries import VERDICTS, Measured
from memlab.board.evidence import Outcome

if TYPE_CHECKING:
    from memlab.board.board import Line

HEADER = ["claim", "verdict", "says", "measured"]


def text(lines: Sequence[Line]) -> str:
    """Return a line for each claim, and how many claims have which verdict."""
    rows = [f"{line.claim.id}  {verdict(line):<18}  {brief(line)}" for line in lines]
    return "\n".join([*rows, "", counts(lines)])


def full(line: Line) -> str:
    """Return all that is known of a claim."""
    claim = line.claim
    head = [f"{claim.id}  {verdict(line)}", f"  {claim.claim}"]
    head += [f"  {claim.note}"] if claim.note else []
    return "\n".join([*head, *(f"  {why}" for why in line.why), *_workloads(line)])


def verdict(line: Line) -> str:
    """Return the verdict with what qualifies it."""
    partly = ", in part" if line.entry and (line.entry.missing or line.entry.away) else ""
    return line.verdict + partly + (" (stale)" if line.stale else "")


def brief(line: Line) -> str:
    """Return the claim and what was measured, or why nothing was, in one line."""
    parts = [line.claim.claim]
    if line.entry is not None:
        parts += [of_workload(one) for one in line.entry.workloads]
    return " | ".join([*parts, *line.why])


def of_workload(measured: Measured) -> str:
    """Return the effects of a workload with its size and its run."""
    effects = "; ".join(effect(check) for check in measured.checks)
    return f"{measured.workload}: {effects} [{measured.run}]"


def effect(check: Outcome) -> str:
    """Return the effect of a check, its interval, n in clusters, and its verdict.

    >>> effect(Outcome("a", "greater", 0.12, 0.1, 0.14, 90, 8, 0.01, "as expected", True))
    '+0.120 [+0.100, +0.140], n 90 in 8, as expected'
    """
    size = f"n {check.n:,} in {check.clusters}, {check.verdict}"
    if check.effect is None:
        return size
    if check.low is None or check.high is None:
        return f"{check.note or number(check.effect)}, {size}"
    shown = [number(x, signed=check.difference) for x in (check.effect, check.low, check.high)]
    return "{} [{}, {}], {}".format(*shown, size)


def number(value: float, *, signed: bool = False) -> str:
    """Return a number with three decimals, or none where it is large.

    >>> number(0.0316), number(-412.2, signed=True)
    ('0.032', '−412')
    """
    form = ("+" if signed else "") + (".0f" if abs(value) >= 100 else ".3f")
    return format(value, form).replace("-", "−")


def p_of(check: Outcome) -> str:
    """Return the adjusted p, or a dash where there is no test.

    >>> p_of(Outcome("a", "less", 0.1, 0.0, 0.2, 9, 8, 0.00001, "as expected"))
    '< 0.0001'
    """
    if check.p is None:
        return "–"
    return "< 0.0001" if check.p < 0.0001 else f"{check.p:.4f}"


def counts(lines: Sequence[Line]) -> str:
    """Return how many claims have which verdict."""
    found = Counter(line.verdict for line in lines)
    told = [f"{found[name]} {name}" for name in VERDICTS if found[name]]
    stale = sum(line.stale for line in lines)
    told += (
        [f"{stale} of them stale: their files have changed, --run measures again"] if stale else []
    )
    return f"{len(lines)} claims: {', '.join(told)}"


def html(lines: Sequence[Line]) -> str:
    """Return the board as an HTML table."""
    rows = [
        [
            line.claim.id,
            verdict(line),
            line.claim.claim,
            " | ".join([of_workload(m) for m in line.entry.workloads] if line.entry else line.why),
        ]
        for line in lines
    ]
    return cells.html((HEADER, rows), left=4)


def _workloads(line: Line) -> Iterator[str]:
    done = {m.workload: m for m in line.entry.workloads} if line.entry else {}
    for workload in line.claim.workloads:
        measured = done.get(workload.name)
        yield f"\n  {workload.name}: {workload.why}"
        if measured is None:
            yield from (f"    {c.title}, expected: {c.expectation}" for c in workload.checks)
            continue
        for check in measured.checks:
            p = "" if check.p is None else f", p {p_of(check)}"
            note = f" ({check.note})" if check.note and check.low is not None else ""
            yield f"    {check.check}"
            yield f"      expected: {check.expected}; found: {effect(check)}{p}{note}"
        yield f"    run: {measured.run}"
