"""The hypothesis board: every claim with its workloads, effects, verdict and runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.board.claims import Claim
from memlab.board.entries import (
    NOT_HERE,
    NOT_RUN,
    NOT_YET,
    Entry,
    read_entries,
    write_entries,
)
from memlab.board.measuring import faults, measure, missing
from memlab.board.reading import read_claims
from memlab.errors import ConfigError, Faults, suggest
from memlab.spec import repository_root

FOLDER = Path("experiments") / "hypotheses"
FILE = "hypotheses.json"


@dataclass(frozen=True, slots=True)
class Line:
    """A claim as the board shows it: its verdict, why, and what was measured.

    `stale`: the file of the claim has changed since it was measured; `renewed`: this call
    measured it.
    """

    claim: Claim
    verdict: str
    why: tuple[str, ...] = ()
    entry: Entry | None = None
    stale: bool = False
    renewed: bool = False


class Board(Sequence[Line]):
    """The claims in the order of their ids. In a notebook it shows its table."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = tuple(lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401 - a line by number, or by claim
        if not isinstance(key, str):
            return self._lines[key]
        found = {line.claim.id: line for line in self._lines}
        if key not in found:
            raise ConfigError(f"no claim {key!r} on this board", "", suggest(key, found))
        return found[key]

    def __repr__(self) -> str:
        from memlab.board.shown import text

        return text(self._lines)

    def _repr_html_(self) -> str:
        from memlab.board.shown import html

        return html(self._lines)

    def to_markdown(self) -> str:
        """Return the page of the docs."""
        from memlab.board.page import page

        return page(self._lines)

    def to_json(self) -> list[dict[str, Any]]:
        """Return JSON values."""
        return [_json(line) for line in self._lines]


def hypotheses(
    *ids: str,
    run: bool = False,
    files: str | Path | None = None,
    out: str | Path | None = None,
    jobs: int = 1,
) -> Board:
    """Return the board of the claims, as measured before or, with `run`, measured now.

    Args:
        ids: such as "H18"; all claims by default.
        run: measure what can be measured. Runs that are finished already are read; runs go to
            `hypotheses/` in `out`, verdicts to `hypotheses.json` beside it.
        files: the folder of the claims; by default `experiments/hypotheses` of the repository
            that holds the working folder.
        out: by default `results` of the repository that holds the files.
        jobs: processes.

    Raises:
        Faults: everything that is wrong with the files or their experiments, before anything
            is run.
        DataError: verdicts that cannot be read.
    """
    folder = Path(files) if files is not None else repository_root(Path.cwd() / "x") / FOLDER
    claims = read_claims(folder, ids)
    place = Path(out) if out is not None else repository_root(folder / "x") / "results"
    entries = read_entries(place / FILE)
    made: dict[str, Entry] = {}
    if run:
        if wrong := list(faults(claims, jobs)):
            raise Faults(wrong)
        for claim in claims:
            if any(not missing(claim, workload) for workload in claim.workloads):
                made[claim.id] = _renew(claim, entries, place, jobs)
    return Board(_line(claim, entries.get(claim.id), made.get(claim.id)) for claim in claims)


def _renew(claim: Claim, entries: dict[str, Entry], place: Path, jobs: int) -> Entry:
    """Measure a claim, write its entry and return it.

    An entry that has been measured in full elsewhere, on the same file, is kept; so is one that
    differs in the names of its runs alone.
    """
    made = measure(claim, place / "hypotheses", jobs)
    entries |= read_entries(place / FILE)  # another process may have measured others meanwhile
    known = entries.get(claim.id)
    fuller = known is not None and known.digest == made.digest and not known.away
    alike = known is not None and known.found() == made.found()
    if made.workloads and not alike and not (made.away and fuller):
        entries[claim.id] = made
        write_entries(place / FILE, entries)
    return made


def _line(claim: Claim, entry: Entry | None, made: Entry | None) -> Line:
    open_now = [workload for workload in claim.workloads if not missing(claim, workload)]
    if not open_now:
        lacking = (why for workload in claim.workloads for why in missing(claim, workload))
        return Line(claim, NOT_YET, tuple(dict.fromkeys(lacking)))
    told = tuple(f"not measured here: {why}" for why in made.away) if made else ()
    if entry is None:
        return Line(claim, NOT_HERE if told else NOT_RUN, told)
    known = {measured.workload for measured in entry.workloads}
    known |= {w.name for w in open_now if any(why.startswith(f"{w.name}: ") for why in entry.away)}
    stale = entry.digest != claim.digest or any(w.name not in known for w in open_now)
    why = (*(told or entry.away), *entry.missing)
    renewed = made is not None and bool(made.workloads)
    return Line(claim, entry.verdict, why, entry, stale, renewed)


def _json(line: Line) -> dict[str, Any]:
    claim = line.claim
    found: dict[str, Any] = {
        "id": claim.id,
        "claim": claim.claim,
        "verdict": line.verdict,
        "stale": line.stale,
        "why": list(line.why),
        "needs": list(claim.needs),
    }
    done = {m.workload: m for m in line.entry.workloads} if line.entry else {}
    found["workloads"] = [
        {
            "name": workload.name,
            "why": workload.why,
            "needs": list(workload.needs),
            "run": done[workload.name].run if workload.name in done else None,
            "checks": [c.to_json() for c in done[workload.name].checks]
            if workload.name in done
            else [
                {"check": check.title, "expected": str(check.expectation)}
                for check in workload.checks
            ],
        }
        for workload in claim.workloads
    ]
    return found
