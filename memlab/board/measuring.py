"""Running the workloads of a claim, and the verdict on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from memlab.board.claims import Claim, Workload
from memlab.board.entries import NOT_HERE, Entry, Measured, verdict
from memlab.board.evidence import Evidence, Titled, outcomes
from memlab.board.needs import absent
from memlab.errors import Faults, MemlabError, MissingExtra
from memlab.plan import plan
from memlab.results import Results
from memlab.spec import PATHS


class NotHere(MemlabError):  # noqa: N818 - it is told, not an error of the board
    """A workload that cannot be measured on this machine, with the reason."""


def missing(claim: Claim, workload: Workload) -> tuple[str, ...]:
    """Return what memlab lacks for a workload."""
    return absent((*claim.needs, *workload.needs))


def not_at_hand(workload: Workload) -> str:
    """Return which data of a workload are not at hand; "" if all are."""
    given = workload.experiment["dataset"]
    tables: Sequence[Mapping[str, Any]] = given if isinstance(given, list) else [given]
    for table in tables:
        if any(key in table and not Path(table[key]).exists() for key in PATHS):
            return f"data not at hand: {table['name']}"
    return ""


def faults(claims: Sequence[Claim], jobs: int = 1) -> Iterator[MemlabError]:
    """Yield what is wrong with the experiments that can be run, before any of them is."""
    for claim in claims:
        for workload in claim.workloads:
            if missing(claim, workload) or not_at_hand(workload):
                continue
            place = f"{claim.id}, {workload.name}"
            try:
                plan(**workload.experiment, jobs=jobs)
            except Faults as several:
                yield from (MemlabError(f"{place}: {fault}") for fault in several.faults)
            except MissingExtra:
                continue  # told as "not measured here"


def measure(claim: Claim, out: Path | None, jobs: int) -> Entry:
    """Run what can be run of a claim and return its entry.

    What cannot be measured on this machine stands in `away`, with the reason.
    """
    found: list[tuple[Workload, str, list[Evidence]]] = []
    lacking: list[str] = []
    away: list[str] = []
    for workload in claim.workloads:
        if wanted := missing(claim, workload):
            lacking += [f"{workload.name}: {why}" for why in wanted]
            continue
        try:
            run, evidence = _measured(workload, out, jobs)
        except NotHere as reason:
            away.append(f"{workload.name}: {reason}")
        else:
            found.append((workload, run, evidence))
    checks = [check for workload, _, _ in found for check in workload.checks]
    titles = [Titled(c.title, str(c.expectation), c.difference) for c in checks]
    made = iter(outcomes(titles, [one for _, _, evidence in found for one in evidence]))
    measured = tuple(
        Measured(workload.name, run, tuple(islice(made, len(workload.checks))))
        for workload, run, _ in found
    )
    own = [outcome for one in measured for outcome in one.checks]
    about = (claim.id, claim.digest, version("memlab"), verdict(own) if own else NOT_HERE)
    return Entry(*about, measured, tuple(lacking), tuple(away))


def _measured(workload: Workload, out: Path | None, jobs: int) -> tuple[str, list[Evidence]]:
    """Return the name of a workload's run, and what each of its checks found.

    Raises:
        NotHere: data or a package are not at hand, a strategy failed, or a check cannot be made.
    """
    if why := not_at_hand(workload):
        raise NotHere(why)
    try:
        results = workload.run(out, jobs)
        if failed := _failed(results):
            raise NotHere(failed)
        return _run(results), [check.measure(results) for check in workload.checks]
    except MissingExtra as error:
        raise NotHere(f"{error.found}, {error.expected}") from error
    except NotHere:
        raise
    except MemlabError as error:
        raise NotHere(str(error)) from error


def _run(results: Results) -> str:
    return f"{results.manifest['name']}-{results.manifest['hash8']}"


def _failed(results: Results) -> str:
    """Return which strategy failed, how often and how first; "" if none did."""
    errors = [record for record in results.records if record.error is not None]
    if not errors:
        return ""
    label = errors[0].strategy
    own = sum(record.strategy == label for record in errors)
    return f"{label} failed on {own} reads: {errors[0].error}"
